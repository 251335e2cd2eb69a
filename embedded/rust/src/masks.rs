// SPDX-License-Identifier: Apache-2.0
//! Sources of masks.

use core::ffi::{c_int, c_void};
use core::marker::PhantomData;

use crate::{c, check, Error};

/// A source of uniform and independent bytes that no attacker knows.
pub trait Masks {
    /// Fills `out`, or fails in finite time. A word of hardware must be fresh, and free of errors.
    /// It must not panic: that ends the program.
    fn fill(&mut self, out: &mut [u8]) -> Result<(), Error>;
}

unsafe extern "C" fn fill<M: Masks>(context: *mut c_void, out: *mut u8, size: usize) -> c_int {
    // SAFETY: `source` put the address of an M there, which nothing else uses during the call.
    let masks = unsafe { &mut *context.cast::<M>() };
    if size == 0 {
        return status_of(masks.fill(&mut []));
    }
    // SAFETY: C gives `size` bytes. They are zeroed first, so that Rust sees no unset memory.
    let bytes = unsafe {
        core::ptr::write_bytes(out, 0, size);
        core::slice::from_raw_parts_mut(out, size)
    };
    status_of(masks.fill(bytes))
}

fn status_of(result: Result<(), Error>) -> c_int {
    match result {
        Ok(()) => c::OK,
        Err(Error::Other(status)) if status != c::OK => status,
        Err(_) => c::ENTROPY,
    }
}

/// The source as C takes it: for as long as `masks` is borrowed.
pub(crate) fn source<M: Masks>(masks: &mut M) -> c::Source {
    c::Source {
        fill: fill::<M>,
        context: (masks as *mut M).cast(),
    }
}

/// A raw source with the health tests of SP 800-90B, as `tally_noise` has them.
pub struct Tested<'a, M: Masks> {
    noise: c::Noise,
    raw: PhantomData<&'a mut M>,
}

impl<'a, M: Masks> Tested<'a, M> {
    /// Does the start-up test, which takes 1,024 words of the source.
    pub fn new(raw: &'a mut M) -> Result<Self, Error> {
        let mut noise = c::Noise {
            raw: source(raw),
            words: [0; 8],
        };
        let own = source(raw);
        // SAFETY: `noise` keeps the address of `raw`, which is borrowed for as long as this lives.
        check(unsafe { c::tally_noise_init(&mut noise, &own) })?;
        Ok(Tested {
            noise,
            raw: PhantomData,
        })
    }
}

impl<M: Masks> Masks for Tested<'_, M> {
    fn fill(&mut self, out: &mut [u8]) -> Result<(), Error> {
        // SAFETY: `noise` is a tally_noise, and its raw source is still borrowed.
        check(unsafe {
            c::tally_noise_fill(
                (&mut self.noise as *mut c::Noise).cast(),
                out.as_mut_ptr(),
                out.len(),
            )
        })
    }
}
