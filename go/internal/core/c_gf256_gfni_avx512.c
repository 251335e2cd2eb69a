//go:build cgo

/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../core/gf256/gfni_avx512.c"
