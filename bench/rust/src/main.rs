// SPDX-License-Identifier: Apache-2.0

//! Runs the FF1 of the crate `fpe` for bench/foreign.py, which has the protocol.

use aes::{Aes128, Aes192, Aes256};
use fpe::ff1::{FF1, FlexibleNumeralString};
use std::io::{self, BufRead, Write};

/// Radices up to this have values of digits and letters.
const LETTERS: u32 = 36;

enum Cipher {
    Aes128(FF1<Aes128>),
    Aes192(FF1<Aes192>),
    Aes256(FF1<Aes256>),
}

impl Cipher {
    fn new(key: &[u8], radix: u32) -> Self {
        const ALLOWED: &str = "the radix is allowed";
        match key.len() {
            16 => Cipher::Aes128(FF1::new(key, radix).expect(ALLOWED)),
            24 => Cipher::Aes192(FF1::new(key, radix).expect(ALLOWED)),
            _ => Cipher::Aes256(FF1::new(key, radix).expect(ALLOWED)),
        }
    }

    fn apply(
        &self,
        decrypt: bool,
        tweak: &[u8],
        word: &FlexibleNumeralString,
    ) -> FlexibleNumeralString {
        match (self, decrypt) {
            (Cipher::Aes128(cipher), false) => cipher.encrypt(tweak, word),
            (Cipher::Aes192(cipher), false) => cipher.encrypt(tweak, word),
            (Cipher::Aes256(cipher), false) => cipher.encrypt(tweak, word),
            (Cipher::Aes128(cipher), true) => cipher.decrypt(tweak, word),
            (Cipher::Aes192(cipher), true) => cipher.decrypt(tweak, word),
            (Cipher::Aes256(cipher), true) => cipher.decrypt(tweak, word),
        }
        .expect("symbols of the radix, enough of them")
    }
}

fn word(value: &str, radix: u32) -> FlexibleNumeralString {
    let symbols: Vec<u16> = if radix <= LETTERS {
        let symbol = |letter: char| letter.to_digit(LETTERS).expect("a digit or a letter") as u16;
        value.chars().map(symbol).collect()
    } else {
        let symbol = |number: &str| number.parse().expect("a number");
        value.split(' ').map(symbol).collect()
    };
    symbols.into()
}

fn text(word: FlexibleNumeralString, radix: u32) -> String {
    let symbols = Vec::<u16>::from(word);
    if radix <= LETTERS {
        let letter = |symbol: u16| char::from_digit(u32::from(symbol), LETTERS).expect("a symbol");
        symbols.into_iter().map(letter).collect()
    } else {
        let numbers: Vec<String> = symbols.iter().map(u16::to_string).collect();
        numbers.join(" ")
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal"))
        .collect()
}

fn main() -> io::Result<()> {
    let mut lines = io::stdin().lock().lines();
    let mut next = || lines.next().unwrap_or(Ok(String::new()));
    let mut out = io::BufWriter::new(io::stdout().lock());
    loop {
        match next()?.as_str() {
            "ff1" => {}
            "" => return Ok(()),
            _ => return Err(io::Error::other("no cipher of this name")),
        }
        let key = bytes(&next()?);
        let radix = next()?.parse().expect("a radix");
        let tweak = bytes(&next()?);
        let cipher = Cipher::new(&key, radix);
        let apply = |decrypt: bool, values: &[String]| -> Vec<String> {
            let one =
                |value: &String| text(cipher.apply(decrypt, &tweak, &word(value, radix)), radix);
            values.iter().map(one).collect()
        };
        let mut values = Vec::new();
        loop {
            let value = next()?;
            if value.is_empty() {
                break;
            }
            values.push(value);
        }
        let (mut tokens, mut back) = (Vec::new(), Vec::new());
        loop {
            let command = next()?;
            match command.as_str() {
                "encrypt" => tokens = apply(false, &values),
                "each" => {
                    let own = |(tweak, value): (u32, &String)| {
                        let tweak = tweak.to_string();
                        text(cipher.apply(false, tweak.as_bytes(), &word(value, radix)), radix)
                    };
                    tokens = (10_000_001..).zip(&values).map(own).collect();
                }
                "decrypt" => back = apply(true, &tokens),
                "reveal" => back = apply(true, &values),
                "tokens" => tokens
                    .iter()
                    .try_for_each(|token| writeln!(out, "{token}"))?,
                "values" => back.iter().try_for_each(|value| writeln!(out, "{value}"))?,
                "open" => break,
                _ => return Ok(()),
            }
            if !["tokens", "values"].contains(&command.as_str()) {
                writeln!(out, "done")?;
            }
            out.flush()?;
        }
    }
}
