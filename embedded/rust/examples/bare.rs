// SPDX-License-Identifier: Apache-2.0
//! A program without the standard library; it ends with 0 if a block of FIPS 197 is right.
#![no_std]
#![no_main]

use core::ffi::c_int;
use tallystick_masked::{encrypt_once, Error, Masks};

#[cfg_attr(not(target_os = "none"), link(name = "c"))]
extern "C" {}

/// A counter: it protects nothing.
struct Counter(u8);

impl Masks for Counter {
    fn fill(&mut self, out: &mut [u8]) -> Result<(), Error> {
        for byte in out {
            self.0 = self.0.wrapping_mul(5).wrapping_add(1);
            *byte = self.0;
        }
        Ok(())
    }
}

#[no_mangle]
pub extern "C" fn main() -> c_int {
    let key: [u8; 16] = core::array::from_fn(|i| i as u8);
    let mut block: [u8; 16] = core::array::from_fn(|i| 17 * i as u8);
    let done = encrypt_once([&key, &[0; 16]], &mut Counter(1), &mut block);
    let right = [
        0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5,
        0x5a,
    ];
    c_int::from(done.is_err() || block != right)
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
