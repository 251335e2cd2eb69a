/* SPDX-License-Identifier: Apache-2.0
 *
 * Definitions for Frama-C, included before any file: it knows no alignment and no CPU
 * instructions. */
#define _Alignas(alignment)
#undef __x86_64__
#undef __SSE2__
