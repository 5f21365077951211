// Package peers_test holds that every adapter does what the harness measures.
package peers_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/bench/harness"
	"github.com/mcpgen/mcpgen/bench/peers/floor"
	"github.com/mcpgen/mcpgen/bench/peers/gosdk"
	"github.com/mcpgen/mcpgen/bench/peers/mcpgen"
	"github.com/mcpgen/mcpgen/bench/peers/mcpgo"
)

var (
	all = []harness.Peer{
		mcpgen.Peer{Label: "mcpgen"},
		gosdk.Peer{Label: "gosdk"},
		gosdk.Peer{Label: "gosdk-raw", Raw: true},
		mcpgo.Peer{Label: "mcpgo"},
		mcpgo.Peer{Label: "mcpgo-validate", Validate: true},
		mcpgo.Peer{Label: "mcpgo-raw", Raw: true},
		floor.Peer{Label: "floor"},
		floor.Peer{Label: "floor-nobatch", NoBatch: true},
		floor.Peer{Label: "floor-scan", Scan: true},
		floor.Peer{Label: "floor-async", Scan: true, Async: true},
	}
	// What an adapter does not have.
	noClient = map[string]bool{"floor": true, "floor-nobatch": true, "floor-scan": true, "floor-async": true}
	protos   = []string{harness.Legacy, harness.Modern}
)

func newServer(t *testing.T, p harness.Peer, tools int) harness.Server {
	t.Helper()
	s, err := p.NewServer(harness.ServerConfig{ListTools: tools})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// serve returns the client's ends of two pipes to a server.
func serve(t *testing.T, s harness.Server) (io.ReadCloser, io.WriteCloser) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	sr, cw := io.Pipe()
	cr, sw := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.ServeStream(ctx, sr, sw) // how it ends differs
		sw.Close()
	}()
	t.Cleanup(func() {
		cw.Close()
		cr.Close()
		cancel()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			t.Error("the server still runs after its input has ended")
		}
	})
	return cr, cw
}

// TestClients has each client call and list, by each transport, in each protocol.
func TestClients(t *testing.T) {
	dials := map[string]func(*testing.T, harness.Peer, harness.Server, string) (harness.Client, error){
		"in-memory": func(t *testing.T, p harness.Peer, s harness.Server, proto string) (harness.Client, error) {
			return p.DialInMemory(t.Context(), s, proto)
		},
		"stream": func(t *testing.T, p harness.Peer, s harness.Server, proto string) (harness.Client, error) {
			if noClient[p.Name()] {
				return p.DialStream(t.Context(), nil, nil, proto)
			}
			in, out := serve(t, s)
			return p.DialStream(t.Context(), in, out, proto)
		},
	}
	for _, p := range all {
		for transport, dial := range dials {
			for _, proto := range protos {
				t.Run(p.Name()+"/"+transport+"/"+proto, func(t *testing.T) {
					c, err := dial(t, p, newServer(t, p, 20), proto)
					if noClient[p.Name()] {
						if !errors.Is(err, harness.ErrUnsupported) {
							t.Fatalf("got %v, want %v", err, harness.ErrUnsupported)
						}
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					defer c.Close()
					for _, msg := range []string{harness.Message(64), "", "ein \"Zitat\",\nzwei Zeilen – ✓"} {
						if got, err := c.Echo(t.Context(), msg); err != nil || got != msg {
							t.Errorf("echo: got %q, %v, want %q", got, err, msg)
						}
					}
					if n, err := c.ListTools(t.Context()); err != nil || n != 21 {
						t.Errorf("list: got %d tools, %v, want 21", n, err)
					}
				})
			}
		}
	}
}

// TestAnswers has each server answer the lines that are measured, with the same content.
func TestAnswers(t *testing.T) {
	for _, p := range all {
		for _, proto := range protos {
			t.Run(p.Name()+"/"+proto, func(t *testing.T) {
				in, out := serve(t, newServer(t, p, 0))
				dec := json.NewDecoder(in)
				if proto == harness.Legacy {
					send(t, out, harness.InitializeLine)
					var initialized struct {
						Result struct {
							ProtocolVersion string `json:"protocolVersion"`
						} `json:"result"`
					}
					if err := dec.Decode(&initialized); err != nil || initialized.Result.ProtocolVersion != harness.Legacy {
						t.Fatalf("initialize: got %+v, %v", initialized, err)
					}
					send(t, out, harness.InitializedLine)
				}
				send(t, out, string(harness.EchoRequest(proto, 64).Body))
				var got struct {
					ID     int64
					Result struct {
						Content           []map[string]string
						StructuredContent map[string]any
					}
				}
				if err := dec.Decode(&got); err != nil {
					t.Fatal(err)
				}
				want := got
				want.ID = 1_000_000_000
				want.Result.Content = []map[string]string{{"type": "text", "text": harness.Message(64)}}
				want.Result.StructuredContent = map[string]any{"message": harness.Message(64)}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("got  %+v\nwant %+v", got, want)
				}
			})
		}
	}
}

func send(t *testing.T, w io.Writer, line string) {
	t.Helper()
	if _, err := io.WriteString(w, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// TestChecks has each MCP server refuse arguments that its echo tool does not take.
func TestChecks(t *testing.T) {
	for _, p := range all {
		if noClient[p.Name()] {
			continue // no MCP implementation
		}
		t.Run(p.Name(), func(t *testing.T) {
			in, out := serve(t, newServer(t, p, 0))
			dec := json.NewDecoder(in)
			send(t, out, harness.InitializeLine)
			if err := dec.Decode(new(any)); err != nil {
				t.Fatal(err)
			}
			send(t, out, harness.InitializedLine)
			send(t, out, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":5}}}`)
			var got struct {
				Error  *struct{ Message string }
				Result *struct{ IsError bool }
			}
			if err := dec.Decode(&got); err != nil {
				t.Fatal(err)
			}
			if got.Error == nil && (got.Result == nil || !got.Result.IsError) {
				t.Errorf("a number for a message is accepted: %+v", got.Result)
			}
		})
	}
}

// TestHTTP has each client call its server by HTTP, in each way that is measured.
func TestHTTP(t *testing.T) {
	for _, p := range all {
		for _, c := range []struct {
			mode  harness.HTTPMode
			proto string
		}{
			{harness.Stateful, harness.Legacy},
			{harness.Stateless, harness.Legacy},
			{harness.Stateless, harness.Modern},
		} {
			t.Run(p.Name()+"/"+string(c.mode)+"/"+c.proto, func(t *testing.T) {
				h, err := newServer(t, p, 0).HTTPHandler(c.mode)
				if err != nil {
					t.Fatal(err)
				}
				srv := httptest.NewServer(h)
				defer srv.Close()
				hc := harness.NewHTTPClient()
				defer hc.CloseIdleConnections()
				client, err := p.DialHTTP(t.Context(), srv.URL, hc, c.mode, c.proto)
				if noClient[p.Name()] {
					if !errors.Is(err, harness.ErrUnsupported) {
						t.Fatalf("got %v, want %v", err, harness.ErrUnsupported)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				defer client.Close()
				if got, err := client.Echo(t.Context(), "hello"); err != nil || got != "hello" {
					t.Errorf("echo: got %q, %v", got, err)
				}
			})
		}
	}
}
