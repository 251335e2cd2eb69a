// SPDX-License-Identifier: Apache-2.0

package main

import "golang.org/x/sys/unix"

const termiosRequest = unix.TCGETS
