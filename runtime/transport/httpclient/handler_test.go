package httpclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// least is how many bytes of a stream are never cut off: without an event, there is nothing to go on
// from.
const least = 300

// cutting cuts the bodies of responses, streams above all, after some bytes of its choice.
type cutting struct {
	next          http.RoundTripper
	most          int // bytes
	streams, cuts atomic.Int32
}

func (c *cutting) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(r)
	if err == nil && resp.Header.Get("Content-Type") == "text/event-stream" {
		resp.Body = &cutBody{ReadCloser: resp.Body, left: least + int(c.streams.Add(1))*4241%c.most, by: c}
	}
	return resp, err
}

type cutBody struct {
	io.ReadCloser
	left int
	by   *cutting
}

func (b *cutBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		b.by.cuts.Add(1)
		return 0, errors.New("cut by the test")
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// steps is no more than what a slow caller is told of.
const steps = 16

// counting returns a server with a tool that reports progress in steps, and counts how often it runs,
// by its argument.
func counting(t *testing.T) (s *server.Server, runs func() map[string]int) {
	t.Helper()
	s = server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Logger: silent, NotifyRate: -1})
	var mu sync.Mutex
	count := map[string]int{}
	err := s.AddTool(mcp.Tool{Name: "tool"}, func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		mu.Lock()
		count[string(args)]++
		mu.Unlock()
		for i := range steps {
			c.Progress().Report(float64(i+1), steps, "")
			time.Sleep(time.Millisecond)
		}
		return server.TextResult(string(args)), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, func() map[string]int {
		mu.Lock()
		defer mu.Unlock()
		return count
	}
}

// However often streams are cut, a call in a session is carried out once and gets its answer, and what
// comes before the answer is neither lost nor doubled. Without sessions, a call whose stream is cut
// fails.
//
// REQ HTTP-33, HTTP-34, HTTP-31, H26-13, PROG-04
func TestClientSurvivesCuts(t *testing.T) {
	for _, rev := range []wire.Revision{mcp.V2025_03_26, mcp.V2025_11_25, mcp.V2026_07_28} {
		t.Run(rev.String(), func(t *testing.T) {
			t.Parallel()
			s, runs := counting(t)
			hs := httptest.NewServer(streamable.NewHandler(s, &streamable.Options{Logger: silent, Retry: 10 * time.Millisecond}))
			t.Cleanup(hs.Close)
			cutter := &cutting{next: &http.Transport{}, most: 2000}
			t.Cleanup(cutter.next.(*http.Transport).CloseIdleConnections)
			c, err := connectOver(t, hs.URL, rev, &httpclient.Options{
				HTTP: &http.Client{Transport: cutter}, RetryTime: 10 * time.Millisecond,
			}, 20*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			var calls sync.WaitGroup
			var failed atomic.Int32
			for i := range 20 {
				calls.Go(func() {
					want := fmt.Sprintf(`{"i":%d}`, i)
					var seen []float64
					ctx := client.WithProgress(t.Context(), func(p *mcp.ProgressNotificationParams) { seen = append(seen, p.Progress) })
					text, err := textOf(c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "tool", Arguments: wire.Raw(want)}))
					if rev >= mcp.V2026_07_28 && err != nil {
						failed.Add(1)
						return
					}
					if err != nil || text != want {
						t.Errorf("got %q, %v", text, err)
					}
					if len(seen) != steps || !slices.IsSorted(seen) || seen[steps-1] != steps {
						t.Errorf("progress %v", seen)
					}
				})
			}
			calls.Wait()
			if cutter.cuts.Load() == 0 {
				t.Error("nothing was cut")
			}
			if rev >= mcp.V2026_07_28 && failed.Load() == 0 {
				t.Error("no call has failed")
			}
			for args, n := range runs() {
				if n != 1 {
					t.Errorf("%s was carried out %d times", args, n)
				}
			}
		})
	}
}

func textOf(r *mcp.CallToolResult, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return r.Content[0].(*mcp.TextContent).Text, nil
}

// A server that is started again knows none of the sessions. Calls do not notice.
//
// REQ SESS-07, SESS-08
func TestClientSurvivesRestart(t *testing.T) {
	s, _ := counting(t)
	var handler atomic.Pointer[streamable.Handler]
	restart := func() { handler.Store(streamable.NewHandler(s, &streamable.Options{Logger: silent})) }
	restart()
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.Load().ServeHTTP(w, r) }))
	t.Cleanup(hs.Close)
	c, err := connectOver(t, hs.URL, mcp.V2025_11_25, nil, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 3 {
		var calls sync.WaitGroup
		for range 10 {
			calls.Go(func() {
				if text, err := callTool(t, c, `{}`); text != "{}" {
					t.Error(err)
				}
			})
		}
		calls.Wait()
		restart()
	}
}

// The server may close the stream of a call and let the client come back for the answer.
//
// REQ HTTP-16, HTTP-20, HTTP-21, HTTP-22, HTTP-23
func TestClientPolls(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Logger: silent})
	err := s.AddTool(mcp.Tool{Name: "tool"}, func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		if err := streamable.CloseStream(ctx); err != nil {
			return nil, err
		}
		time.Sleep(150 * time.Millisecond)
		return server.TextResult("hi"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	hs := httptest.NewServer(streamable.NewHandler(s, &streamable.Options{Logger: silent, Polling: true, Retry: 100 * time.Millisecond}))
	t.Cleanup(hs.Close)
	c, err := connectOver(t, hs.URL, mcp.V2025_11_25, nil, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	begin := time.Now()
	text, err := callTool(t, c, "")
	if took := time.Since(begin); text != "hi" || err != nil || took < 150*time.Millisecond {
		t.Errorf("got %q, %v after %v", text, err, took)
	}
}
