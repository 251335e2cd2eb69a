//go:build cgo

/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../core/fast/words/words_rows.c"
