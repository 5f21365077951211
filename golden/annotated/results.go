package annotated

import (
	"context"
	"errors"
	"iter"
	"log/slog"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Nothing to take, nothing to return.
//
//mcp:tool idempotent closedworld
func Ping() {}

// Fail fails as it is told: by an error for the model, by an error of the protocol, or not at all.
//
//mcp:tool destructive
func Fail(how string) error {
	switch how {
	case "tool":
		return errors.New("the tool failed")
	case "protocol":
		return &jsonrpc.Error{Code: -32001, Message: "the protocol failed"}
	}
	return nil
}

// Text returns text as it is.
//
//mcp:tool
func Text(s string) (string, error) { return s, nil }

// Wrapped returns a list, which becomes the member "result".
//
//mcp:tool
func Wrapped(n int) []int { return make([]int, n) }

// Counts returns a map, which is the result as it is.
//
//mcp:tool
func Counts(words ...string) map[string]int {
	m := make(map[string]int)
	for _, w := range words {
		m[w]++
	}
	return m
}

// Maybe returns nothing if it is told so.
//
//mcp:tool
func Maybe(there bool) (*Point, error) {
	if !there {
		return nil, nil
	}
	return &Point{1, 2}, nil
}

// PointText returns JSON in a text.
//
//mcp:tool text
func PointText(there bool) (*Point, error) { return Maybe(there) }

// NumbersText returns a list in a text, which needs no object around it.
//
//mcp:tool text
func NumbersText(n int) []int { return make([]int, n) }

// NamedText returns named values in a text.
//
//mcp:tool text
func NamedText(fail bool) (text string, list []string, err error) { return Named(fail) }

// Named returns two values and an error.
//
//mcp:tool
func Named(fail bool) (text string, list []string, err error) {
	if fail {
		err = errors.New("as you like")
	}
	return "a", nil, err
}

// Content returns content blocks.
//
//mcp:tool
func Content() ([]mcp.ContentBlock, error) {
	return []mcp.ContentBlock{
		&mcp.TextContent{Text: "a"},
		&mcp.ImageContent{MIMEType: "image/png", Data: wire.EncodeBase64([]byte("png"))},
	}, nil
}

// Whole returns a result.
//
//mcp:tool
func Whole() *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: "whole"}}, IsError: new(true)}
}

// Chart draws what it returns.
//
//mcp:tool
func Chart(n uint8) (points []Point, content []mcp.ContentBlock, err error) {
	for i := range n {
		points = append(points, Point{float64(i), float64(i)})
	}
	if n > 0 {
		content = []mcp.ContentBlock{server.Text("a line"), server.Image("image/png", []byte("png"))}
	}
	return points, content, nil
}

// Located finds one of some places, and says so.
//
//mcp:tool
func Located(name string) (*Point, []mcp.ContentBlock, error) {
	if name == "nowhere" {
		return nil, nil, errors.New("there is no such place")
	}
	return &Point{1, 2}, []mcp.ContentBlock{server.Link("golden://places/1/2", name)}, nil
}

// Outcome says how it went, with all that a result can hold.
//
//mcp:tool
func Outcome(how Mode, output bool) (*server.Result[*Point], error) {
	r := &server.Result[*Point]{
		Content: []mcp.ContentBlock{server.Text(string(how)), server.EmbedText("golden://log", "text/plain", "done")},
		Meta:    &mcp.ResultMetaObject{Extra: wire.Extra{{Name: "com.example/mode", Value: wire.Raw(`"` + string(how) + `"`)}}},
		IsError: how == Slow,
	}
	if output {
		r.Output = &Point{3, 4}
	}
	return r, nil
}

// Tally returns a list and a text.
//
//mcp:tool
func Tally(n uint8) *server.Result[[]Unit] {
	return &server.Result[[]Unit]{Output: make([]Unit, n), Content: []mcp.ContentBlock{server.Text("counted")}, IsError: n > 2}
}

// Discard throws a note away, after a person has agreed.
//
//mcp:tool destructive "confirm=Discard {name}?"
func Discard(name string) (gone string) { return name }

// Stream returns one value after the other, and then perhaps an error.
//
//mcp:tool
func Stream(n int, fail *bool) iter.Seq2[Point, error] {
	return func(yield func(Point, error) bool) {
		for i := range n {
			if !yield(Point{float64(i), 0}, nil) {
				return
			}
		}
		if fail != nil && *fail {
			yield(Point{}, errors.New("the stream broke"))
		}
	}
}

// Words are streamed as text.
//
//mcp:tool
func Words(words ...string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, w := range words {
			if !yield(w, nil) {
				return
			}
		}
	}
}

// Injected takes everything that a call brings.
//
//mcp:tool
func Injected(ctx context.Context, c *server.Call, p *server.Progress, l *slog.Logger, s string) (all bool) {
	p.Report(1, 1, s)
	l.Info("injected", "s", s)
	return ctx.Err() == nil && c != nil && l != nil && s != ""
}

// Largest is generic.
//
//mcp:tool strict instantiate=int
func Largest[T int | float64](first T, rest ...T) (largest T) {
	for _, v := range rest {
		first = max(first, v)
	}
	return first
}

// A Box is generic, too.
type Box[T any] struct{ Value T }

// Put replaces what is in the box.
//
//mcp:tool instantiate=Unit
func (b *Box[T]) Put(v T) (old T) {
	old, b.Value = b.Value, v
	return old
}

// A Memory keeps what it is told.
type Memory struct {
	text string
	more map[string][]string
}

// Remember keeps the arguments, and returns those of the call before.
//
//mcp:tool
func (m *Memory) Remember(text string, more map[string][]string) (before string, moreBefore map[string][]string) {
	before, moreBefore = m.text, m.more
	m.text, m.more = text, more
	return before, moreBefore
}

// Divide divides whole numbers.
//
//   - quotient: how often b is in a
//
//mcp:tool
//mcp:result quotient name=times min=0
//mcp:result remainder max=8
//mcp:desc remainder What is left of a.
func Divide(a, b int) (quotient, remainder int, err error) {
	if b == 0 {
		return 0, 0, errors.New("nothing can be divided by 0")
	}
	return a / b, a % b, nil
}
