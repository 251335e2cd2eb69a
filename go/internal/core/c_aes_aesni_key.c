//go:build cgo

/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../core/aes/aesni_key.c"
