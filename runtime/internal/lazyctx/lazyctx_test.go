package lazyctx

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// A Context is like any other context for those who look at it.
func TestContext(t *testing.T) {
	type key struct{}
	why := errors.New("why")
	for name, test := range map[string]func(t *testing.T, l *Context){
		"untouched": func(t *testing.T, l *Context) {
			l.End(why)
			if l.cancel != nil {
				t.Error("the context was made without need")
			}
		},
		"Err before and after": func(t *testing.T, l *Context) {
			if l.Err() != nil {
				t.Error(l.Err())
			}
			l.End(why)
			if l.Err() != context.Canceled || l.cancel != nil {
				t.Errorf("%v, made: %v", l.Err(), l.cancel != nil)
			}
		},
		"Done before": func(t *testing.T, l *Context) {
			done := l.Done()
			if l.Done() != done {
				t.Error("it ends in two ways")
			}
			select {
			case <-done:
				t.Error("done")
			default:
			}
			l.End(why)
			<-done
			if l.Err() != context.Canceled || context.Cause(l) != why {
				t.Errorf("%v, cause %v", l.Err(), context.Cause(l))
			}
		},
		"Done after": func(t *testing.T, l *Context) {
			l.End(why)
			l.End(errors.New("too late"))
			<-l.Done()
			if context.Cause(l) != why {
				t.Error(context.Cause(l))
			}
		},
		"Cause without Done": func(t *testing.T, l *Context) {
			if context.Cause(l) != nil {
				t.Error(context.Cause(l))
			}
			l.End(why)
			if context.Cause(l) != why {
				t.Error(context.Cause(l))
			}
		},
		"child": func(t *testing.T, l *Context) {
			before := runtime.NumGoroutine()
			child, cancel := context.WithCancel(l)
			defer cancel()
			if n := runtime.NumGoroutine(); n != before {
				t.Errorf("the child takes %d goroutines", n-before)
			}
			l.End(why)
			<-child.Done()
			if context.Cause(child) != why {
				t.Error(context.Cause(child))
			}
		},
		"child with a deadline": func(t *testing.T, l *Context) {
			child, cancel := context.WithTimeout(l, time.Second)
			defer cancel()
			<-child.Done()
			if child.Err() != context.DeadlineExceeded || l.Err() != nil {
				t.Errorf("%v, %v", child.Err(), l.Err())
			}
		},
		"AfterFunc": func(t *testing.T, l *Context) {
			called := make(chan bool)
			context.AfterFunc(l, func() { close(called) })
			l.End(why)
			<-called
		},
		"Value": func(t *testing.T, l *Context) {
			if l.Value(key{}) != "value" || l.cancel != nil {
				t.Errorf("%v, made: %v", l.Value(key{}), l.cancel != nil)
			}
		},
		"Deadline": func(t *testing.T, l *Context) {
			if d, ok := l.Deadline(); !ok || time.Until(d) != time.Minute {
				t.Error(d, ok)
			}
		},
		"end of the parent": func(t *testing.T, l *Context) {
			time.Sleep(time.Minute + 1)
			if l.Err() != context.DeadlineExceeded || l.cancel != nil {
				t.Error(l.Err())
			}
			<-l.Done()
			if context.Cause(l) != context.DeadlineExceeded {
				t.Error(context.Cause(l))
			}
		},
		"timeout": func(t *testing.T, l *Context) {
			l.Timeout = time.Second
			start := time.Now()
			if d, ok := l.Deadline(); !ok || time.Until(d) != time.Second {
				t.Error(d, ok)
			}
			<-l.Done()
			if time.Since(start) != time.Second || context.Cause(l) != errTimeout || !l.TimedOut() || l.Err() != context.DeadlineExceeded {
				t.Errorf("after %v: %v, cause %v", time.Since(start), l.Err(), context.Cause(l))
			}
			if l.End(why); l.Err() != context.DeadlineExceeded {
				t.Errorf("it has ended a second time: %v", l.Err())
			}
		},
		"detached": func(t *testing.T, l *Context) {
			l.Detached = true
			time.Sleep(2 * time.Minute)
			if l.Parent.Err() == nil || l.Err() != nil {
				t.Errorf("before it is real: %v", l.Err())
			}
			if context.Cause(l) != nil {
				t.Errorf("cause %v", context.Cause(l))
			}
			if d, ok := l.Deadline(); ok {
				t.Errorf("deadline %v", d)
			}
			if l.Value(key{}) != "value" || l.Err() != nil {
				t.Errorf("%v, %v", l.Value(key{}), l.Err())
			}
			l.End(nil)
			if l.Err() == nil {
				t.Error("it does not end")
			}
		},
		"no timeout after the end": func(t *testing.T, l *Context) {
			l.Timeout = time.Second
			l.Done()
			l.End(nil)
			time.Sleep(2 * time.Second)
			if l.TimedOut() {
				t.Error("stuck")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				parent, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, "value"), time.Minute)
				defer cancel()
				test(t, &Context{Parent: parent})
			})
		})
	}
}
