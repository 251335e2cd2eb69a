// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are counted for Prometheus. Their labels are routes, columns of the policy and statuses.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	values   *prometheus.CounterVec
	reloads  *prometheus.CounterVec
	working  prometheus.Gauge
	handler  http.Handler
}

func newMetrics() *metrics {
	registry := prometheus.NewRegistry()
	made := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tallystickd_requests_total", Help: "Requests by route and status.",
		}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "tallystickd_request_seconds", Help: "Time from a request's header to the end of its answer.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 25},
		}, []string{"route"}),
		values: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tallystickd_values_total", Help: "Values of answered requests, by operation and column.",
		}, []string{"operation", "column"}),
		reloads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tallystickd_reloads_total", Help: "Reloads, done or failed.",
		}, []string{"result"}),
		working: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "tallystickd_requests_working", Help: "Requests that are worked on.",
		}),
	}
	registry.MustRegister(made.requests, made.seconds, made.values, made.reloads, made.working,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	made.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return made
}
