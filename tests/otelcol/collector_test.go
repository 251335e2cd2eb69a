// SPDX-License-Identifier: Apache-2.0

// Package collector starts OpenTelemetry's collector with the processor: OTLP comes in over a socket.
package collector

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tallystick "github.com/tallystick/tallystick/integrations/otelcol"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry"
)

// A ring of the tests of go/keyring, and its root key.
const (
	ring = "../../go/keyring/testdata/people.keys"
	root = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
)

const rules = `
[kinds.email]
key = "people:1"
namespace = "e-mail"
scan = ["email"]

[kinds.name]
key = "people:1"
namespace = "name"
words = ["Zoe Grant"]
`

const configuration = `yaml:
receivers: {otlp: {protocols: {http: {endpoint: %[1]q}}}}
processors:
  tallystick/in: {text_policy: %[2]q, keyring: %[3]q, root: "env:OTEL_TEST_ROOT"}
  tallystick/out: {text_policy: %[2]q, keyring: %[3]q, root: "env:OTEL_TEST_ROOT", mode: reveal}
exporters: {kept/tokens: {}, kept/values: {}}
service:
  pipelines:
    logs/tokens: {receivers: [otlp], processors: [tallystick/in], exporters: [kept/tokens]}
    logs/values: {receivers: [otlp], processors: [tallystick/in, tallystick/out], exporters: [kept/values]}
`

// kept is an exporter that stores what it gets.
type kept struct {
	component.StartFunc
	component.ShutdownFunc
	*consumertest.LogsSink
}

// address returns one of this machine that nothing listens on.
func address(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// start runs a collector until the end of the test, and returns what its exporters get.
func start(t *testing.T, endpoint string) map[string]*consumertest.LogsSink {
	file := filepath.Join(t.TempDir(), "text.toml")
	if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OTEL_TEST_ROOT", root)
	sinks := map[string]*consumertest.LogsSink{"tokens": {}, "values": {}}
	type none struct{}
	exporters := exporter.NewFactory(component.MustNewType("kept"), func() component.Config { return &none{} },
		exporter.WithLogs(func(_ context.Context, set exporter.Settings, _ component.Config) (exporter.Logs, error) {
			return kept{LogsSink: sinks[set.ID.Name()]}, nil
		}, component.StabilityLevelStable))
	receivers, processors := otlpreceiver.NewFactory(), tallystick.NewFactory()
	collector, err := otelcol.NewCollector(otelcol.CollectorSettings{
		BuildInfo: component.NewDefaultBuildInfo(),
		Factories: func() (otelcol.Factories, error) {
			return otelcol.Factories{
				Receivers:  map[component.Type]receiver.Factory{receivers.Type(): receivers},
				Processors: map[component.Type]processor.Factory{processors.Type(): processors},
				Exporters:  map[component.Type]exporter.Factory{exporters.Type(): exporters},
				Telemetry:  telemetry.NewFactory(func() component.Config { return &none{} }),
			}, nil
		},
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			URIs:              []string{fmt.Sprintf(configuration, endpoint, file, ring)},
			ProviderFactories: []confmap.ProviderFactory{yamlprovider.NewFactory()},
		}},
		DisableGracefulShutdown: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- collector.Run(context.Background()) }()
	for deadline := time.Now().Add(time.Minute); collector.GetState() != otelcol.StateRunning; time.Sleep(10 * time.Millisecond) {
		select {
		case err := <-ended:
			t.Fatal("the collector ended: ", err)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatal("the collector does not start")
		}
	}
	t.Cleanup(func() {
		collector.Shutdown()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return sinks
}

// send posts logs in chunks of a few bytes, and returns the status and the answer.
func send(t *testing.T, endpoint string, data plog.Logs) (status int, answer string) {
	whole, err := plogotlp.NewExportRequestFromLogs(data).MarshalProto()
	if err != nil {
		t.Fatal(err)
	}
	connection, err := net.Dial("tcp", endpoint)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	fmt.Fprintf(connection, "POST /v1/logs HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-protobuf\r\n"+
		"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
	for size := 1; len(whole) > 0; size = size%7 + 1 {
		part := whole[:min(size, len(whole))]
		whole = whole[len(part):]
		if _, err := fmt.Fprintf(connection, "%x\r\n%s\r\n", len(part), part); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Fprint(connection, "0\r\n\r\n")
	text, err := io.ReadAll(connection)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(string(text), "HTTP/1.1 %d ", &status); err != nil {
		t.Fatal(err)
	}
	return status, string(text)
}

func written(t *testing.T, data plog.Logs) string {
	made, err := (&plog.JSONMarshaler{}).MarshalLogs(data)
	if err != nil {
		t.Fatal(err)
	}
	return string(made)
}

func TestCollector(t *testing.T) {
	endpoint := address(t)
	sinks := start(t, endpoint)
	data := plog.NewLogs()
	resource := data.ResourceLogs().AppendEmpty()
	resource.Resource().Attributes().PutStr("user.name", "Zoe Grant")
	record := resource.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	record.Body().SetStr("refused: Zoe Grant, zoe.grant@example.com")
	record.Attributes().PutEmptySlice("to").AppendEmpty().SetStr("zoe.grant@example.com")
	if status, answer := send(t, endpoint, data); status != http.StatusOK {
		t.Fatal(answer)
	}
	tokens, values := sinks["tokens"].AllLogs(), sinks["values"].AllLogs()
	if len(tokens) != 1 || len(values) != 1 {
		t.Fatalf("%d and %d batches", len(tokens), len(values))
	}
	made := written(t, tokens[0])
	if strings.Contains(strings.ToLower(made), "zoe") || strings.Count(made, "⟦name:") != 2 || strings.Count(made, "⟦email:") != 2 {
		t.Error(made)
	}
	if back := written(t, values[0]); back != written(t, data) {
		t.Error(back)
	}

	// A batch that can't be processed: its sender gets an error, and nothing goes on.
	record.Attributes().PutEmptyBytes("raw").FromRaw([]byte("Zoe Grant \xff"))
	status, answer := send(t, endpoint, data)
	if status < 400 || strings.Contains(answer, "Zoe") || !strings.Contains(answer, "raw") {
		t.Error(answer)
	}
	if sinks["tokens"].LogRecordCount() != 1 || sinks["values"].LogRecordCount() != 1 {
		t.Error("a batch went on that can't be processed")
	}
}
