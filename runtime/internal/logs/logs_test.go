package logs

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A sink is a Handler that notes what it sends.
func sink(rate int, least mcp.LoggingLevel, sent *[]string) *Handler {
	return &Handler{
		Send: func(_ context.Context, level mcp.LoggingLevel, data wire.Raw) error {
			*sent = append(*sent, string(level)+" "+string(data))
			return nil
		},
		Least: func() int { return Rank(least) },
		Rate:  rate,
		Limit: new(share.Few),
	}
}

func check(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A record has the highest level of the protocol that is not above its own, and is sent from the least on.
//
// REQ LOG-05
func TestLevels(t *testing.T) {
	for level, want := range map[slog.Level]mcp.LoggingLevel{
		-100: "debug", -4: "debug", -1: "debug", 0: "info", 1: "info", 2: "notice", 3: "notice", 4: "warning", 7: "warning", 8: "error", 11: "error",
		12: "critical", 15: "critical", 16: "alert", 19: "alert", 20: "emergency", 100: "emergency",
	} {
		rank := Rank(want)
		if Level(rank) != want {
			t.Errorf("the level of rank %d is %q, want %q", rank, Level(rank), want)
		}
		var sent []string
		h := sink(10, want, &sent)
		if !h.Enabled(t.Context(), level) {
			t.Errorf("%d is not sent to a client that wants %s", level, want)
		}
		if h.Least = func() int { return rank + 1 }; h.Enabled(t.Context(), level) {
			t.Errorf("%d is sent to a client that wants more than %s", level, want)
		}
		slog.New(sink(10, "debug", &sent)).Log(t.Context(), max(level, slog.LevelDebug), "x")
		check(t, sent, string(want)+` "x"`)
	}
	if Level(Standard) != mcp.LoggingLevelInfo || Rank("loud") != 0 {
		t.Errorf("the standard level is %s, and the rank of no level %d", Level(Standard), Rank("loud"))
	}
}

// The data of a message is the text of a record, or an object with its attributes.
func TestData(t *testing.T) {
	var sent []string
	l := slog.New(sink(10, "debug", &sent))
	l.Info("plain")
	l.Info("one", "a", 1)
	a := l.With("user", 7)
	a.WithGroup("g").Info("in", "b", true)
	l.WithGroup("h").Info("members of groups stay", "time", 1, "level", 2)
	a.Info("again")
	check(t, sent, `info "plain"`, `info {"msg":"one","a":1}`, `info {"msg":"in","user":7,"g":{"b":true}}`,
		`info {"msg":"members of groups stay","h":{"time":1,"level":2}}`, `info {"msg":"again","user":7}`)
}

// What is more than the rate is counted and told, with the next message that is sent, of whatever handler.
//
// REQ LOG-08
func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []string
		h := sink(2, "debug", &sent)
		l, other := slog.New(h), slog.New(h.WithAttrs(nil))
		for range 3 {
			l.Info("a")
			other.Info("b")
		}
		time.Sleep(time.Second/2 - 1)
		l.Info("c")
		time.Sleep(time.Nanosecond)
		l.Info("d")
		l.Info("e")
		time.Sleep(time.Hour)
		l.Info("f")
		l.Info("g")
		l.Info("h")
		check(t, sent, `info "a"`, `info {"msg":"b"}`, `warning "5 log messages were discarded: there were too many"`, `info "d"`,
			`warning "1 log messages were discarded: there were too many"`, `info "f"`, `info "g"`)
	})
}

// Errors of sending are the logger's: nothing more is sent for the record.
func TestErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		var sent []string
		h := sink(1, "debug", &sent)
		h.Send = func(context.Context, mcp.LoggingLevel, wire.Raw) error { sent = append(sent, "tried"); return broken }
		h.Limit.Take(1, time.Second)
		h.Limit.Take(1, time.Second) // which is held back
		for i := range 2 {
			time.Sleep(time.Second)
			if err := h.Handle(t.Context(), slog.NewRecord(time.Now(), 0, "x", 0)); err != broken {
				t.Errorf("the error is %v", err)
			}
			check(t, sent, []string{"tried", "tried"}[:i+1]...)
		}
	})
}
