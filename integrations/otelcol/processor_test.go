// SPDX-License-Identifier: Apache-2.0

package tallystickprocessor_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	otelcol "github.com/tallystick/tallystick/integrations/otelcol"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
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

[kinds.card]
key = "people:2"
namespace = "card"
scan = ["card"]

[kinds.name]
key = "people:1"
namespace = "name"
words = ["Zoe Grant"]
`

// values are in every place that is processed; none may be left anywhere.
var values = []string{"zoe.grant@example.com", "Zoe Grant", "4111111111111111"}

// configuration returns one that was read as the collector reads it.
func configuration(t *testing.T, changes map[string]any) *otelcol.Config {
	t.Helper()
	file := filepath.Join(t.TempDir(), "text.toml")
	if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OTEL_TEST_ROOT", root)
	given := map[string]any{"text_policy": file, "keyring": ring, "root": "env:OTEL_TEST_ROOT"}
	for name, value := range changes {
		given[name] = value
	}
	made := otelcol.NewFactory().CreateDefaultConfig().(*otelcol.Config)
	if err := confmap.NewFromStringMap(given).Unmarshal(made); err != nil {
		t.Fatal(err)
	}
	if err := confmap.Validate(made); err != nil {
		t.Fatal(err)
	}
	return made
}

// The configuration in the guide is read, and works with files of this test.
func TestConfigurationOfTheGuide(t *testing.T) {
	page, err := os.ReadFile("../../docs/how-to/protect-telemetry.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "## Configure it")
	_, rest, _ = strings.Cut(rest, "```yaml")
	_, rest, _ = strings.Cut(rest, "\n")
	block, _, _ := strings.Cut(rest, "```")
	file := configuration(t, nil).TextPolicy
	block = strings.NewReplacer("/etc/tallystick/text.toml", file, "/etc/tallystick/text.keys", ring,
		"file:/etc/tallystick/root.key", "env:OTEL_TEST_ROOT").Replace(block)
	got, err := confmap.NewRetrievedFromYAML([]byte(block))
	if err != nil {
		t.Fatal(err)
	}
	all, err := got.AsConf()
	if err != nil {
		t.Fatal(err)
	}
	made, err := all.Sub("processors::tallystick")
	if err != nil || strings.Contains(block, "/etc") || len(made.ToStringMap()) != 3 {
		t.Fatal(block, err)
	}
	h := start(t, made.ToStringMap())
	if err := h.feed(someLogs()); err != nil {
		t.Fatal(err)
	}
	inClear(t, "logs", logText(t, h.logs.AllLogs()[0]))
}

// harness has a processor of each signal, with what comes out of it.
type harness struct {
	logs      *consumertest.LogsSink
	traces    *consumertest.TracesSink
	metrics   *consumertest.MetricsSink
	feed      func(plog.Logs) error
	spans     func(ptrace.Traces) error
	points    func(pmetric.Metrics) error
	telemetry *componenttest.Telemetry
}

func start(t *testing.T, changes map[string]any) *harness {
	t.Helper()
	ctx, config, factory := context.Background(), configuration(t, changes), otelcol.NewFactory()
	h := &harness{logs: new(consumertest.LogsSink), traces: new(consumertest.TracesSink), metrics: new(consumertest.MetricsSink),
		telemetry: componenttest.NewTelemetry()}
	t.Cleanup(func() { _ = h.telemetry.Shutdown(ctx) })
	set := processortest.NewNopSettings(otelcol.Type)
	set.TelemetrySettings = h.telemetry.NewTelemetrySettings()
	logs, err := factory.CreateLogs(ctx, set, config, h.logs)
	if err != nil {
		t.Fatal(err)
	}
	traces, err := factory.CreateTraces(ctx, set, config, h.traces)
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := factory.CreateMetrics(ctx, set, config, h.metrics)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []component.Component{logs, traces, metrics} {
		if err := one.Start(ctx, componenttest.NewNopHost()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := one.Shutdown(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	h.feed = func(data plog.Logs) error { return logs.ConsumeLogs(ctx, data) }
	h.spans = func(data ptrace.Traces) error { return traces.ConsumeTraces(ctx, data) }
	h.points = func(data pmetric.Metrics) error { return metrics.ConsumeMetrics(ctx, data) }
	return h
}

// counted returns a counter of the processor.
func (h *harness) counted(t *testing.T, name string) (sum int64) {
	t.Helper()
	found, err := h.telemetry.GetMetric(name)
	if err != nil {
		return 0
	}
	for _, point := range found.Data.(metricdata.Sum[int64]).DataPoints {
		sum += point.Value
	}
	return sum
}

// fill puts values into all types of an attribute.
func fill(m pcommon.Map) {
	m.PutStr("text", "Zoe Grant <zoe.grant@example.com> paid with 4111 1111 1111 1111")
	m.PutInt("number", 4111111111111111)
	m.PutInt("small", 7)
	m.PutDouble("double", 4111111111111111)
	m.PutBool("yes", true)
	m.PutEmptyBytes("bytes").FromRaw([]byte("Zoe Grant"))
	m.PutEmpty("nothing")
	list := m.PutEmptySlice("list")
	list.AppendEmpty().SetStr("Zoe Grant")
	list.AppendEmpty().SetEmptyMap().PutStr("deep", "zoe.grant@example.com")
}

func someLogs() plog.Logs {
	data := plog.NewLogs()
	r := data.ResourceLogs().AppendEmpty()
	fill(r.Resource().Attributes())
	s := r.ScopeLogs().AppendEmpty()
	fill(s.Scope().Attributes())
	l := s.LogRecords().AppendEmpty()
	l.SetEventName("mail to Zoe Grant")
	l.Body().SetStr("refused: Zoe Grant, zoe.grant@example.com")
	fill(l.Attributes())
	fill(s.LogRecords().AppendEmpty().Body().SetEmptyMap())
	return data
}

func someTraces() ptrace.Traces {
	data := ptrace.NewTraces()
	r := data.ResourceSpans().AppendEmpty()
	fill(r.Resource().Attributes())
	s := r.ScopeSpans().AppendEmpty()
	fill(s.Scope().Attributes())
	span := s.Spans().AppendEmpty()
	span.SetName("GET /users/zoe.grant@example.com")
	span.Status().SetMessage("Zoe Grant is unknown")
	fill(span.Attributes())
	event := span.Events().AppendEmpty()
	event.SetName("mail to Zoe Grant")
	fill(event.Attributes())
	fill(span.Links().AppendEmpty().Attributes())
	return data
}

func someMetrics() pmetric.Metrics {
	data := pmetric.NewMetrics()
	r := data.ResourceMetrics().AppendEmpty()
	fill(r.Resource().Attributes())
	s := r.ScopeMetrics().AppendEmpty()
	fill(s.Scope().Attributes())
	add := func() pmetric.Metric {
		m := s.Metrics().AppendEmpty()
		m.SetDescription("calls of Zoe Grant")
		fill(m.Metadata())
		return m
	}
	gauge := add().SetEmptyGauge().DataPoints().AppendEmpty()
	sum := add().SetEmptySum().DataPoints().AppendEmpty()
	histogram := add().SetEmptyHistogram().DataPoints().AppendEmpty()
	exponential := add().SetEmptyExponentialHistogram().DataPoints().AppendEmpty()
	fill(add().SetEmptySummary().DataPoints().AppendEmpty().Attributes())
	add()
	for _, m := range []pcommon.Map{gauge.Attributes(), sum.Attributes(), histogram.Attributes(), exponential.Attributes()} {
		fill(m)
	}
	for _, e := range []pmetric.ExemplarSlice{gauge.Exemplars(), sum.Exemplars(), histogram.Exemplars(), exponential.Exemplars()} {
		fill(e.AppendEmpty().FilteredAttributes())
	}
	return data
}

// written is data as JSON of OTLP, which has everything in it.
func written(t *testing.T, marshal func() ([]byte, error)) string {
	t.Helper()
	made, err := marshal()
	if err != nil {
		t.Fatal(err)
	}
	return string(made)
}

func logText(t *testing.T, data plog.Logs) string {
	return written(t, func() ([]byte, error) { return (&plog.JSONMarshaler{}).MarshalLogs(data) })
}

func traceText(t *testing.T, data ptrace.Traces) string {
	return written(t, func() ([]byte, error) { return (&ptrace.JSONMarshaler{}).MarshalTraces(data) })
}

func metricText(t *testing.T, data pmetric.Metrics) string {
	return written(t, func() ([]byte, error) { return (&pmetric.JSONMarshaler{}).MarshalMetrics(data) })
}

func inClear(t *testing.T, what, made string) {
	t.Helper()
	for _, value := range append(values, "4111 1111 1111 1111", "4.111111111111111e+15", "Wm9lIEdyYW50" /* base64 */) {
		if strings.Contains(made, value) {
			t.Errorf("%s have a value in clear", what)
		}
	}
	if !strings.Contains(made, `"7"`) || !strings.Contains(made, "⟦name:") {
		t.Errorf("%s: %s", what, made)
	}
}

// Everything is protected in one pipeline, and revealed in another one.
func TestProtectAndReveal(t *testing.T) {
	h := start(t, nil)
	if err := errors.Join(h.feed(someLogs()), h.spans(someTraces()), h.points(someMetrics())); err != nil {
		t.Fatal(err)
	}
	logs, traces, metrics := h.logs.AllLogs()[0], h.traces.AllTraces()[0], h.metrics.AllMetrics()[0]
	inClear(t, "logs", logText(t, logs))
	inClear(t, "traces", traceText(t, traces))
	inClear(t, "metrics", metricText(t, metrics))
	if got := h.counted(t, "otelcol_processor_tallystick_changed_texts"); got < 100 {
		t.Errorf("%d texts are counted", got)
	}

	once := logText(t, logs)
	if err := h.feed(logs); err != nil || logText(t, h.logs.AllLogs()[1]) != once {
		t.Error("what was protected is changed when it is protected again", err)
	}

	log := filepath.Join(t.TempDir(), "reveals.ndjson")
	back := start(t, map[string]any{"mode": "reveal", "reveal_log": log})
	if err := errors.Join(back.feed(logs), back.spans(traces), back.points(metrics)); err != nil {
		t.Fatal(err)
	}
	// Numbers that were protected are text.
	texts := strings.NewReplacer(`{"intValue":"4111111111111111"}`, `{"stringValue":"4111111111111111"}`,
		`{"doubleValue":4111111111111111}`, `{"stringValue":"4111111111111111"}`)
	for _, pair := range [][2]string{
		{logText(t, back.logs.AllLogs()[0]), logText(t, someLogs())},
		{traceText(t, back.traces.AllTraces()[0]), traceText(t, someTraces())},
		{metricText(t, back.metrics.AllMetrics()[0]), metricText(t, someMetrics())},
	} {
		if pair[0] != texts.Replace(pair[1]) {
			t.Errorf("revealed: %.2000s\nwas: %.2000s", pair[0], texts.Replace(pair[1]))
		}
	}
	if lines, err := os.ReadFile(log); err != nil || strings.Count(string(lines), "\n") != 3 {
		t.Errorf("the log of reveals: %s, %v", lines, err)
	}
}

// broken has a record that can't be processed, and one that can.
func broken() plog.Logs {
	data := plog.NewLogs()
	records := data.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	records.AppendEmpty().Attributes().PutEmptyBytes("raw").FromRaw([]byte("Zoe Grant \xff"))
	records.AppendEmpty().Body().SetStr("Zoe Grant")
	return data
}

func TestRefuse(t *testing.T) {
	h := start(t, nil)
	err := h.feed(broken())
	if err == nil || !consumererror.IsPermanent(err) || !strings.Contains(err.Error(), `attribute "raw"`) || strings.Contains(err.Error(), "Zoe") {
		t.Errorf("the error: %v", err)
	}
	if got := h.counted(t, "otelcol_processor_tallystick_failed_items"); got != 1 || h.logs.LogRecordCount() != 0 {
		t.Errorf("%d failures, %d records went on", got, h.logs.LogRecordCount())
	}
}

// What fails in many places of one item, or deep within it, has a short error, which takes no time or memory to make.
func TestShortErrors(t *testing.T) {
	bad := func(m pcommon.Map) { m.PutEmptyBytes("raw").FromRaw([]byte{0xff}) }
	deep, name := plog.NewLogs(), strings.Repeat("k", 1000)
	inner := deep.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Attributes()
	spans, points := ptrace.NewTraces(), pmetric.NewMetrics()
	span := spans.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	sum := points.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptySum().DataPoints().AppendEmpty()
	for range 1000 {
		bad(span.Events().AppendEmpty().Attributes())
		bad(span.Links().AppendEmpty().Attributes())
		bad(sum.Exemplars().AppendEmpty().FilteredAttributes())
		inner = inner.PutEmptyMap(name)
	}
	inner.PutEmptyBytes(name).FromRaw([]byte{0xff})
	h := start(t, nil)
	for _, err := range []error{h.feed(deep), h.spans(spans), h.points(points)} {
		if err == nil || len(err.Error()) > 300 || !strings.Contains(err.Error(), "attribute") {
			t.Errorf("the error: %.1000v", err)
		}
	}
}

func TestDrop(t *testing.T) {
	h := start(t, map[string]any{"on_error": "drop"})
	if err := h.feed(broken()); err != nil || h.logs.LogRecordCount() != 1 || strings.Contains(logText(t, h.logs.AllLogs()[0]), "Zoe") {
		t.Errorf("%v, %d records", err, h.logs.LogRecordCount())
	}
	data := broken()
	data.ResourceLogs().At(0).Resource().Attributes().PutEmptyBytes("raw").FromRaw([]byte{0xff})
	if err := h.feed(data); err != nil || h.logs.LogRecordCount() != 1 || len(h.logs.AllLogs()) != 1 {
		t.Errorf("%v, %d records after a resource that fails", err, h.logs.LogRecordCount())
	}
	if got := h.counted(t, "otelcol_processor_tallystick_failed_items"); got != 3 {
		t.Errorf("%d failures", got)
	}
}

// Nothing is revealed if the log of reveals can't be written.
func TestNoRevealWithoutItsLog(t *testing.T) {
	h := start(t, nil)
	if err := h.feed(someLogs()); err != nil {
		t.Fatal(err)
	}
	back := start(t, map[string]any{"mode": "reveal", "reveal_log": t.TempDir()})
	if err := back.feed(h.logs.AllLogs()[0]); !consumererror.IsPermanent(err) || back.logs.LogRecordCount() != 0 {
		t.Errorf("%v, %d records", err, back.logs.LogRecordCount())
	}
}

func TestConfigurations(t *testing.T) {
	good := map[string]any{"text_policy": "p", "keyring": "k", "root": "file:r"}
	for name, value := range map[string]any{
		"text_policy": "", "keyring": "", "root": "", "mode": "x", "context": "html", "on_error": "pass", "reveal_log": "x",
	} {
		given := otelcol.NewFactory().CreateDefaultConfig()
		raw := confmap.NewFromStringMap(good)
		if err := errors.Join(raw.Merge(confmap.NewFromStringMap(map[string]any{name: value})), raw.Unmarshal(given)); err != nil {
			t.Fatal(err)
		}
		if err := confmap.Validate(given); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := confmap.NewFromStringMap(map[string]any{"fail_open": true}).Unmarshal(otelcol.NewFactory().CreateDefaultConfig()); err == nil {
		t.Error("an option that does not exist is accepted")
	}
}

func TestDoesNotStart(t *testing.T) {
	for name, value := range map[string]any{"text_policy": "none", "keyring": "none", "root": "env:NONE_OF_THESE", "anchor": "none/none"} {
		made, err := otelcol.NewFactory().CreateLogs(context.Background(), processortest.NewNopSettings(otelcol.Type),
			configuration(t, map[string]any{name: value}), new(consumertest.LogsSink))
		if err != nil {
			t.Fatal(err)
		}
		if err := made.Start(context.Background(), componenttest.NewNopHost()); err == nil {
			t.Errorf("it starts with another %s", name)
		}
		if err := made.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// The collector's own test: everything comes out before the end of Shutdown, and nothing after it.
func TestShutdown(t *testing.T) {
	processortest.VerifyShutdown(t, otelcol.NewFactory(), configuration(t, nil))
}
