// Package sharedtest tests whether what several processes share does what sessions need. It is for the authors of stores.
package sharedtest

import (
	"context"
	"errors"
	"testing"

	"github.com/mcpgen/mcpgen/cluster/shared"
	"github.com/mcpgen/mcpgen/cluster/store/storetest"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// Events tests that a store does what [shared.Events] says. Open returns a new store, as seen by two processes, and closes
// it with t.Cleanup.
func Events(t *testing.T, open func(t *testing.T) (a, b shared.Events)) {
	storetest.Events(t, func(t *testing.T) streamable.EventStore {
		a, _ := open(t)
		return a
	})
	for _, test := range []struct {
		name string
		run  func(a, b process)
	}{
		{"two processes", testProcesses},
		{"fence", testFence},
		{"forget where it was served before", testForget},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, b := open(t)
			test.run(process{t, a}, process{t, b})
		})
	}
}

// A process is a store as one process sees it.
type process struct {
	*testing.T
	shared.Events
}

func (p process) append(session, stream, data string) string {
	p.Helper()
	id, err := p.Append(p.Context(), session, stream, []byte(data))
	if err != nil {
		p.Fatalf("Append to %s: %v", stream, err)
	}
	return id
}

// appendsNothing checks that the process, which served the session earlier, cannot append to it.
func (p process) appendsNothing(session, stream string) {
	p.Helper()
	if id, err := p.Append(context.WithoutCancel(p.Context()), session, stream, []byte("late")); err == nil {
		p.Errorf("who served the session %s before appends %s", session, id)
	}
}

func (p process) fence(session string, number int64) {
	p.Helper()
	if err := p.Fence(p.Context(), session, number); err != nil {
		p.Fatal(err)
	}
}

func (p process) fencesNothing(session string, number int64) {
	p.Helper()
	if err := p.Fence(p.Context(), session, number); err == nil {
		p.Errorf("the session %s is fenced again with the number %d", session, number)
	}
}

// after checks which events follow the one with that id.
func (p process) after(session, id string, want ...string) {
	p.Helper()
	events, err := p.After(p.Context(), session, id)
	if err != nil || len(events) != len(want) {
		p.Errorf("after %s: %v, %v, want %q", id, events, err, want)
		return
	}
	for i, e := range events {
		if string(e.Data) != want[i] {
			p.Errorf("after %s: %q, want %q", id, e.Data, want[i])
		}
	}
}

func testProcesses(a, b process) {
	id := a.append("S", "r1", "1")
	two := a.append("S", "r1", "2")
	b.fence("S", 1)
	b.after("S", id, "2")
	b.append("S", "r1", "3")
	b.append("S", "s9", "x")
	b.after("S", two, "3")
	a.after("S", id, "2", "3")
	if e, err := a.Last(a.Context(), "S", "r1"); err != nil || string(e.Data) != "3" {
		a.Errorf("Last: %v, %v", e, err)
	}
}

func testFence(a, b process) {
	id := a.append("S", "r1", "1")
	a.append("T", "r1", "1")
	b.fence("S", 1)
	b.fence("S", 2)
	for _, number := range []int64{1, 2} {
		a.fencesNothing("S", number)
		a.appendsNothing("S", "r1")
		a.appendsNothing("S", "s2")
	}
	b.append("S", "r1", "2")
	b.after("S", id, "2")
	a.append("T", "r1", "2")
	a.fence("S", 3) // and back again
	a.append("S", "r1", "3")
	a.after("S", id, "2", "3")
	b.appendsNothing("S", "r1")
}

func testForget(a, b process) {
	a.append("U", "r1", "1")
	b.fence("U", 1)
	for range 2 {
		for _, session := range []string{"U", "V"} { // of V there was no event
			if err := b.Forget(b.Context(), session); err != nil {
				b.Fatal(err)
			}
			a.appendsNothing(session, "r1")
			if _, err := b.Last(b.Context(), session, "r1"); !errors.Is(err, streamable.ErrNoEvent) {
				b.Errorf("there is an event of %s: %v", session, err)
			}
			a.fencesNothing(session, 2)
		}
	}
}
