package streamable_test

import (
	"context"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/observe/observeserver"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/sse"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxFunctions is how many functions of ours there may be between a socket and a tool.
const maxFunctions = 8

// Between a socket and a tool there are the functions that docs/architecture.md lists, and no others. An observer adds
// none.
func TestRequestPath(t *testing.T) {
	documented := documentedPaths(t)
	quiet := slog.New(slog.DiscardHandler)
	for name, observer := range map[string]observe.Observer{"plain": nil, "observed": observe.Logger(quiet)} {
		t.Run(name, func(t *testing.T) {
			var path []string
			s := server.New(mcp.Implementation{Name: "test", Version: "1"}, observeserver.Options(observer, nil))
			tool(t, s, "path", func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
				path = functions()
				return &mcp.CallToolResult{}, nil
			})
			web := httptest.NewServer(streamable.NewHandler(s, nil))
			defer web.Close()
			old := httptest.NewServer(sse.NewHandler(s, nil))
			defer old.Close()
			for _, test := range []struct {
				column int
				via    transport.Transport
				rev    wire.Revision
			}{
				{0, pipes(t, s), mcp.V2025_11_25},
				{0, httpclient.New(old.URL, nil), mcp.V2024_11_05},
				{1, httpclient.New(web.URL, nil), mcp.V2025_11_25},
				{2, httpclient.New(web.URL, nil), mcp.V2026_07_28},
			} {
				c, err := client.Connect(t.Context(), test.via, &client.Options{Revisions: []wire.Revision{test.rev}})
				if err != nil {
					t.Fatalf("%T: %v", test.via, err)
				}
				if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "path"}); err != nil {
					t.Errorf("%T: %v", test.via, err)
				}
				c.Close()
				if want := documented[test.column]; !slices.Equal(path, want) || len(path) > maxFunctions {
					t.Errorf("%T in %s: a call passes %d functions, want at most %d, and those in docs/architecture.md\ngot  %s\nwant %s",
						test.via, test.rev, len(path), maxFunctions, strings.Join(path, "\n     "), strings.Join(want, "\n     "))
				}
			}
		})
	}
}

// pipes returns a transport to a server that is at the other end of two pipes.
func pipes(t *testing.T, s *server.Server) transport.Transport {
	inServer, outClient := io.Pipe()
	inClient, outServer := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Serve(context.Background(), stdio.New(inServer, outServer, nil))
	}()
	t.Cleanup(func() { <-done })
	return stdio.New(inClient, outClient, nil)
}

// functions returns the functions of this module that have called the caller, the outermost first, as type.name.
func functions() (list []string) {
	var counters [100]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(3, counters[:])])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if !strings.HasPrefix(f.Function, "github.com/mcpgen/mcpgen/") {
			continue
		}
		parts := regexp.MustCompile(`(\w+)\)?\.(\w+)(?:\.func\d+)?$`).FindStringSubmatch(f.Function)
		if parts == nil {
			parts = []string{"", f.Function, ""}
		}
		list = append(list, parts[1]+"."+parts[2])
	}
	slices.Reverse(list)
	return list
}

// documentedPaths returns the columns of the table of functions in docs/architecture.md.
func documentedPaths(t *testing.T) (columns [3][]string) {
	doc, err := os.ReadFile("../../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(doc), "a call passes these functions of ours")
	if !found {
		t.Fatal("docs/architecture.md has no table of functions")
	}
	for line := range strings.Lines(table) {
		cells := regexp.MustCompile("\\| (?:`([^`]*)`)? *").FindAllStringSubmatch(line, -1)
		if strings.HasPrefix(line, "## ") || strings.HasPrefix(line, "### ") {
			break
		}
		for i, cell := range cells {
			if i < len(columns) && cell[1] != "" {
				columns[i] = append(columns[i], cell[1])
			}
		}
	}
	return columns
}
