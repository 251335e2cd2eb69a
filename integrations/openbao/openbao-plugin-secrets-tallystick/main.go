// SPDX-License-Identifier: Apache-2.0

// Command openbao-plugin-secrets-tallystick is a secrets engine for OpenBao and Vault, which start it. See
// docs/reference/openbao.md.
package main

import (
	"os"
	"runtime/debug"

	"github.com/hashicorp/go-hclog"
	"github.com/openbao/openbao/sdk/v2/plugin"

	openbao "github.com/tallystick/tallystick/integrations/openbao"
)

func main() {
	// Batches leave much garbage and the heap is small. Collecting it four times less often costs some megabytes.
	debug.SetGCPercent(400)
	// The server reads these lines into its own log.
	log := hclog.New(&hclog.LoggerOptions{Level: hclog.Info, Output: os.Stderr, JSONFormat: true})
	err := refuseDumps()
	if err == nil {
		err = plugin.ServeMultiplex(&plugin.ServeOpts{BackendFactoryFunc: openbao.Factory, Logger: log})
	}
	if err != nil {
		log.Error("the plugin ends", "error", err)
		os.Exit(1)
	}
}
