//go:build cgo

/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../core/aes/vaes_avx2.c"
