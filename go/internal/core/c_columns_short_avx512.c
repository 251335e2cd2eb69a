//go:build cgo

/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../core/columns/short_avx512.c"
