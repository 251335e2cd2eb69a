//go:build cgo

/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../core/sharing/gf256_gfni_avx512.c"
