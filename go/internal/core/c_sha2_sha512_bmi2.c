//go:build cgo

/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../core/sha2/sha512_bmi2.c"
