// SPDX-License-Identifier: Apache-2.0

//! Times the crate `aes`, which takes VAES by itself where the CPU has it, for bench/aes.py, like
//! ../../../aes.c. Each line is a JSON object: the work, who does it, its bytes, and nanoseconds.

use aes::cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes256};
use std::hint::black_box;

const ENOUGH: f64 = 4e6;

unsafe extern "C" {
    fn clock_gettime(clock: i32, time: *mut [i64; 2]) -> i32;
}

/// Nanoseconds that this thread has run, as ../../../clock.h has them: CLOCK_THREAD_CPUTIME_ID.
fn worked() -> f64 {
    let mut time = [0i64; 2];
    // SAFETY: a timespec of Linux on 64 bits is two numbers.
    let result = unsafe { clock_gettime(3, &mut time) };
    assert_eq!(result, 0, "there is no clock");
    time[0] as f64 * 1e9 + time[1] as f64
}

const SIZES: [(usize, &str); 7] = [
    (16, "16 bytes"),
    (32, "32 bytes"),
    (64, "64 bytes"),
    (256, "256 bytes"),
    (1024, "1 KiB"),
    (4096, "4 KiB"),
    (16384, "16 KiB"),
];
const KEY: [u8; 16] = *b"\x2b\x7e\x15\x16\x28\xae\xd2\xa6\xab\xf7\x15\x88\x09\xcf\x4f\x3c";
const PLAIN: [u8; 16] = *b"\x32\x43\xf6\xa8\x88\x5a\x30\x8d\x31\x31\x98\xa2\xe0\x37\x07\x34";
const CIPHER: [u8; 16] = *b"\x39\x25\x84\x1d\x02\xdc\x09\xfb\xdc\x11\x85\x97\x19\x6a\x0b\x32";

fn measure(work: &str, mut run: impl FnMut(usize)) {
    for (size, name) in SIZES {
        let together = (1 << 20) / size;
        let (start, mut calls) = (worked(), 0u32);
        while worked() - start < ENOUGH {
            for _ in 0..together {
                run(size / 16);
            }
            calls += together as u32;
        }
        let ns = (worked() - start) / f64::from(calls);
        println!(
            "{{\"work\": \"{work}, {name}\", \"by\": \"aes (Rust)\", \"bytes\": {size}, \"ns\": {ns:.6}}}"
        );
    }
}

fn main() {
    let aes_128 = Aes128::new(&KEY.into());
    let mut block: Block<Aes128> = PLAIN.into();
    aes_128.encrypt_block(&mut block);
    assert_eq!(block[..], CIPHER, "a block is wrong");

    let mut long = [0u8; 32];
    long[..16].copy_from_slice(&KEY);
    let aes_256 = Aes256::new(&long.into());
    let mut data = vec![Block::<Aes128>::default(); 1024];
    measure("AES-128 encrypt", |blocks| {
        aes_128.encrypt_blocks(black_box(&mut data[..blocks]));
    });
    measure("AES-128 decrypt", |blocks| {
        aes_128.decrypt_blocks(black_box(&mut data[..blocks]));
    });
    measure("AES-256 encrypt", |blocks| {
        aes_256.encrypt_blocks(black_box(&mut data[..blocks]));
    });
}
