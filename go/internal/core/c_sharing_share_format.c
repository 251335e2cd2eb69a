//go:build cgo

/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../core/sharing/share_format.c"
