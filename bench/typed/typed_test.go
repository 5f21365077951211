// Package typed measures a call by a generated client, beside the same call with structs and JSON by hand, by this
// module's client and that of the official SDK. The server is a few bytes that are always the same.
package typed

//go:generate go -C ../.. run ./cmd/mcpgen client bench/typed/tools.json -out bench/typed/issues

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"syscall"
	"testing"

	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/bench/typed/issues"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	issueJSON = `{"number":17,"title":"Too many allocations","state":"open","body":"There are **many** of them.","labels":[{"name":"bug","color":"ff0000"},{"name":"speed"}],` +
		`"user":{"login":"ada","id":1,"avatar_url":"https://example.com/ada.png","site_admin":false},"assignees":[{"login":"bob","id":2},{"login":"eve","id":3}],` +
		`"created_at":"2026-07-28T09:30:00Z","closed_at":null,"milestone":{"title":"1.0","due_on":null,"open_issues":3}}`
	initialized = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"issues","version":"1"}}`
)

// serve responds to requests. It allocates nothing for a call.
func serve(in io.Reader, out io.Writer) {
	text, err := json.Marshal(issueJSON)
	if err != nil {
		panic(err)
	}
	called := []byte(`,"result":{"content":[{"type":"text","text":` + string(text) + `}],"structuredContent":` + issueJSON + "}}\n")
	r := bufio.NewReaderSize(in, 1<<16)
	var answer []byte
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return
		}
		_, id, ok := bytes.Cut(line, []byte(`"id":`))
		if !ok {
			continue // a notification
		}
		id = id[:bytes.IndexAny(id, ",}")]
		answer = append(append(answer[:0], `{"jsonrpc":"2.0","id":`...), id...)
		switch {
		case bytes.Contains(line, []byte(`"tools/call"`)):
			answer = append(answer, called...)
		case bytes.Contains(line, []byte(`"initialize"`)):
			answer = append(answer, `,"result":`+initialized+"}\n"...)
		default:
			answer = append(answer, `,"error":{"code":-32601,"message":"unknown method"}}`+"\n"...)
		}
		if _, err := out.Write(answer); err != nil {
			return
		}
	}
}

// pipes returns both directions of a connection to the server.
func pipes(tb testing.TB) (io.ReadCloser, io.WriteCloser) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	go serve(in, out)
	tb.Cleanup(func() {
		in.Close()
		out.Close()
	})
	return fromServer, toServer
}

func connect(tb testing.TB) *client.Client {
	tb.Helper()
	in, out := pipes(tb)
	c, err := client.Connect(context.Background(), stdio.New(in, out, nil), &client.Options{Revisions: []wire.Revision{mcp.V2025_11_25}})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	return c
}

// What a person writes who has no generator.
type (
	args struct {
		Owner  string `json:"owner"`
		Repo   string `json:"repo"`
		Number int64  `json:"issue_number"`
	}
	label struct {
		Name  string  `json:"name"`
		Color *string `json:"color,omitempty"`
	}
	user struct {
		Login     string  `json:"login"`
		ID        int64   `json:"id"`
		AvatarURL *string `json:"avatar_url,omitempty"`
		SiteAdmin *bool   `json:"site_admin,omitempty"`
	}
	milestone struct {
		Title      string  `json:"title"`
		DueOn      *string `json:"due_on,omitempty"`
		OpenIssues *int64  `json:"open_issues,omitempty"`
	}
	issue struct {
		Number    int64      `json:"number"`
		Title     string     `json:"title"`
		State     string     `json:"state"`
		Body      *string    `json:"body,omitempty"`
		Labels    []label    `json:"labels,omitempty"`
		User      user       `json:"user"`
		Assignees []user     `json:"assignees,omitempty"`
		CreatedAt string     `json:"created_at"`
		ClosedAt  *string    `json:"closed_at,omitempty"`
		Milestone *milestone `json:"milestone,omitempty"`
	}
)

var sent = args{"example", "mcpgen", 17}

// ways are the ways to make the call. Each returns what it read.
func ways(tb testing.TB) map[string]func(ctx context.Context) (title, assignee string, err error) {
	read := func(i *issue, err error) (string, string, error) {
		if err != nil {
			return "", "", err
		}
		return i.Title, i.Assignees[1].Login, nil
	}
	ours := connect(tb)
	generated := issues.New(ours)
	in, out := pipes(tb)
	theirs, err := gosdk.NewClient(&gosdk.Implementation{Name: "bench", Version: "1"}, nil).Connect(context.Background(), &gosdk.IOTransport{Reader: in, Writer: out}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { theirs.Close() })
	return map[string]func(context.Context) (string, string, error){
		"Generated": func(ctx context.Context) (string, string, error) {
			i, err := generated.GetIssue(ctx, issues.GetIssueArgs{Owner: sent.Owner, Repo: sent.Repo, IssueNumber: sent.Number})
			if err != nil {
				return "", "", err
			}
			return i.Title, i.Assignees[1].Login, nil
		},
		"ByHand": func(ctx context.Context) (string, string, error) {
			raw, err := json.Marshal(sent)
			if err != nil {
				return "", "", err
			}
			r, err := ours.CallTool(ctx, &mcp.CallToolRequestParams{Name: "get_issue", Arguments: raw})
			if err != nil {
				return "", "", err
			}
			var i issue
			return read(&i, json.Unmarshal(r.StructuredContent, &i))
		},
		"CallTool[T]": func(ctx context.Context) (string, string, error) {
			i, err := client.CallTool[issue](ctx, ours, "get_issue", sent)
			return read(&i, err)
		},
		"gosdk": func(ctx context.Context) (string, string, error) {
			r, err := theirs.CallTool(ctx, &gosdk.CallToolParams{Name: "get_issue", Arguments: sent})
			if err != nil {
				return "", "", err
			}
			raw, err := json.Marshal(r.StructuredContent) // it is a map by now
			if err != nil {
				return "", "", err
			}
			var i issue
			return read(&i, json.Unmarshal(raw, &i))
		},
	}
}

var order = []string{"Generated", "ByHand", "CallTool[T]", "gosdk"}

// TestCall checks that all ways read the same.
func TestCall(t *testing.T) {
	all := ways(t)
	for _, name := range order {
		if title, login, err := all[name](t.Context()); title != "Too many allocations" || login != "eve" || err != nil {
			t.Errorf("%s: got %q, %q, %v", name, title, login, err)
		}
	}
}

func BenchmarkCall(b *testing.B) {
	all := ways(b)
	for _, name := range order {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			before := spent(b)
			for b.Loop() {
				if _, _, err := all[name](b.Context()); err != nil {
					b.Fatal(fmt.Errorf("%s: %w", name, err))
				}
			}
			b.ReportMetric(float64(spent(b)-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

// spent returns the processor time that the process has used, in nanoseconds.
func spent(b *testing.B) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
