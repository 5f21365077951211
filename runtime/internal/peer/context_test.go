package peer

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// A lazyContext is like any other context for those who look at it.
func TestLazyContext(t *testing.T) {
	type key struct{}
	why := errors.New("why")
	for name, test := range map[string]func(t *testing.T, l *lazyContext){
		"untouched": func(t *testing.T, l *lazyContext) {
			l.end(why)
			if l.ctx != nil {
				t.Error("the context was made without need")
			}
		},
		"Err before and after": func(t *testing.T, l *lazyContext) {
			if l.Err() != nil {
				t.Error(l.Err())
			}
			l.end(why)
			if l.Err() != context.Canceled || l.ctx != nil {
				t.Errorf("%v, made: %v", l.Err(), l.ctx != nil)
			}
		},
		"Done before": func(t *testing.T, l *lazyContext) {
			done := l.Done()
			select {
			case <-done:
				t.Error("done")
			default:
			}
			l.end(why)
			<-done
			if l.Err() != context.Canceled || context.Cause(l) != why {
				t.Errorf("%v, cause %v", l.Err(), context.Cause(l))
			}
		},
		"Done after": func(t *testing.T, l *lazyContext) {
			l.end(why)
			l.end(errors.New("too late"))
			<-l.Done()
			if context.Cause(l) != why {
				t.Error(context.Cause(l))
			}
		},
		"Cause without Done": func(t *testing.T, l *lazyContext) {
			if context.Cause(l) != nil {
				t.Error(context.Cause(l))
			}
			l.end(why)
			if context.Cause(l) != why {
				t.Error(context.Cause(l))
			}
		},
		"child": func(t *testing.T, l *lazyContext) {
			before := runtime.NumGoroutine()
			child, cancel := context.WithCancel(l)
			defer cancel()
			if n := runtime.NumGoroutine(); n != before {
				t.Errorf("the child takes %d goroutines", n-before)
			}
			l.end(why)
			<-child.Done()
			if context.Cause(child) != why {
				t.Error(context.Cause(child))
			}
		},
		"child with a deadline": func(t *testing.T, l *lazyContext) {
			child, cancel := context.WithTimeout(l, time.Second)
			defer cancel()
			<-child.Done()
			if child.Err() != context.DeadlineExceeded || l.Err() != nil {
				t.Errorf("%v, %v", child.Err(), l.Err())
			}
		},
		"AfterFunc": func(t *testing.T, l *lazyContext) {
			called := make(chan bool)
			context.AfterFunc(l, func() { close(called) })
			l.end(why)
			<-called
		},
		"Value": func(t *testing.T, l *lazyContext) {
			if l.Value(key{}) != "value" {
				t.Error(l.Value(key{}))
			}
		},
		"Deadline": func(t *testing.T, l *lazyContext) {
			if d, ok := l.Deadline(); !ok || time.Until(d) != time.Minute {
				t.Error(d, ok)
			}
		},
		"end of the parent": func(t *testing.T, l *lazyContext) {
			time.Sleep(time.Minute + 1)
			if l.Err() != context.DeadlineExceeded || l.ctx != nil {
				t.Error(l.Err())
			}
			<-l.Done()
			if context.Cause(l) != context.DeadlineExceeded {
				t.Error(context.Cause(l))
			}
		},
		"timeout": func(t *testing.T, l *lazyContext) {
			l.timeout = time.Second
			start := time.Now()
			if d, ok := l.Deadline(); !ok || time.Until(d) != time.Second {
				t.Error(d, ok)
			}
			<-l.Done()
			if time.Since(start) != time.Second || context.Cause(l) != errStuck || !l.isStuck() || l.Err() != context.DeadlineExceeded {
				t.Errorf("after %v: %v, cause %v", time.Since(start), l.Err(), context.Cause(l))
			}
			l.end(nil)
		},
		"detached": func(t *testing.T, l *lazyContext) {
			l.detached = true
			time.Sleep(2 * time.Minute)
			if l.parent.Err() == nil || l.Err() != nil {
				t.Errorf("before it is real: %v", l.Err())
			}
			if d, ok := l.Deadline(); ok {
				t.Errorf("deadline %v", d)
			}
			if l.Value(key{}) != "value" || l.Err() != nil {
				t.Errorf("%v, %v", l.Value(key{}), l.Err())
			}
			l.end(nil)
			if l.Err() == nil {
				t.Error("it does not end")
			}
		},
		"no timeout after the end": func(t *testing.T, l *lazyContext) {
			l.timeout = time.Second
			l.Done()
			l.end(nil)
			time.Sleep(2 * time.Second)
			if l.isStuck() {
				t.Error("stuck")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				parent, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, "value"), time.Minute)
				defer cancel()
				test(t, &lazyContext{parent: parent})
			})
		})
	}
}
