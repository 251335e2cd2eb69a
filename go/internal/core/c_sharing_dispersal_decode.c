//go:build cgo

/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../core/sharing/dispersal_decode.c"
