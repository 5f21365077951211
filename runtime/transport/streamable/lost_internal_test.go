package streamable

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/store"
)

// An appendOnly store counts what is appended to it.
type appendOnly struct {
	EventStore
	n int
}

func (a *appendOnly) Append(context.Context, string, string, []byte) (string, error) {
	a.n++
	return "r1-1", nil
}

// A session that was lost with its lease stores no more events: the same process may have continued it meanwhile, and
// then the store would take them for those of that.
func TestLostSessionStoresNothing(t *testing.T) {
	events := new(appendOnly)
	lost := &liveSession{stored: &storedSession{lease: new(store.Lease)}} // which is not valid
	f := &stream{h: &Handler{opts: Options{Events: events}}, session: lost, name: "r1"}
	if err := f.send(t.Context(), []byte("{}")); err != errNoConnection || events.n != 0 {
		t.Errorf("%v, and %d events are stored", err, events.n)
	}
	f.session = new(liveSession)
	if id := f.keep(t.Context(), []byte("{}")); id == "" || events.n != 1 {
		t.Errorf("a session without a lease: %q, %d events are stored", id, events.n)
	}
}
