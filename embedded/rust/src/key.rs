// SPDX-License-Identifier: Apache-2.0
//! Keys that stay, and a key that is used for one block.

use core::ptr::{null, null_mut};

use crate::masks::source;
use crate::{c, check, Error, Masks};

/// Memory for an expanded key, which a [`Key`] borrows. A key never moves, so no copy stays behind.
#[repr(C)]
pub struct KeyMemory([u64; c::KEY_WORDS]);

impl KeyMemory {
    /// Zeros.
    pub const fn new() -> Self {
        KeyMemory([0; c::KEY_WORDS])
    }
}

impl Default for KeyMemory {
    fn default() -> Self {
        Self::new()
    }
}

/// An expanded key of AES-128 on two shares. It is wiped where it is dropped.
pub struct Key<'a> {
    key: *mut c::Opaque,
    memory: &'a mut KeyMemory,
}

fn slicing() -> Result<*const c::Opaque, Error> {
    let mut found = null();
    // SAFETY: it writes a pointer to a constant.
    check(unsafe { c::tally_masked_choose(1, 32, 0, &mut found) })?;
    Ok(found)
}

impl<'a> Key<'a> {
    /// Expands a key that is the XOR of two shares, so that it is never in the clear.
    pub fn from_shares<M: Masks>(
        shares: [&[u8; 16]; 2],
        masks: &mut M,
        memory: &'a mut KeyMemory,
    ) -> Result<Self, Error> {
        let (slicing, source) = (slicing()?, source(masks));
        let shares = [shares[0].as_ptr(), shares[1].as_ptr()];
        let mut key = null_mut();
        let size = core::mem::size_of::<KeyMemory>();
        // SAFETY: two shares of 16 bytes; `memory` has `size` bytes, and outlives the key.
        check(unsafe {
            c::tally_masked_key_init_shares(
                slicing,
                shares.as_ptr(),
                16,
                1,
                &source,
                memory.0.as_mut_ptr().cast(),
                size,
                &mut key,
            )
        })?;
        Ok(Key { key, memory })
    }

    /// The same of a key in the clear, which is masked first.
    pub fn new<M: Masks>(
        key: &[u8; 16],
        masks: &mut M,
        memory: &'a mut KeyMemory,
    ) -> Result<Self, Error> {
        let (slicing, source) = (slicing()?, source(masks));
        let mut found = null_mut();
        let size = core::mem::size_of::<KeyMemory>();
        // SAFETY: as above.
        check(unsafe {
            c::tally_masked_key_init(
                slicing,
                key.as_ptr(),
                16,
                1,
                &source,
                memory.0.as_mut_ptr().cast(),
                size,
                &mut found,
            )
        })?;
        Ok(Key { key: found, memory })
    }

    /// Gives the key new shares: at least once in 256 blocks, better before each message.
    pub fn refresh<M: Masks>(&mut self, masks: &mut M) -> Result<(), Error> {
        // SAFETY: the key is valid as long as this lives, here and below.
        check(unsafe { c::tally_masked_refresh(self.key, &source(masks)) })
    }

    /// Encrypts blocks in place, each by itself.
    pub fn encrypt_blocks<M: Masks>(
        &self,
        masks: &mut M,
        blocks: &mut [[u8; 16]],
    ) -> Result<(), Error> {
        let data = blocks.as_mut_ptr().cast::<u8>();
        // SAFETY: in and out may be the same.
        check(unsafe {
            c::tally_masked_encrypt_blocks(self.key, &source(masks), data, blocks.len(), data)
        })
    }

    /// Decrypts blocks in place, each by itself.
    pub fn decrypt_blocks<M: Masks>(
        &self,
        masks: &mut M,
        blocks: &mut [[u8; 16]],
    ) -> Result<(), Error> {
        let data = blocks.as_mut_ptr().cast::<u8>();
        // SAFETY: as above.
        check(unsafe {
            c::tally_masked_decrypt_blocks(self.key, &source(masks), data, blocks.len(), data)
        })
    }

    /// Counter mode in place. `counter` is replaced by the next unused one.
    pub fn ctr<M: Masks>(
        &self,
        masks: &mut M,
        counter: &mut [u8; 16],
        data: &mut [u8],
    ) -> Result<(), Error> {
        let (at, size) = (data.as_mut_ptr(), data.len());
        // SAFETY: as above.
        check(unsafe {
            c::tally_masked_ctr(self.key, &source(masks), counter.as_mut_ptr(), at, size, at)
        })
    }

    /// CBC without padding, in place: `data` has whole blocks. `iv` is replaced.
    pub fn cbc_encrypt<M: Masks>(
        &self,
        masks: &mut M,
        iv: &mut [u8; 16],
        data: &mut [u8],
    ) -> Result<(), Error> {
        let (at, size) = (data.as_mut_ptr(), data.len());
        // SAFETY: as above.
        check(unsafe {
            c::tally_masked_cbc_encrypt(self.key, &source(masks), iv.as_mut_ptr(), at, size, at)
        })
    }

    /// The inverse of `cbc_encrypt`.
    pub fn cbc_decrypt<M: Masks>(
        &self,
        masks: &mut M,
        iv: &mut [u8; 16],
        data: &mut [u8],
    ) -> Result<(), Error> {
        let (at, size) = (data.as_mut_ptr(), data.len());
        // SAFETY: as above.
        check(unsafe {
            c::tally_masked_cbc_decrypt(self.key, &source(masks), iv.as_mut_ptr(), at, size, at)
        })
    }

    /// The CMAC of a message.
    pub fn cmac<M: Masks>(&self, masks: &mut M, message: &[u8]) -> Result<[u8; 16], Error> {
        let mut tag = [0; 16];
        // SAFETY: the tag has 16 bytes.
        check(unsafe {
            c::tally_masked_cmac(
                self.key,
                &source(masks),
                message.as_ptr(),
                message.len(),
                tag.as_mut_ptr(),
            )
        })?;
        Ok(tag)
    }

    /// Checks a tag of 4 to 16 bytes, in a time that does not tell where it differs.
    pub fn cmac_verify<M: Masks>(
        &self,
        masks: &mut M,
        message: &[u8],
        tag: &[u8],
    ) -> Result<(), Error> {
        // SAFETY: it reads the sizes that it gets.
        check(unsafe {
            c::tally_masked_cmac_verify(
                self.key,
                &source(masks),
                message.as_ptr(),
                message.len(),
                tag.as_ptr(),
                tag.len(),
            )
        })
    }
}

impl Drop for Key<'_> {
    fn drop(&mut self) {
        // SAFETY: the key is in `memory`, which is still borrowed.
        unsafe { c::tally_masked_key_wipe(self.key) };
        let _ = &self.memory;
    }
}

/// Encrypts one block under a shared key that is expanded in its rounds: without a [`Key`].
pub fn encrypt_once<M: Masks>(
    shares: [&[u8; 16]; 2],
    masks: &mut M,
    block: &mut [u8; 16],
) -> Result<(), Error> {
    let shares = [shares[0].as_ptr(), shares[1].as_ptr()];
    let at = block.as_mut_ptr();
    // SAFETY: in and out may be the same.
    check(unsafe { c::tally_masked_encrypt_once(shares.as_ptr(), &source(masks), at, at) })
}

/// Gives a stored key new shares, in their place.
pub fn refresh_shares<M: Masks>(shares: [&mut [u8; 16]; 2], masks: &mut M) -> Result<(), Error> {
    let [first, second] = shares;
    let shares = [first.as_mut_ptr(), second.as_mut_ptr()];
    // SAFETY: two shares of 16 bytes.
    check(unsafe { c::tally_masked_refresh_shares(shares.as_ptr(), 2, 16, &source(masks)) })
}
