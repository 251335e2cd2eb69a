/* SPDX-License-Identifier: Apache-2.0
 *
 * What Frama-C must be told before any file: it knows no alignment, and no instructions of a CPU. */
#define _Alignas(alignment)
#undef __x86_64__
#undef __SSE2__
