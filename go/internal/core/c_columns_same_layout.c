//go:build cgo

/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../core/columns/same_layout.c"
