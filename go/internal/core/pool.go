// SPDX-License-Identifier: Apache-2.0

package core

import "runtime"

// Close wipes the pool, now or when the calls that are at work end.
func (p *Pool) Close() {
	if p == nil {
		return
	}
	p.cleanup.Stop()
	p.lender.close()
	runtime.KeepAlive(p)
}

// take lends a worker; of a pool that is nil there is none.
func (p *Pool) take() (*worker, error) {
	if p == nil {
		return nil, ErrClosed
	}
	return p.lender.take()
}
