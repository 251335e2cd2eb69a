//go:build cgo

/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../core/columns/one_value.c"
