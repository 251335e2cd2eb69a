/* SPDX-License-Identifier: Apache-2.0
 *
 * Which architecture's back ends can be compiled: those that need intrinsics with function-level
 * target attributes, which are GCC's and Clang's. */
#ifndef TALLY_BASE_ARCH_H
#define TALLY_BASE_ARCH_H

#if defined(__GNUC__) && defined(__x86_64__)
#define TALLY_ARCH_X86_64 1
#endif

/* Little-endian alone: in vectors of the other byte order bytes have other places. */
#if defined(__GNUC__) && defined(__AARCH64EL__)
#define TALLY_ARCH_AARCH64 1
#endif

/* A module of WebAssembly has SIMD128 as a whole or not at all: there is nothing to detect. */
#if defined(__wasm_simd128__)
#define TALLY_ARCH_WASM_SIMD128 1
#endif

#endif
