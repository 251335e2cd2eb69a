//go:build cgo

/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../core/aes/bitslice_ssse3.c"
