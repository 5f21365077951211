package observe_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/observe"
)

// A record keeps what an observer learns, in the order in which it has ended.
type record struct {
	trace observe.Trace // for what is sent

	mu    sync.Mutex
	ended []observe.Operation
	begun int
	wake  chan struct{}
}

func newRecord() *record { return &record{wake: make(chan struct{}, 1)} }

type seenKey struct{}

// Observe implements [observe.Observer].
func (r *record) Observe(ctx context.Context, o *observe.Operation) (context.Context, func()) {
	r.mu.Lock()
	r.begun++
	r.mu.Unlock()
	if o.Outgoing {
		o.Trace = r.trace
	}
	return context.WithValue(ctx, seenKey{}, o.Kind.String()), func() {
		r.mu.Lock()
		r.ended = append(r.ended, *o)
		r.mu.Unlock()
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
}

// all returns what has ended, as text.
func (r *record) all() (lines []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.ended {
		lines = append(lines, line(&r.ended[i]))
	}
	return lines
}

// line describes an operation but for what differs from one run to the next.
func line(o *observe.Operation) string {
	var b strings.Builder
	if o.Outgoing {
		b.WriteString("sent ")
	}
	fmt.Fprintf(&b, "%s %s", o.Kind, o.Outcome())
	for _, s := range []string{o.KnownMethod(), o.Name, o.URI, o.Principal} {
		if s != "" {
			b.WriteString(" " + s)
		}
	}
	return b.String()
}

// wait waits until something that begins like this has ended, and returns it.
func (r *record) wait(t *testing.T, prefix string) observe.Operation {
	t.Helper()
	timeout := time.After(time.Minute)
	for {
		r.mu.Lock()
		i := slices.IndexFunc(r.ended, func(o observe.Operation) bool { return strings.HasPrefix(line(&o), prefix) })
		if i >= 0 {
			defer r.mu.Unlock()
			return r.ended[i]
		}
		r.mu.Unlock()
		select {
		case <-r.wake:
		case <-timeout:
			t.Fatalf("no %q has ended, but %q", prefix, r.all())
		}
	}
}

// balanced waits until all that has begun has ended.
func (r *record) balanced(t *testing.T) {
	t.Helper()
	timeout := time.After(time.Minute)
	for {
		r.mu.Lock()
		begun, ended := r.begun, len(r.ended)
		r.mu.Unlock()
		if begun == ended {
			return
		}
		select {
		case <-r.wake:
		case <-timeout:
			t.Fatalf("%d have begun and %d have ended: %q", begun, ended, r.all())
		}
	}
}
