// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"sync/atomic"
)

// Budget is what all calls under one context may take together; a server makes one for each request.
type Budget struct {
	maxLayers, maxSymbols int64
	layers, symbols       atomic.Int64 // taken
}

// NewBudget returns a budget of so many layers of FAST, as fast.Tokenizer.Work estimates them, and of so many
// symbols: bytes of values. 0 is no bound.
func NewBudget(layers, symbols int64) *Budget {
	return &Budget{maxLayers: layers, maxSymbols: symbols}
}

// Symbols returns the symbols that were taken.
func (b *Budget) Symbols() int64 { return b.symbols.Load() }

type budgetKey struct{}

// WithBudget returns a context whose calls take from a budget. A call that needs more than is left
// returns a *WorkError before it does anything.
func WithBudget(ctx context.Context, budget *Budget) context.Context {
	return context.WithValue(ctx, budgetKey{}, budget)
}

// allow returns a *WorkError for more work than a call may take.
func (p *Protector) allow(ctx context.Context, layers, symbols int64) error {
	if p.maxWork > 0 && layers > p.maxWork {
		return &WorkError{layers, p.maxWork, "layers of FAST"}
	}
	budget, _ := ctx.Value(budgetKey{}).(*Budget)
	if budget == nil {
		return nil
	}
	if taken := budget.layers.Add(layers); budget.maxLayers > 0 && taken > budget.maxLayers {
		return &WorkError{taken, budget.maxLayers, "layers of FAST"}
	}
	if taken := budget.symbols.Add(symbols); budget.maxSymbols > 0 && taken > budget.maxSymbols {
		return &WorkError{taken, budget.maxSymbols, "symbols"}
	}
	return nil
}
