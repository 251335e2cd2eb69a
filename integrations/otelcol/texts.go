// SPDX-License-Identifier: Apache-2.0

package tallystickprocessor

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/policy"
	"github.com/tallystick/tallystick/go/reveals"
	"github.com/tallystick/tallystick/go/text"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"
)

var contexts = map[string]text.Context{"text": text.Plain, "json": text.JSON, "html": text.HTML}

func known(context string) bool { _, ok := contexts[context]; return ok }

// texts processes the texts of one pipeline.
type texts struct {
	config    *Config
	log       *zap.Logger
	protector *text.Protector
	reveals   *reveals.Log // nil: there is none
	kinds     []string
	ring      string
	revision  uint32
	changed   metric.Int64Counter // values that were protected or revealed
	failed    metric.Int64Counter // items that did not pass
	labels    metric.MeasurementOption
}

func newTexts(set processor.Settings, config component.Config) (*texts, error) {
	p := &texts{config: config.(*Config), log: set.Logger}
	meter := set.MeterProvider.Meter("github.com/tallystick/tallystick/integrations/otelcol")
	p.labels = metric.WithAttributeSet(attribute.NewSet(attribute.String("processor", set.ID.String())))
	var err, other error
	p.changed, err = meter.Int64Counter("otelcol_processor_tallystick_changed_texts",
		metric.WithDescription("Texts with values that were protected, or tokens that were revealed."))
	p.failed, other = meter.Int64Counter("otelcol_processor_tallystick_failed_items",
		metric.WithDescription("Log records, spans and data points, or their resources, that did not pass because of an error."))
	return p, errors.Join(err, other)
}

// start reads the policy and opens the key ring. The collector does not start if that fails.
func (p *texts) start(ctx context.Context, _ component.Host) error {
	rules, err := text.LoadPolicy(p.config.TextPolicy)
	if err != nil {
		return err
	}
	source, err := keyring.ParseRoot(p.config.Root)
	if err != nil {
		return err
	}
	ring, err := keyring.OpenContext(ctx, p.config.Keyring, source)
	if err != nil {
		return err
	}
	defer ring.Close()
	if p.config.Anchor != "" {
		if err := ring.FollowAnchor(p.config.Anchor); err != nil {
			return err
		}
	}
	reveal := p.config.Mode == "reveal"
	made, err := rules.Open(ring, text.OpenOptions{Scope: p.config.Scope, ProtectOnly: !reveal})
	if err != nil {
		return err
	}
	// A key without the right is an error now, and not for each batch.
	if reveal {
		_, err = made.Reveal("", text.Plain)
	} else {
		for _, kind := range rules.Kinds() {
			if _, failed := made.Token(kind, "x"); failed != nil {
				err = failed
			}
		}
	}
	if err != nil {
		made.Close()
		return err
	}
	if p.config.RevealLog != "" {
		p.reveals = reveals.New(p.config.RevealLog, "opentelemetry collector")
	}
	p.protector, p.kinds, p.ring, p.revision = made, rules.Kinds(), ring.ID(), ring.Revision()
	return nil
}

func (p *texts) shutdown(context.Context) error {
	if p.protector != nil {
		p.protector.Close()
	}
	return nil
}

// batch is the work on one batch.
type batch struct {
	*texts
	restorer *text.Restorer // nil: values are protected
	changes  int64
	failures int64
	err      error // the first one
}

// run works on a batch, and returns the error that its sender gets. work returns how many items are left. Errors are
// permanent: the batch is changed already.
func (p *texts) run(ctx context.Context, work func(b *batch) int) error {
	b := &batch{texts: p}
	if p.config.Mode == "reveal" {
		var err error
		if b.restorer, err = p.protector.Restorer(contexts[p.config.Context]); err != nil {
			return consumererror.NewPermanent(err)
		}
		defer b.restorer.Close()
	}
	left := work(b)
	p.failed.Add(ctx, b.failures, p.labels)
	if b.err != nil && p.config.OnError == "refuse" {
		return consumererror.NewPermanent(b.err)
	}
	if b.err != nil {
		p.log.Error("items are dropped that can't be processed", zap.Int64("items", b.failures), zap.Error(b.err))
	}
	if err := p.record(ctx, b); err != nil {
		return consumererror.NewPermanent(fmt.Errorf("the log of reveals can't be written: %w", err))
	}
	p.changed.Add(ctx, b.changes, p.labels)
	if left == 0 && b.err != nil {
		return processorhelper.ErrSkipProcessingData // nothing goes on, and the sender gets no error
	}
	return nil
}

// record writes to the log of reveals, before values go on.
func (p *texts) record(ctx context.Context, b *batch) error {
	if p.reveals == nil {
		return nil
	}
	tokens, _ := b.restorer.Counts()
	if tokens == 0 {
		return nil
	}
	return p.reveals.Hook(ctx, policy.Reveal{Columns: p.kinds, Rows: int(tokens), Ring: p.ring, Revision: p.revision})
}

// fails notes an item that can't be processed, and says whether there is an error.
func (b *batch) fails(err error) bool {
	if err != nil {
		b.failures++
		if b.err == nil {
			b.err = err
		}
	}
	return err != nil
}

// text returns a text as it goes on.
func (b *batch) text(given string) (made string, err error) {
	if b.restorer == nil {
		made, err = b.protector.ProtectFound(given)
	} else {
		var out []byte
		if out, err = b.restorer.Feed([]byte(given)); err == nil {
			var rest []byte
			rest, err = b.restorer.Finish()
			made = string(append(out, rest...))
		}
	}
	if err == nil && made != given {
		b.changes++
	}
	return made, err
}

// set processes a text that is not an attribute.
func (b *batch) set(given string, set func(string)) error {
	made, err := b.text(given)
	if err == nil && made != given {
		set(made)
	}
	return err
}

// value processes a value and all within it. A number in which a value is found becomes text.
func (b *batch) value(v pcommon.Value) error {
	switch v.Type() {
	case pcommon.ValueTypeStr, pcommon.ValueTypeInt, pcommon.ValueTypeDouble:
		return b.set(v.AsString(), v.SetStr)
	case pcommon.ValueTypeBytes:
		given := v.Bytes().AsRaw()
		if !utf8.Valid(given) {
			return errBytes
		}
		return b.set(string(given), func(made string) { v.Bytes().FromRaw([]byte(made)) })
	case pcommon.ValueTypeMap:
		return b.attributes(v.Map())
	case pcommon.ValueTypeSlice:
		for _, item := range v.Slice().All() {
			if err := b.value(item); err != nil {
				return err
			}
		}
	}
	return nil
}

// attributes processes the values of a map. Its keys are names, and stay.
func (b *batch) attributes(m pcommon.Map) error {
	for key, v := range m.All() {
		if err := b.value(v); err != nil {
			if _, named := err.(*attributeError); !named {
				err = &attributeError{key, err}
			}
			return err
		}
	}
	return nil
}

// attributeError names the innermost attribute alone, as maps may be thousands deep.
type attributeError struct {
	name string
	err  error
}

func (e *attributeError) Error() string { return fmt.Sprintf("attribute %.64q: %v", e.name, e.err) }

func (e *attributeError) Unwrap() error { return e.err }

// errBytes names no value.
var errBytes = errors.New("bytes that are no UTF-8 text can't be processed; remove the attribute before this processor")
