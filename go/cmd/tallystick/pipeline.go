// SPDX-License-Identifier: Apache-2.0

package main

// inOrder makes a result of each thing that next gives, in several goroutines, and finishes the results in their order.
// It ends with the first error in that order. next returns false at the end; at most 2 * threads + 1 things are held.
func inOrder[T, R any](threads int, next func() (T, bool, error), act func(T) (R, error), finish func(R) error) error {
	type done struct {
		result R
		err    error
	}
	slots, quit := make(chan chan done, 2*threads), make(chan struct{})
	workers := make(chan struct{}, threads)
	defer close(quit) // what is under way is not waited for: next may read a pipe that does not end
	go func() {
		defer close(slots)
		for {
			one, more, err := next()
			if err == nil && !more {
				return
			}
			slot := make(chan done, 1)
			select {
			case slots <- slot:
			case <-quit:
				return
			}
			if err != nil {
				slot <- done{err: err}
				return
			}
			select {
			case workers <- struct{}{}:
			case <-quit:
				return
			}
			go func() {
				defer func() { <-workers }()
				result, err := act(one)
				slot <- done{result, err}
			}()
		}
	}()
	for slot := range slots {
		one := <-slot
		if one.err == nil {
			one.err = finish(one.result)
		}
		if one.err != nil {
			return one.err
		}
	}
	return nil
}
