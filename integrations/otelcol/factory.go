// SPDX-License-Identifier: Apache-2.0

package tallystickprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"
)

// Type is the name of the processor in a collector's configuration.
var Type = component.MustNewType("tallystick")

// NewFactory returns the factory, for a collector's list of components.
func NewFactory() processor.Factory {
	return processor.NewFactory(Type, func() component.Config { return defaults() },
		processor.WithLogs(newLogs, component.StabilityLevelAlpha),
		processor.WithTraces(newTraces, component.StabilityLevelAlpha),
		processor.WithMetrics(newMetrics, component.StabilityLevelAlpha))
}

func options(p *texts) []processorhelper.Option {
	return []processorhelper.Option{
		processorhelper.WithCapabilities(consumer.Capabilities{MutatesData: true}),
		processorhelper.WithStart(p.start),
		processorhelper.WithShutdown(p.shutdown),
	}
}

func newLogs(ctx context.Context, set processor.Settings, config component.Config, next consumer.Logs) (processor.Logs, error) {
	p, err := newTexts(set, config)
	if err != nil {
		return nil, err
	}
	return processorhelper.NewLogs(ctx, set, config, next, p.logs, options(p)...)
}

func newTraces(ctx context.Context, set processor.Settings, config component.Config, next consumer.Traces) (processor.Traces, error) {
	p, err := newTexts(set, config)
	if err != nil {
		return nil, err
	}
	return processorhelper.NewTraces(ctx, set, config, next, p.traces, options(p)...)
}

func newMetrics(ctx context.Context, set processor.Settings, config component.Config, next consumer.Metrics) (processor.Metrics, error) {
	p, err := newTexts(set, config)
	if err != nil {
		return nil, err
	}
	return processorhelper.NewMetrics(ctx, set, config, next, p.metrics, options(p)...)
}
