// SPDX-License-Identifier: Apache-2.0
//! AES-128 on two shares, as `core/include/tallystick/masked_aes.h` and its neighbours describe it.
//!
//! On Armv6-M this is the assembly, else C whose changes leak. Switch interrupts off around calls.
//! Everything that varies with a key lies in [`KeyMemory`] or on the stack, and both are wiped.
#![no_std]

mod c;
mod key;
mod masks;

pub use key::{encrypt_once, refresh_shares, Key, KeyMemory};
pub use masks::{Masks, Tested};

/// Why a function failed. Its results are zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// A size that the mode does not have, or an object that was wiped.
    Argument,
    /// The source of masks failed.
    Entropy,
    /// A tag is not that of the message.
    Tag,
    /// Any other status of the C library.
    Other(i32),
}

impl core::fmt::Display for Error {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Error::Argument => out.write_str("a size that this mode does not have"),
            Error::Entropy => out.write_str("the source of masks failed: start it again"),
            Error::Tag => out.write_str("the tag is not that of the message"),
            Error::Other(status) => write!(out, "status {status} of the C library"),
        }
    }
}

impl core::error::Error for Error {}

fn check(status: i32) -> Result<(), Error> {
    match status {
        c::OK => Ok(()),
        c::ARGUMENT => Err(Error::Argument),
        c::ENTROPY => Err(Error::Entropy),
        c::TAG => Err(Error::Tag),
        other => Err(Error::Other(other)),
    }
}
