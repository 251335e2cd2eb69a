// SPDX-License-Identifier: Apache-2.0
//! Published vectors, and what must happen where the source of masks fails.

use tallystick_masked::{encrypt_once, refresh_shares, Error, Key, KeyMemory, Masks, Tested};

/// Words of splitmix64, and a number of bytes after which it fails.
struct Source {
    state: u64,
    left: usize,
}

impl Source {
    fn new() -> Self {
        Source {
            state: 1,
            left: usize::MAX,
        }
    }
}

impl Masks for Source {
    fn fill(&mut self, out: &mut [u8]) -> Result<(), Error> {
        if out.len() > self.left {
            return Err(Error::Entropy);
        }
        self.left -= out.len();
        for byte in out {
            self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.state;
            z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            *byte = (z >> 56) as u8;
        }
        Ok(())
    }
}

struct Stuck;

impl Masks for Stuck {
    fn fill(&mut self, out: &mut [u8]) -> Result<(), Error> {
        out.fill(7);
        Ok(())
    }
}

fn hex<const N: usize>(text: &str) -> [u8; N] {
    assert_eq!(text.len(), 2 * N);
    core::array::from_fn(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap())
}

fn split(key: [u8; 16]) -> [[u8; 16]; 2] {
    let mut mask = [0; 16];
    Source { state: 9, left: 16 }.fill(&mut mask).unwrap();
    [core::array::from_fn(|i| key[i] ^ mask[i]), mask]
}

// FIPS 197, C.1 and B.
const BLOCKS: [(&str, &str, &str); 2] = [
    (
        "000102030405060708090a0b0c0d0e0f",
        "00112233445566778899aabbccddeeff",
        "69c4e0d86a7b0430d8cdb78070b4c55a",
    ),
    (
        "2b7e151628aed2a6abf7158809cf4f3c",
        "3243f6a8885a308d313198a2e0370734",
        "3925841d02dc09fbdc118597196a0b32",
    ),
];
// SP 800-38A and RFC 4493 have one key and one plaintext.
const KEY: &str = "2b7e151628aed2a6abf7158809cf4f3c";
const MESSAGE: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51";

#[test]
fn blocks_of_fips_197() {
    let mut masks = Source::new();
    for (key, plain, cipher) in BLOCKS {
        let shares = split(hex(key));
        let (mut one, mut other) = (KeyMemory::new(), KeyMemory::new());
        let mut shared = Key::from_shares([&shares[0], &shares[1]], &mut masks, &mut one).unwrap();
        let clear = Key::new(&hex(key), &mut masks, &mut other).unwrap();
        for _ in 0..2 {
            let mut blocks = [hex(plain); 3];
            shared.encrypt_blocks(&mut masks, &mut blocks).unwrap();
            assert_eq!(blocks, [hex(cipher); 3]);
            clear.decrypt_blocks(&mut masks, &mut blocks).unwrap();
            assert_eq!(blocks, [hex(plain); 3]);
            shared.refresh(&mut masks).unwrap();
        }
        let mut block = hex(plain);
        encrypt_once([&shares[0], &shares[1]], &mut masks, &mut block).unwrap();
        assert_eq!(block, hex(cipher));
    }
}

#[test]
fn new_shares_of_a_stored_key() {
    let mut masks = Source::new();
    let (key, plain, cipher) = BLOCKS[0];
    let before = split(hex(key));
    let [mut a, mut b] = before;
    refresh_shares([&mut a, &mut b], &mut masks).unwrap();
    assert_ne!([a, b], before);
    let mut block = hex(plain);
    encrypt_once([&a, &b], &mut masks, &mut block).unwrap();
    assert_eq!(block, hex(cipher));
}

#[test]
fn modes_of_sp_800_38a_and_rfc_4493() {
    let mut masks = Source::new();
    let mut memory = KeyMemory::new();
    let key = Key::new(&hex(KEY), &mut masks, &mut memory).unwrap();
    let message: [u8; 32] = hex(MESSAGE);

    let mut counter = hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"); // F.5.1
    let mut data = message;
    key.ctr(&mut masks, &mut counter, &mut data).unwrap();
    let expected: [u8; 32] =
        hex("874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff");
    assert_eq!(data, expected);
    assert_eq!(counter, hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdff01"));

    let mut iv = hex("000102030405060708090a0b0c0d0e0f"); // F.2.1
    let mut data = message;
    key.cbc_encrypt(&mut masks, &mut iv, &mut data).unwrap();
    let expected: [u8; 32] =
        hex("7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2");
    assert_eq!(data, expected);
    let mut iv = hex("000102030405060708090a0b0c0d0e0f");
    key.cbc_decrypt(&mut masks, &mut iv, &mut data).unwrap();
    assert_eq!(data, message);
    assert_eq!(
        key.cbc_encrypt(&mut masks, &mut iv, &mut data[..17]),
        Err(Error::Argument)
    );

    let tag = key.cmac(&mut masks, &[]).unwrap(); // RFC 4493, examples 1 and 2
    assert_eq!(tag, hex("bb1d6929e95937287fa37d129b756746"));
    let tag = key.cmac(&mut masks, &message[..16]).unwrap();
    assert_eq!(tag, hex("070a16b46b4d4144f79bdd9dd04a287c"));
    key.cmac_verify(&mut masks, &message[..16], &tag[..8])
        .unwrap();
    assert_eq!(
        key.cmac_verify(&mut masks, &message[..15], &tag),
        Err(Error::Tag)
    );
    assert_eq!(
        key.cmac_verify(&mut masks, &message[..16], &tag[..3]),
        Err(Error::Argument)
    );
}

fn bytes_of(memory: &KeyMemory) -> Vec<u8> {
    let size = core::mem::size_of::<KeyMemory>();
    // SAFETY: it is an array of integers.
    unsafe { core::slice::from_raw_parts((memory as *const KeyMemory).cast(), size) }.to_vec()
}

#[test]
fn a_dropped_key_is_wiped() {
    let mut masks = Source::new();
    let mut memory = KeyMemory::new();
    let at = &memory as *const KeyMemory;
    let key = Key::new(&hex(KEY), &mut masks, &mut memory).unwrap();
    // SAFETY: nothing writes to it now.
    assert_ne!(
        bytes_of(unsafe { &*at }),
        vec![0; core::mem::size_of::<KeyMemory>()]
    );
    drop(key);
    assert_eq!(
        bytes_of(&memory),
        vec![0; core::mem::size_of::<KeyMemory>()]
    );
}

#[test]
fn a_source_that_fails_ends_the_operation_and_wipes() {
    let mut memory = KeyMemory::new();
    for left in [0, 16, 1000] {
        let mut masks = Source { state: 1, left };
        assert_eq!(
            Key::new(&hex(KEY), &mut masks, &mut memory).err(),
            Some(Error::Entropy)
        );
        assert!(bytes_of(&memory).iter().all(|&byte| byte == 0));
    }
    let key = Key::new(&hex(KEY), &mut Source::new(), &mut memory).unwrap();
    for left in [0, 31, 32, 1000] {
        let mut masks = Source { state: 1, left };
        let mut blocks = [[1; 16]; 2];
        assert_eq!(
            key.encrypt_blocks(&mut masks, &mut blocks),
            Err(Error::Entropy)
        );
        assert_eq!(blocks, [[0; 16]; 2]);
    }
}

#[test]
fn a_stuck_source_fails_its_health_tests() {
    assert_eq!(Tested::new(&mut Stuck).err(), Some(Error::Entropy));
    let mut source = Source::new();
    let mut masks = Tested::new(&mut source).unwrap();
    let mut memory = KeyMemory::new();
    let key = Key::new(&hex(KEY), &mut masks, &mut memory).unwrap();
    let tag = key.cmac(&mut masks, &[]).unwrap();
    assert_eq!(tag, hex("bb1d6929e95937287fa37d129b756746"));
    // One that fails later fails for good.
    let mut source = Source {
        state: 1,
        left: 4096 + 8,
    };
    let mut masks = Tested::new(&mut source).unwrap();
    masks.fill(&mut [0; 8]).unwrap();
    for _ in 0..2 {
        let mut out = [1; 4];
        assert_eq!(masks.fill(&mut out), Err(Error::Entropy));
        assert_eq!(out, [0; 4]);
    }
}
