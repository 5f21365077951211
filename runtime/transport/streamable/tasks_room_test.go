package streamable_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// waiting returns a server whose tools are tasks that wait for release: task by its definition,
// handler because its handler says so.
func waiting(t *testing.T, opts *taskserver.Options) (s *server.Server, release chan struct{}) {
	t.Helper()
	if opts == nil {
		opts = new(taskserver.Options)
	}
	s = server.New(mcp.Implementation{Name: "test", Version: "1"}, &server.Options{Setup: []server.Setup{taskserver.Enable(opts)}})
	release = make(chan struct{}, 100)
	wait := func(ctx context.Context, _ *server.Call) (*mcp.CallToolResult, error) {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return server.TextResult("done"), nil
	}
	t.Cleanup(func() { s.Shutdown(context.Background()) })
	for _, err := range []error{
		s.AddTool(mcp.Tool{Name: "task", Execution: &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportOptional}},
			func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
				return wait(ctx, c)
			}),
		s.AddTool(mcp.Tool{Name: "handler"},
			func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
				return taskserver.AsTask(ctx, c, wait)
			}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return s, release
}

// taskCall returns a request of 2026-07-28 that becomes a task. Junk stands beside its params.
func taskCall(h *host, tool, junk string) *http.Request {
	h.t.Helper()
	return h.request("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}},"junk":"`+junk+`"}`,
		"Mcp-Session-Id:", "Mcp-Protocol-Version:", "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: "+tool)
}

// The context and the handler of a task may hold on to all of its message, so all of it counts, and not
// the params alone.
//
// REQ TASK-19
func TestTasksCountTheirMessages(t *testing.T) {
	legacy := `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"task","task":{}},"junk":"%s"}`
	junk := strings.Repeat("x", 600<<10)
	for _, tool := range []string{"task", "handler"} {
		t.Run("2026-07-28, "+tool, func(t *testing.T) {
			s, release := waiting(t, &taskserver.Options{MaxBytes: 4 << 20}) // one address may have 1 MiB
			h := serve(t, s, nil)
			countsMessages(t, func() string { return h.send(taskCall(h, tool, junk)).body }, release)
		})
	}
	t.Run("2025-11-25", func(t *testing.T) {
		s, release := waiting(t, &taskserver.Options{MaxBytes: 4 << 20})
		h := serve(t, s, nil)
		h.open("2025-11-25")
		id := 1
		call := func() string {
			id++
			return h.post(strings.NewReplacer("%d", strconv.Itoa(id), "%s", junk).Replace(legacy)).body
		}
		countsMessages(t, call, release)
	})
}

// countsMessages makes calls of which one is taken as long as it is at work.
func countsMessages(t *testing.T, call func() string, release chan struct{}) {
	t.Helper()
	if got := call(); !strings.Contains(got, `"taskId"`) {
		t.Fatalf("the first is answered %s", got)
	}
	if got := call(); !strings.Contains(got, "the running tasks and this one would keep") || !strings.Contains(got, "try again later") {
		t.Errorf("the second is answered %.300s", got)
	}
	release <- struct{}{}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		got := call()
		if strings.Contains(got, `"taskId"`) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("when there is room again, the answer is %.300s", got)
		}
	}
}

// A responseWriter knows its request, as those of package net/http do.
type responseWriter struct {
	*httptest.ResponseRecorder
	request *http.Request
}

// A task does not hold on to the HTTP request that it came by, nor to its headers: they do not count.
func TestTaskKeepsNoHTTPRequest(t *testing.T) {
	s, _ := waiting(t, nil)
	h := serve(t, s, nil)
	h.open("2025-11-25")
	legacy := func(string) *http.Request {
		return h.request("POST", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"task","task":{}}}`, "Host: 127.0.0.1")
	}
	modern := func(tool string) *http.Request { return taskCall(h, tool, "") }
	for _, c := range []struct {
		name, tool string
		request    func(tool string) *http.Request
	}{{"2026-07-28, task", "task", modern}, {"2026-07-28, handler", "handler", modern}, {"2025-11-25", "task", legacy}} {
		t.Run(c.name, func(t *testing.T) {
			request, header := make(chan struct{}), make(chan struct{})
			func() {
				r := c.request(c.tool)
				w := &responseWriter{httptest.NewRecorder(), r}
				large := []string{strings.Repeat("x", 60<<10)}
				r.Header["X-Large"] = large
				runtime.AddCleanup(r, func(gone chan struct{}) { close(gone) }, request)
				runtime.AddCleanup(&large[0], func(gone chan struct{}) { close(gone) }, header)
				h.h.ServeHTTP(w, r)
				if got := w.Body.String(); !strings.Contains(got, `"taskId"`) {
					t.Fatalf("it is answered %d %s", w.Code, got)
				}
			}()
			collected(t, "the HTTP request", request)
			collected(t, "a header", header)
		})
	}
}

// collected waits until something has been collected.
func collected(t *testing.T, what string, gone <-chan struct{}) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; {
		runtime.GC()
		select {
		case <-gone:
			return
		case <-time.After(time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is still there", what)
		}
	}
}
