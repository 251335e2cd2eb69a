// SPDX-License-Identifier: Apache-2.0

//! Times the crates `blahaj` and `vsss-rs` (its GF(2^8)) for bench/sharing.py, like
//! ../../go/sharing/main.go. Each line is a JSON object: the work, who does it, the bytes of secret
//! that it is about, and nanoseconds.

use blahaj::{Share, Sharks};
use std::hint::black_box;
use std::time::{Duration, Instant};
use vsss_rs::Gf256;

const ENOUGH: Duration = Duration::from_millis(4);

fn measure<T>(work: &str, by: &str, bytes: usize, mut run: impl FnMut() -> T) -> T {
    let mut result = run();
    let (start, mut calls) = (Instant::now(), 0u32);
    while start.elapsed() < ENOUGH {
        result = black_box(run());
        calls += 1;
    }
    let ns = start.elapsed().as_nanos() as f64 / f64::from(calls);
    println!("{{\"work\": \"{work}\", \"by\": \"{by}\", \"bytes\": {bytes}, \"ns\": {ns:.6}}}");
    result
}

fn share(size: usize, amount: &str, threshold: u8, count: u8) {
    let secret = vec![7u8; size];
    let about = if size > 1000 { size } else { 0 };
    let split = format!("split, {amount}, {threshold} of {count}");
    let combine = format!("combine, {amount}, {threshold} of {count}");

    let sharks = Sharks(threshold);
    let shares: Vec<Share> = measure(&split, "blahaj (Rust)", about, || {
        sharks.dealer(&secret).take(usize::from(count)).collect()
    });
    let some = &shares[..usize::from(threshold)];
    let back = measure(&combine, "blahaj (Rust)", about, || {
        sharks.recover(some).expect("there are enough shares")
    });
    assert_eq!(back, secret, "a secret did not come back");

    let (low, high) = (usize::from(threshold), usize::from(count));
    let shares = measure(&split, "vsss-rs (Rust)", about, || {
        Gf256::split_bytes(low, high, &secret, rand::rng()).expect("it can be split")
    });
    let back = measure(&combine, "vsss-rs (Rust)", about, || {
        Gf256::combine_bytes(&shares[..low]).expect("there are enough shares")
    });
    assert_eq!(back, secret, "a secret did not come back");
}

fn main() {
    share(1 << 20, "1 MB", 2, 5);
    share(1 << 20, "1 MB", 3, 5);
    share(32, "32 bytes", 2, 5);
    share(32, "32 bytes", 6, 10);
    share(32, "32 bytes", 128, 255);
}
