// SPDX-License-Identifier: Apache-2.0

package tallystickprocessor

import (
	"context"
	"errors"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// list is one of pdata's slices.
type list[T any] interface{ RemoveIf(func(T) bool) }

// each processes all of a list, and removes what fails.
func each[T any](b *batch, all list[T], process func(T) error) {
	all.RemoveIf(func(one T) bool { return b.fails(process(one)) })
}

func (p *texts) logs(ctx context.Context, data plog.Logs) (plog.Logs, error) {
	return data, p.run(ctx, func(b *batch) int {
		each(b, data.ResourceLogs(), func(r plog.ResourceLogs) error {
			each(b, r.ScopeLogs(), func(s plog.ScopeLogs) error {
				each(b, s.LogRecords(), func(l plog.LogRecord) error {
					return errors.Join(b.set(l.EventName(), l.SetEventName), b.value(l.Body()), b.attributes(l.Attributes()))
				})
				return b.attributes(s.Scope().Attributes())
			})
			return b.attributes(r.Resource().Attributes())
		})
		return data.LogRecordCount()
	})
}

func (p *texts) traces(ctx context.Context, data ptrace.Traces) (ptrace.Traces, error) {
	return data, p.run(ctx, func(b *batch) int {
		each(b, data.ResourceSpans(), func(r ptrace.ResourceSpans) error {
			each(b, r.ScopeSpans(), func(s ptrace.ScopeSpans) error {
				each(b, s.Spans(), b.span)
				return b.attributes(s.Scope().Attributes())
			})
			return b.attributes(r.Resource().Attributes())
		})
		return data.SpanCount()
	})
}

// span returns the first error alone: a span with many events would have as many, in a text that takes their number squared.
func (b *batch) span(s ptrace.Span) error {
	err := errors.Join(b.set(s.Name(), s.SetName), b.set(s.Status().Message(), s.Status().SetMessage), b.attributes(s.Attributes()))
	for _, event := range s.Events().All() {
		if err == nil {
			err = errors.Join(b.set(event.Name(), event.SetName), b.attributes(event.Attributes()))
		}
	}
	for _, link := range s.Links().All() {
		if err == nil {
			err = b.attributes(link.Attributes())
		}
	}
	return err
}

func (p *texts) metrics(ctx context.Context, data pmetric.Metrics) (pmetric.Metrics, error) {
	return data, p.run(ctx, func(b *batch) int {
		each(b, data.ResourceMetrics(), func(r pmetric.ResourceMetrics) error {
			each(b, r.ScopeMetrics(), func(s pmetric.ScopeMetrics) error {
				each(b, s.Metrics(), b.metric)
				return b.attributes(s.Scope().Attributes())
			})
			return b.attributes(r.Resource().Attributes())
		})
		return data.DataPointCount()
	})
}

func (b *batch) metric(m pmetric.Metric) error {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		points(b, m.Gauge().DataPoints())
	case pmetric.MetricTypeSum:
		points(b, m.Sum().DataPoints())
	case pmetric.MetricTypeHistogram:
		points(b, m.Histogram().DataPoints())
	case pmetric.MetricTypeExponentialHistogram:
		points(b, m.ExponentialHistogram().DataPoints())
	case pmetric.MetricTypeSummary:
		each(b, m.Summary().DataPoints(), func(p pmetric.SummaryDataPoint) error { return b.attributes(p.Attributes()) })
	case pmetric.MetricTypeEmpty:
	default:
		return errMetric
	}
	return errors.Join(b.set(m.Description(), m.SetDescription), b.attributes(m.Metadata()))
}

var errMetric = errors.New("a metric is of a type that is not known, so it can't be processed")

type point interface {
	Attributes() pcommon.Map
	Exemplars() pmetric.ExemplarSlice
}

func points[T point](b *batch, all list[T]) {
	each(b, all, func(p T) error {
		err := b.attributes(p.Attributes())
		for _, exemplar := range p.Exemplars().All() {
			if err == nil {
				err = b.attributes(exemplar.FilteredAttributes())
			}
		}
		return err
	})
}
