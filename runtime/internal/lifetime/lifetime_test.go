package lifetime_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/lifetime"
)

type key struct{}

func TestLifetime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
		l := lifetime.New(parent)
		cancel()
		if l.Over() || l.Context().Err() != nil {
			t.Error("it ended with the context that it has the values of")
		}
		var returned atomic.Bool
		if !l.Go(func(ctx context.Context) {
			if ctx.Value(key{}) != "value" {
				t.Error("the goroutine does not have the values")
			}
			<-ctx.Done()
			time.Sleep(time.Second)
			returned.Store(true)
		}) {
			t.Error("no goroutine, although it has not ended")
		}
		l.End(nil)
		l.End(nil)
		<-l.Done()
		if !l.Over() || l.Go(func(context.Context) { t.Error("a goroutine after the end") }) {
			t.Error("it goes on after its end")
		}
		begun := time.Now()
		if l.WaitFor(time.Millisecond); returned.Load() || time.Since(begun) != time.Millisecond {
			t.Errorf("WaitFor waited for %s", time.Since(begun))
		}
		if l.Wait(); !returned.Load() {
			t.Error("Wait did not wait")
		}
		begun = time.Now()
		if l.WaitFor(time.Hour); time.Since(begun) != 0 {
			t.Errorf("WaitFor waited for %s, and there was nothing to wait for", time.Since(begun))
		}
	})
}

func TestUntil(t *testing.T) {
	reason := errors.New("a reason")
	outer := lifetime.New(t.Context())
	inner, own := lifetime.Until(outer.Context()), lifetime.Until(outer.Context())
	own.End(nil)
	if outer.End(reason); !inner.Over() || inner.Err() != reason {
		t.Errorf("the inner one ended with %v, want the reason of the outer one", inner.Err())
	}
	if !own.Over() || own.Err() != nil {
		t.Errorf("what ended before has the reason %v, want none", own.Err())
	}
	if inner.End(nil); inner.Err() != reason {
		t.Errorf("ended again, it has the reason %v", inner.Err())
	}
	ctx, cancel := context.WithCancel(t.Context())
	live := lifetime.Until(ctx)
	if live.Err() != nil || live.Over() {
		t.Error("it has ended before its context")
	}
	if cancel(); !live.Over() || live.Err() != nil {
		t.Errorf("it ended with its context, for the reason %v, want none", live.Err())
	}
}
