//go:build cgo

/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../core/fast/words/workspace.c"
