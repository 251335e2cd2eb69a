// SPDX-License-Identifier: Apache-2.0

//! Runs the FF1 of the crate `fpe` for bench/foreign.py, like ../../go/main.go.
//!
//! Standard input: the cipher (ff1), a key in hexadecimal, values of decimal digits, one a line
//! each, and an empty line. Then commands: encrypt and decrypt go over all values and answer "done";
//! tokens and values print the results of these, one a line.

use aes::Aes128;
use fpe::ff1::{FF1, FlexibleNumeralString};
use std::io::{self, BufRead, Write};

fn word(value: &str) -> FlexibleNumeralString {
    let digits: Vec<u16> = value.bytes().map(|byte| u16::from(byte - b'0')).collect();
    digits.into()
}

fn text(word: FlexibleNumeralString) -> String {
    Vec::<u16>::from(word)
        .into_iter()
        .map(|digit| char::from(b'0' + digit as u8))
        .collect()
}

fn main() -> io::Result<()> {
    let mut lines = io::stdin().lock().lines();
    let mut next = || lines.next().unwrap_or(Ok(String::new()));
    if next()? != "ff1" {
        return Err(io::Error::other("no cipher of this name"));
    }
    let hex = next()?;
    let key: Vec<u8> = (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("the key is hexadecimal"))
        .collect();
    let cipher = FF1::<Aes128>::new(&key, 10).expect("the radix is allowed");
    let mut values = Vec::new();
    loop {
        let value = next()?;
        if value.is_empty() {
            break;
        }
        values.push(value);
    }
    let (mut tokens, mut back) = (Vec::new(), Vec::new());
    let mut out = io::BufWriter::new(io::stdout().lock());
    loop {
        match next()?.as_str() {
            "encrypt" => {
                let encrypt = |value: &String| cipher.encrypt(&[], &word(value)).map(text);
                tokens = values
                    .iter()
                    .map(encrypt)
                    .collect::<Result<_, _>>()
                    .expect("digits");
                writeln!(out, "done")?;
            }
            "decrypt" => {
                let decrypt = |token: &String| cipher.decrypt(&[], &word(token)).map(text);
                back = tokens
                    .iter()
                    .map(decrypt)
                    .collect::<Result<_, _>>()
                    .expect("digits");
                writeln!(out, "done")?;
            }
            "tokens" => tokens
                .iter()
                .try_for_each(|token| writeln!(out, "{token}"))?,
            "values" => back.iter().try_for_each(|value| writeln!(out, "{value}"))?,
            _ => return Ok(()),
        }
        out.flush()?;
    }
}
