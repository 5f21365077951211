// Package generated measures a generated tool beside typed tools of other implementations: the tool
// forecast of golden/annotated, with the same schemas, arguments and results everywhere.
//
// A call is a line with a request of revision 2025-11-25 that goes into a pipe, and the line that comes
// back. What the typed tool costs is the difference to the tool nothing of the same server, which
// looks at no arguments and has its result ready.
package generated

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpgoserver "github.com/mark3labs/mcp-go/server"
	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/bench/harness"
	"github.com/mcpgen/mcpgen/golden/annotated"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	arguments = `{"city":"Oslo","days":3,"unit":"celsius"}`
	result    = `{"city":"Oslo","unit":"celsius","days":[{"high":4.5,"rain":0.25},{"high":6,"rain":0},{"high":-1.5,"rain":1}]}`
)

var weather = &annotated.Weather{Cities: map[string][]annotated.Day{"Oslo": {{High: 4.5, Rain: 0.25}, {High: 6}, {High: -1.5, Rain: 1}}}}

// schemas are those of the generated tool.
func schemas(tb testing.TB) (input, output []byte) {
	s := register(tb, server.New(mcp.Implementation{Name: "weather", Version: "1"}, nil))
	for i := range s.Items() {
		if tool, ok := i.Definition.(*mcp.Tool); ok && tool.Name == "forecast" {
			return tool.InputSchema, tool.OutputSchema
		}
	}
	tb.Fatal("there is no tool forecast")
	return nil, nil
}

func register(tb testing.TB, s *server.Server) *server.Server {
	if err := annotated.RegisterWeather(s, weather); err != nil {
		tb.Fatal(err)
	}
	return s
}

// An in is what the typed tools of the others take.
type in struct {
	City string         `json:"city"`
	Days int            `json:"days"`
	Unit annotated.Unit `json:"unit"`
}

// An implementation serves the tools forecast and nothing.
type implementation struct {
	name  string
	serve func(ctx context.Context, tb testing.TB, in io.ReadCloser, out io.WriteCloser) error
}

func implementations() []implementation {
	return []implementation{
		{"mcpgen", serveMcpgen},
		{"gosdk", serveGosdk},
		{"mcpgo-validate", func(ctx context.Context, tb testing.TB, in io.ReadCloser, out io.WriteCloser) error {
			return serveMcpgo(ctx, tb, in, out, mcpgoserver.WithInputSchemaValidation(), mcpgoserver.WithOutputSchemaValidation())
		}},
		{"mcpgo", func(ctx context.Context, tb testing.TB, in io.ReadCloser, out io.WriteCloser) error {
			return serveMcpgo(ctx, tb, in, out)
		}},
	}
}

func serveMcpgen(ctx context.Context, tb testing.TB, in io.ReadCloser, out io.WriteCloser) error {
	s := register(tb, server.New(mcp.Implementation{Name: "weather", Version: "1"}, nil))
	_, output := schemas(tb)
	err := s.AddTool(mcp.Tool{Name: "nothing", InputSchema: wire.Raw(`{"type":"object"}`), OutputSchema: output},
		func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: wire.Raw(result)}, nil
		})
	if err != nil {
		return err
	}
	return s.Serve(ctx, stdio.New(in, out, nil))
}

func serveGosdk(ctx context.Context, tb testing.TB, r io.ReadCloser, w io.WriteCloser) error {
	s := gosdk.NewServer(&gosdk.Implementation{Name: "weather", Version: "1"}, nil)
	addGosdk(tb, s)
	_, output := schemas(tb)
	s.AddTool(&gosdk.Tool{Name: "nothing", InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(output)},
		func(context.Context, *gosdk.CallToolRequest) (*gosdk.CallToolResult, error) {
			return &gosdk.CallToolResult{Content: []gosdk.Content{&gosdk.TextContent{Text: result}}, StructuredContent: json.RawMessage(result)}, nil
		})
	return s.Run(ctx, &gosdk.IOTransport{Reader: r, Writer: w})
}

func addGosdk(tb testing.TB, s *gosdk.Server) {
	input, output := schemas(tb)
	takes, returns := new(jsonschema.Schema), new(jsonschema.Schema)
	if err := errors.Join(json.Unmarshal(input, takes), json.Unmarshal(output, returns)); err != nil {
		tb.Fatal(err)
	}
	gosdk.AddTool(s, &gosdk.Tool{Name: "forecast", InputSchema: takes, OutputSchema: returns},
		func(ctx context.Context, _ *gosdk.CallToolRequest, v in) (*gosdk.CallToolResult, *annotated.Report, error) {
			r, err := weather.Forecast(ctx, nil, v.City, v.Days, v.Unit)
			return nil, r, err
		})
}

func serveMcpgo(ctx context.Context, tb testing.TB, r io.ReadCloser, w io.WriteCloser, opts ...mcpgoserver.ServerOption) error {
	opts = append(opts, mcpgoserver.WithLogger(slog.New(slog.DiscardHandler)))
	s := mcpgoserver.NewMCPServer("weather", "1", opts...)
	input, output := schemas(tb)
	s.AddTool(mcpgo.Tool{Name: "forecast", RawInputSchema: input, RawOutputSchema: output},
		mcpgo.NewTypedToolHandler(func(ctx context.Context, _ mcpgo.CallToolRequest, v in) (*mcpgo.CallToolResult, error) {
			r, err := weather.Forecast(ctx, nil, v.City, v.Days, v.Unit)
			if err != nil {
				return nil, err
			}
			return mcpgo.NewToolResultStructuredOnly(r), nil
		}))
	s.AddTool(mcpgo.Tool{Name: "nothing", RawInputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
			return mcpgo.NewToolResultStructured(json.RawMessage(result), result), nil
		})
	return mcpgoserver.NewStdioServer(s).Listen(ctx, r, w)
}

// A connection sends lines to a server and reads what it answers.
type connection struct {
	to   io.WriteCloser
	from *bufio.Reader
}

func connect(tb testing.TB, i implementation) *connection {
	sr, cw := io.Pipe()
	cr, sw := io.Pipe()
	go func() { _ = i.serve(context.Background(), tb, sr, sw) }()
	tb.Cleanup(func() { cw.Close(); cr.Close() })
	c := &connection{cw, bufio.NewReaderSize(cr, 64<<10)}
	c.call(tb, []byte(harness.InitializeLine+"\n"))
	if _, err := io.WriteString(cw, harness.InitializedLine+"\n"); err != nil {
		tb.Fatal(err)
	}
	return c
}

func (c *connection) call(tb testing.TB, line []byte) []byte {
	if _, err := c.to.Write(line); err != nil {
		tb.Fatal(err)
	}
	answer, err := c.from.ReadSlice('\n')
	if err != nil {
		tb.Fatal(err)
	}
	return answer
}

func request(tool, arguments string) []byte {
	return []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + "}}\n")
}

// TestSame makes sure that all answer alike, and that those that validate refuse what they should.
func TestSame(t *testing.T) {
	for _, i := range implementations() {
		t.Run(i.name, func(t *testing.T) {
			c := connect(t, i)
			for _, tool := range []string{"forecast", "nothing"} {
				var answer struct {
					Result struct {
						Content           []struct{ Text string }
						StructuredContent any
						IsError           bool
					}
				}
				line := c.call(t, request(tool, arguments))
				if err := json.Unmarshal(line, &answer); err != nil {
					t.Fatal(err)
				}
				var want, text any
				if err := json.Unmarshal([]byte(result), &want); err != nil {
					t.Fatal(err)
				}
				r := answer.Result
				if len(r.Content) != 1 || json.Unmarshal([]byte(r.Content[0].Text), &text) != nil ||
					!reflect.DeepEqual(text, want) || !reflect.DeepEqual(r.StructuredContent, want) || r.IsError {
					t.Errorf("%s answers %s", tool, line)
				}
			}
			if i.name == "mcpgo" {
				return
			}
			var answer struct {
				Error  any
				Result struct{ IsError bool }
			}
			line := c.call(t, request("forecast", `{"city":"Oslo","days":15}`))
			if err := json.Unmarshal(line, &answer); err != nil || answer.Error == nil && !answer.Result.IsError {
				t.Errorf("15 days: %s", line)
			}
		})
	}
}

// BenchmarkCall measures a call from line to line.
func BenchmarkCall(b *testing.B) {
	for _, i := range implementations() {
		for _, tool := range []string{"forecast", "nothing"} {
			b.Run(i.name+"/"+tool, func(b *testing.B) {
				c := connect(b, i)
				line := request(tool, arguments)
				measure(b, func() { c.call(b, line) })
			})
		}
	}
}

// measure runs f and reports, besides the rest, the CPU time of the process, which depends less than
// the time on the clock on what else the machine does.
func measure(b *testing.B, f func()) {
	b.ReportAllocs()
	before := harness.SelfStats().CPUNs
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(harness.SelfStats().CPUNs-before)/float64(b.N), "cpu-ns/op")
}

// BenchmarkRegister measures offering the tool to a server. The others make its schemas of Go types.
func BenchmarkRegister(b *testing.B) {
	b.Run("mcpgen", func(b *testing.B) {
		quiet := &server.Options{Logger: slog.New(slog.DiscardHandler)} // each takes the place of the one before
		s := server.New(mcp.Implementation{Name: "weather", Version: "1"}, quiet)
		measure(b, func() { register(b, s) })
	})
	b.Run("gosdk", func(b *testing.B) {
		s := gosdk.NewServer(&gosdk.Implementation{Name: "weather", Version: "1"}, nil)
		measure(b, func() {
			gosdk.AddTool(s, &gosdk.Tool{Name: "forecast"},
				func(ctx context.Context, _ *gosdk.CallToolRequest, v in) (*gosdk.CallToolResult, *annotated.Report, error) {
					return nil, nil, nil
				})
		})
	})
	b.Run("mcpgo", func(b *testing.B) {
		s := mcpgoserver.NewMCPServer("weather", "1")
		measure(b, func() {
			s.AddTool(mcpgo.NewTool("forecast", mcpgo.WithInputSchema[in](), mcpgo.WithOutputSchema[annotated.Report]()),
				mcpgo.NewTypedToolHandler(func(ctx context.Context, _ mcpgo.CallToolRequest, v in) (*mcpgo.CallToolResult, error) {
					return nil, nil
				}))
		})
	})
}
