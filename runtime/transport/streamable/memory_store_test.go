package streamable_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func appendEvent(t *testing.T, s streamable.EventStore, session, stream, data string) string {
	t.Helper()
	id, err := s.Append(t.Context(), session, stream, []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// after returns the data of the events after one, or the error.
func after(t *testing.T, s streamable.EventStore, session, id string) string {
	t.Helper()
	events, err := s.After(t.Context(), session, id)
	if err != nil {
		if !errors.Is(err, streamable.ErrNoEvent) {
			t.Error(err)
		}
		return "no event"
	}
	var all []string
	for _, e := range events {
		all = append(all, string(e.Data))
	}
	return strings.Join(all, " ")
}

// REQ HTTP-31, HTTP-32, HTTP-35
func TestMemoryStore(t *testing.T) {
	s := streamable.NewMemoryStore(nil)
	data := []byte("one")
	one, err := s.Append(t.Context(), "S", "a", data)
	if err != nil {
		t.Fatal(err)
	}
	data[0] = 'X' // it is the caller's
	other := appendEvent(t, s, "S", "b", "other")
	two := appendEvent(t, s, "S", "a", "two")
	three := appendEvent(t, s, "S", "a", "")
	foreign := appendEvent(t, s, "T", "a", "foreign")
	if ids := []string{one, other, two, three, foreign}; fmt.Sprint(ids) != "[a-1 b-2 a-3 a-4 a-5]" {
		t.Errorf("ids %v", ids)
	}
	for _, step := range []struct{ session, id, want string }{
		{"S", one, "two "}, {"S", two, ""}, {"S", three, ""}, {"S", other, ""}, {"T", foreign, ""},
		{"S", "a-0", "one two "}, {"S", "a-99", "no event"}, {"S", "c-1", "no event"}, {"U", one, "no event"},
		{"S", "", "no event"}, {"S", "a", "no event"}, {"S", "a-", "no event"}, {"S", "a-+1", "no event"}, {"S", "-1", "no event"},
	} {
		if got := after(t, s, step.session, step.id); got != step.want {
			t.Errorf("after %s of %s: %q, want %q", step.id, step.session, got, step.want)
		}
	}
	if name, err := s.Stream(t.Context(), "S", other); name != "b" || err != nil {
		t.Errorf("stream %q, %v", name, err)
	}
	if _, err := s.Stream(t.Context(), "S", "b-x"); !errors.Is(err, streamable.ErrNoEvent) {
		t.Error(err)
	}
	if err := s.Forget(t.Context(), "S"); err != nil {
		t.Error(err)
	}
	if got := after(t, s, "S", one); got != "no event" {
		t.Errorf("after Forget: %q", got)
	}
	if got := after(t, s, "T", foreign); got != "" {
		t.Errorf("the other session: %q", got)
	}
	if err := s.Forget(t.Context(), "S"); err != nil {
		t.Error(err)
	}
}

// What is beyond the bounds is forgotten, and a client that missed some of it is told so.
func TestMemoryStoreBounds(t *testing.T) {
	x := strings.Repeat("x", 744) // 1000 bytes with what an event counts beside
	tests := []struct {
		name   string
		opts   streamable.MemoryStoreOptions
		stream []string // of the events
		kept   []int    // those after which nothing is missing
	}{
		{"events of a session", streamable.MemoryStoreOptions{SessionEvents: 3}, []string{"a", "b", "a", "b", "a"}, []int{0, 1, 2, 3, 4}},
		{"bytes of a session", streamable.MemoryStoreOptions{SessionBytes: 2500}, []string{"a", "b", "b", "b"}, []int{1, 2, 3}},
		{"bytes in total", streamable.MemoryStoreOptions{TotalBytes: 1000}, []string{"a", "a", "b"}, []int{2}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := streamable.NewMemoryStore(&test.opts)
			var ids []string
			for _, stream := range test.stream {
				ids = append(ids, appendEvent(t, s, "S", stream, x))
			}
			var kept []int
			for i, id := range ids {
				if after(t, s, "S", id) != "no event" {
					kept = append(kept, i)
				}
			}
			if fmt.Sprint(kept) != fmt.Sprint(test.kept) {
				t.Errorf("kept %v, want %v", kept, test.kept)
			}
		})
	}
	// As much as there may be is kept.
	exact := streamable.NewMemoryStore(&streamable.MemoryStoreOptions{SessionBytes: 2000, TotalBytes: 2000})
	appendEvent(t, exact, "S", "a", x)
	appendEvent(t, exact, "S", "a", x)
	if got := after(t, exact, "S", "a-0"); got != x+" "+x {
		t.Errorf("from the beginning: %q", got)
	}
	// An event that is larger than everything may be stays alone: nothing is older, or what is goes.
	tight := streamable.NewMemoryStore(&streamable.MemoryStoreOptions{TotalBytes: 500})
	small := appendEvent(t, tight, "T", "a", "")
	large := appendEvent(t, tight, "S", "a", x)
	if after(t, tight, "S", large) != "" || after(t, tight, "T", small) != "no event" {
		t.Error("the small event did not give way")
	}
	if last := appendEvent(t, tight, "S", "a", x); after(t, tight, "S", last) != "" || after(t, tight, "S", large) != x {
		t.Error("the newest event is not kept")
	}
	for _, opts := range []streamable.MemoryStoreOptions{{SessionBytes: 500}, {SessionEvents: 1}} {
		alone := streamable.NewMemoryStore(&opts)
		for range 2 {
			if id := appendEvent(t, alone, "S", "a", x); after(t, alone, "S", id) != "" {
				t.Errorf("%+v: the newest event is not kept", opts)
			}
		}
	}
	// Of several others, the one that has most gives way.
	for _, order := range []string{"ABC", "CB"} {
		several := streamable.NewMemoryStore(&streamable.MemoryStoreOptions{TotalBytes: 2000 - 356*(3-len(order))})
		ids := map[rune]string{}
		for _, session := range order {
			ids[session] = appendEvent(t, several, string(session), "a", x[:100*int(session-'A'+1)])
		}
		ids['D'] = appendEvent(t, several, "D", "a", x)
		for session, id := range ids {
			if got := after(t, several, string(session), id) == ""; got != (session != 'C') {
				t.Errorf("%s: %c is kept: %t", order, session, got)
			}
		}
	}
	// A stream that was forgotten and goes on does not look as if it had just begun.
	s := streamable.NewMemoryStore(&streamable.MemoryStoreOptions{SessionEvents: 1})
	first := appendEvent(t, s, "S", "a", x)
	appendEvent(t, s, "S", "a", x)
	appendEvent(t, s, "S", "b", x)
	last := appendEvent(t, s, "S", "a", x)
	if got := after(t, s, "S", first); got != "no event" {
		t.Errorf("after the first: %q", got)
	}
	if got := after(t, s, "S", last); got != "" {
		t.Errorf("after the last: %q", got)
	}
}

// Who keeps most gives way first, whatever is older. Sessions whose client is not known are told apart.
func TestGreediestSessionGivesWay(t *testing.T) {
	s := streamable.NewMemoryStore(&streamable.MemoryStoreOptions{TotalBytes: 100_000})
	first := appendEvent(t, s, "victim", "r1", "")
	appendEvent(t, s, "victim", "r1", "answer")
	for i := range 200 {
		appendEvent(t, s, fmt.Sprint("attacker", i%20), fmt.Sprint("r", i), strings.Repeat("x", 3000))
	}
	if got := after(t, s, "victim", first); got != "answer" {
		t.Errorf("the victim gets %q", got)
	}
	// The newest event is never forgotten, but those of the others may be.
	newest := appendEvent(t, s, "large", "r1", strings.Repeat("x", 99_500))
	if got := after(t, s, "large", newest); got != "" {
		t.Errorf("after the newest: %q", got)
	}
	if got := after(t, s, "victim", first); got != "no event" {
		t.Errorf("beside one that leaves no room the victim gets %q", got)
	}
	small := appendEvent(t, s, "victim", "r1", "")
	if after(t, s, "victim", small) != "" || after(t, s, "large", newest) != "no event" {
		t.Error("the large event did not give way")
	}
}

// All sessions of a client count together, so that many small ones do not push out the events of others.
//
// REQ HTTP-34
func TestEventsAreShared(t *testing.T) {
	s := newServer(nil)
	tool(t, s, "talk", talk)
	tool(t, s, "large", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		c.Progress().Report(1, 0, strings.Repeat("x", 5000))
		return server.TextResult("done"), nil
	})
	opts := principals()
	opts.Events = streamable.NewMemoryStore(&streamable.MemoryStoreOptions{TotalBytes: 50_000})
	h := serve(t, s, opts)
	as := func(who, tool string) (session host, first string) {
		c := *h
		c.open("2025-11-25", "Authorization: "+who)
		r := c.stream(c.request("POST", strings.Replace(talkCall, `"talk"`, `"`+tool+`"`, 1), "Authorization: "+who))
		first = eventID(r.next())
		for r.next() != "end" {
		}
		return c, first
	}
	type session struct {
		host
		first string
	}
	all := map[string]*session{}
	limits.Shared(t, 50, func(who string) bool {
		tool := "talk"
		if who == "alice" {
			tool = "large" // which has more than any other session
		}
		h, first := as(who, tool)
		if all[who] == nil {
			all[who] = &session{h, first}
		}
		s := all[who]
		r := s.send(s.request("GET", "", "Authorization: "+who, "Last-Event-ID: "+s.first))
		return r.status == 200 && strings.Contains(r.body, `"notifications/progress"`)
	})
}
