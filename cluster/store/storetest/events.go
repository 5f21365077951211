package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// Events tests that a store does what [streamable.EventStore] says. Open returns a new store, and closes it with
// t.Cleanup.
func Events(t *testing.T, open func(t *testing.T) streamable.EventStore) {
	for _, test := range []struct {
		name string
		run  func(eventsTester)
	}{
		{"append and after", testAppend},
		{"names and data", testNames},
		{"unknown", testUnknown},
		{"last", testLast},
		{"forget", testForget},
		{"streams at the same time", testStreams},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.run(eventsTester{t, open(t)})
		})
	}
}

// An eventsTester calls a store.
type eventsTester struct {
	*testing.T
	store streamable.EventStore
}

func (t eventsTester) append(session, stream, data string) string {
	t.Helper()
	id, err := t.store.Append(t.Context(), session, stream, []byte(data))
	if err != nil || id == "" || len(id) > 4<<10 || strings.ContainsFunc(id, func(r rune) bool { return r < '!' || r > '~' }) {
		t.Fatalf("Append to %s: %q, %v", stream, id, err)
	}
	return id
}

// after checks which events follow the one with that id.
func (t eventsTester) after(session, id string, want ...string) {
	t.Helper()
	events, err := t.store.After(t.Context(), session, id)
	var got []string
	for _, e := range events {
		got = append(got, string(e.Data))
	}
	if err != nil || strings.Join(got, "|") != strings.Join(want, "|") || len(got) != len(want) {
		t.Errorf("after %s: %q, %v, want %q", id, got, err, want)
	}
}

func (t eventsTester) noEvent(session, id string) {
	t.Helper()
	if stream, err := t.store.Stream(t.Context(), session, id); !errors.Is(err, streamable.ErrNoEvent) {
		t.Errorf("Stream of %q: %q, %v, want %v", id, stream, err, streamable.ErrNoEvent)
	}
	if events, err := t.store.After(t.Context(), session, id); !errors.Is(err, streamable.ErrNoEvent) {
		t.Errorf("After %q: %v, %v, want %v", id, events, err, streamable.ErrNoEvent)
	}
}

func testAppend(t eventsTester) {
	one := t.append("S", "r1", "1")
	other := t.append("S", "s2", "a")
	two := t.append("S", "r1", "2")
	three := t.append("S", "r1", "")
	t.append("S", "s2", "b")
	t.append("T", "r1", "x")
	t.after("S", one, "2", "")
	t.after("S", two, "")
	t.after("S", three)
	t.after("S", other, "b")
	t.after("S", one, "2", "")
	events, err := t.store.After(t.Context(), "S", one)
	if err != nil || len(events) != 2 || events[0].ID != two || events[1].ID != three {
		t.Errorf("the events have the ids %v, %v, want %s and %s", events, err, two, three)
	}
	for id, want := range map[string]string{one: "r1", other: "s2", three: "r1"} {
		if stream, err := t.store.Stream(t.Context(), "S", id); err != nil || stream != want {
			t.Errorf("the stream of %s is %q, %v, want %q", id, stream, err, want)
		}
	}
}

func testNames(t eventsTester) {
	data := bytes.Repeat([]byte("\x00\r\n\xffdata"), 10_000)
	for _, stream := range []string{`r1!Zm9v"scope:a"scope-b`, "s.*.>", "r-1-2-", strings.Repeat("~", 800)} {
		own := bytes.Clone(data)
		first := t.append("S", stream, "")
		if _, err := t.store.Append(t.Context(), "S", stream, own); err != nil {
			t.Fatal(err)
		}
		own[0] = 'x'
		if got, err := t.store.Stream(t.Context(), "S", first); err != nil || got != stream {
			t.Errorf("the stream is %q, %v, want %q", got, err, stream)
		}
		t.after("S", first, string(data))
	}
}

func testUnknown(t eventsTester) {
	t.noEvent("S", "r1-1")
	id := t.append("S", "r1", "1")
	t.append("T", "r2", "1")
	t.noEvent("T", id)
	for _, id := range []string{"", "-", "r1", "r1-", "r1-x", "r1--1", id + "0", "-1", "r2-1", " ", "\x00", "s.*-1", ">-1", strings.Repeat("x", 5000)} {
		t.noEvent("S", id)
	}
}

func testLast(t eventsTester) {
	if e, err := t.store.Last(t.Context(), "S", "r1"); !errors.Is(err, streamable.ErrNoEvent) {
		t.Errorf("Last: %v, %v, want %v", e, err, streamable.ErrNoEvent)
	}
	t.append("S", "r1", "1")
	id := t.append("S", "r1", "2")
	t.append("S", "r2", "3")
	if e, err := t.store.Last(t.Context(), "S", "r1"); err != nil || e.ID != id || string(e.Data) != "2" {
		t.Errorf("Last: %v, %v, want %s", e, err, id)
	}
}

func testForget(t eventsTester) {
	id, kept := t.append("S", "r1", "1"), t.append("T", "r1", "1")
	for range 2 {
		if err := t.store.Forget(t.Context(), "S"); err != nil {
			t.Fatal(err)
		}
	}
	t.noEvent("S", id)
	t.after("T", kept)
}

func testStreams(t eventsTester) {
	const streams, each = 4, 25
	var all sync.WaitGroup
	var first [streams]string
	for i := range streams {
		all.Go(func() {
			for n := range each {
				id, err := t.store.Append(t.Context(), "S", fmt.Sprint("r", i), []byte(fmt.Sprint(n)))
				if err != nil {
					t.Error(err)
				}
				if n == 0 {
					first[i] = id
				}
			}
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	for i := range streams {
		var want []string
		for n := 1; n < each; n++ {
			want = append(want, fmt.Sprint(n))
		}
		t.after("S", first[i], want...)
	}
}
