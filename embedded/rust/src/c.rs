// SPDX-License-Identifier: Apache-2.0
//! What is used of masked_aes.h, masked_modes.h and masked_random.h.

use core::ffi::{c_int, c_uint, c_void};

pub const OK: c_int = 0;
pub const ARGUMENT: c_int = 1;
pub const ENTROPY: c_int = 2;
pub const TAG: c_int = 17;

/// TALLY_MASKED_KEY_SIZE(16), in words of 8 bytes.
pub const KEY_WORDS: usize = (24 + 11 * 2 * 32) / 8;

#[repr(C)]
pub struct Source {
    pub fill: unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> c_int,
    pub context: *mut c_void,
}

/// tally_noise: C alone looks into it.
#[repr(C)]
pub struct Noise {
    pub raw: Source,
    pub words: [u32; 8],
}

#[repr(C)]
pub struct Opaque {
    _private: [u8; 0],
}

extern "C" {
    pub fn tally_masked_choose(
        order: c_uint,
        bits: c_uint,
        blocks: usize,
        out: *mut *const Opaque,
    ) -> c_int;
    pub fn tally_masked_key_init(
        slicing: *const Opaque,
        keys: *const u8,
        key_size: usize,
        count: usize,
        source: *const Source,
        memory: *mut c_void,
        memory_size: usize,
        out: *mut *mut Opaque,
    ) -> c_int;
    pub fn tally_masked_key_init_shares(
        slicing: *const Opaque,
        shares: *const *const u8,
        key_size: usize,
        count: usize,
        source: *const Source,
        memory: *mut c_void,
        memory_size: usize,
        out: *mut *mut Opaque,
    ) -> c_int;
    pub fn tally_masked_key_wipe(key: *mut Opaque);
    pub fn tally_masked_refresh(key: *mut Opaque, source: *const Source) -> c_int;
    pub fn tally_masked_refresh_shares(
        shares: *const *mut u8,
        count: usize,
        size: usize,
        source: *const Source,
    ) -> c_int;
    pub fn tally_masked_encrypt_blocks(
        key: *const Opaque,
        source: *const Source,
        input: *const u8,
        blocks: usize,
        out: *mut u8,
    ) -> c_int;
    pub fn tally_masked_decrypt_blocks(
        key: *const Opaque,
        source: *const Source,
        input: *const u8,
        blocks: usize,
        out: *mut u8,
    ) -> c_int;
    pub fn tally_masked_encrypt_once(
        key: *const *const u8,
        source: *const Source,
        input: *const u8,
        out: *mut u8,
    ) -> c_int;
    pub fn tally_masked_ctr(
        key: *const Opaque,
        source: *const Source,
        counter: *mut u8,
        input: *const u8,
        size: usize,
        out: *mut u8,
    ) -> c_int;
    pub fn tally_masked_cbc_encrypt(
        key: *const Opaque,
        source: *const Source,
        iv: *mut u8,
        input: *const u8,
        size: usize,
        out: *mut u8,
    ) -> c_int;
    pub fn tally_masked_cbc_decrypt(
        key: *const Opaque,
        source: *const Source,
        iv: *mut u8,
        input: *const u8,
        size: usize,
        out: *mut u8,
    ) -> c_int;
    pub fn tally_masked_cmac(
        key: *const Opaque,
        source: *const Source,
        input: *const u8,
        size: usize,
        tag: *mut u8,
    ) -> c_int;
    pub fn tally_masked_cmac_verify(
        key: *const Opaque,
        source: *const Source,
        input: *const u8,
        size: usize,
        tag: *const u8,
        tag_size: usize,
    ) -> c_int;
    pub fn tally_noise_init(noise: *mut Noise, raw: *const Source) -> c_int;
    pub fn tally_noise_fill(noise: *mut c_void, out: *mut u8, size: usize) -> c_int;
}
