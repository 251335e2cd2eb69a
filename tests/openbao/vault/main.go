// SPDX-License-Identifier: Apache-2.0

// Command vault is the core of Vault 1.14, the last under an open license, with its API over HTTP, its barrier, its
// catalog of plugins and its audit log to files. It leaves out the engines that are built in, which take most of the
// time of Vault's own build. `make vault` tests the plugin on it.
package main

import (
	"flag"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/vault/audit"
	"github.com/hashicorp/vault/builtin/audit/file"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	physical "github.com/hashicorp/vault/sdk/physical/file"
	"github.com/hashicorp/vault/vault"
)

// none is the registry of a server in which no plugin is built in.
type none struct{}

func (none) Contains(string, consts.PluginType) bool                           { return false }
func (none) Get(string, consts.PluginType) (func() (interface{}, error), bool) { return nil, false }
func (none) Keys(consts.PluginType) []string                                   { return nil }
func (none) IsBuiltinEntPlugin(string, consts.PluginType) bool                 { return false }
func (none) DeprecationStatus(string, consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Unknown, false
}

func main() {
	address := flag.String("address", "", "where it listens, of loopback")
	storage := flag.String("storage", "", "its folder")
	plugins := flag.String("plugins", "", "the folder of plugins")
	flag.Parse()
	logger := hclog.New(&hclog.LoggerOptions{Level: hclog.Info, Output: os.Stderr})
	store, err := physical.NewFileBackend(map[string]string{"path": *storage}, logger)
	if err != nil {
		log.Fatal(err)
	}
	core, err := vault.NewCore(&vault.CoreConfig{
		Physical:           store,
		BuiltinRegistry:    none{},
		LogicalBackends:    map[string]logical.Factory{},
		CredentialBackends: map[string]logical.Factory{},
		AuditBackends:      map[string]audit.Factory{"file": file.Factory},
		PluginDirectory:    *plugins,
		DisableMlock:       true,
		Logger:             logger,
	})
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		handler := vaulthttp.Handler.Handler(&vault.HandlerProperties{
			Core:           core,
			ListenerConfig: &configutil.Listener{MaxRequestSize: 32 << 20, MaxRequestDuration: time.Minute},
		})
		log.Fatal(http.Serve(listener, handler))
	}()
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM, syscall.SIGINT)
	<-end
	if err := core.Shutdown(); err != nil {
		log.Fatal(err)
	}
}
