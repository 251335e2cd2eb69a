// SPDX-License-Identifier: Apache-2.0

package awskms_test

import (
	"testing"

	"github.com/tallystick/tallystick/go/internal/homes"
	"github.com/tallystick/tallystick/go/roots/awskms"
)

func TestHome(t *testing.T) { homes.Test(t, "aws-kms", awskms.New, true) }

func TestNames(t *testing.T) {
	homes.Refuse(t, awskms.New, "", "people", "alias/", "arn:aws:kms:eu-central-1:1:key/x", "alias/a b")
}
