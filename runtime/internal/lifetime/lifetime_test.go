package lifetime_test

import (
	"context"
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
		l.End()
		l.End()
		<-l.Done()
		if !l.Over() || l.Go(func(context.Context) { t.Error("a goroutine after the end") }) {
			t.Error("it goes on after its end")
		}
		if l.WaitFor(time.Millisecond); returned.Load() {
			t.Error("WaitFor waited for too long")
		}
		if l.Wait(); !returned.Load() {
			t.Error("Wait did not wait")
		}
		l.WaitFor(time.Hour)
	})
}
