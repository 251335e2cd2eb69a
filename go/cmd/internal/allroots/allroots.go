// SPDX-License-Identifier: Apache-2.0

// Package allroots lets a program that imports it read all homes of root keys, if it is built with the tag allroots. The
// homes are modules of their own: without the tag, programs don't carry them, and go.mod does not name them. So the tag
// needs the workspace beside go.mod that has them all:
//
//	GOWORK=$PWD/go/cmd/allroots.work go build -C go/cmd -tags allroots ./tallystick ./tallystickd
package allroots
