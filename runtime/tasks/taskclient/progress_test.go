package taskclient_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// stepServer returns a server whose tool works in steps, as a task.
func stepServer(t *testing.T, report func(p *server.Progress, step int)) *server.Server {
	t.Helper()
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Logger: quiet, Setup: []server.Setup{taskserver.Enable(nil)}})
	t.Cleanup(func() { s.Shutdown(context.Background()) })
	steps := mcp.Tool{Name: "steps", Execution: &mcp.ToolExecution{TaskSupport: "required"}}
	s.AddTool(steps, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		for step := 1; step <= 3; step++ {
			time.Sleep(time.Minute)
			report(c.Progress(), step)
		}
		time.Sleep(time.Minute)
		return server.TextResult("done"), nil
	})
	return s
}

// The progress of a call reaches the caller also if the call becomes a task, whether or not the caller knows.
//
// REQ PROG-09
func TestTaskProgress(t *testing.T) {
	inBothEras(t, func(t *testing.T, opts *client.Options) {
		for _, test := range []struct {
			report func(p *server.Progress, step int)
			want   string
		}{
			{func(p *server.Progress, step int) { p.Report(float64(step)/2, 1.5, fmt.Sprint("step ", step)) }, "0.5/1.5 step 1, 1/1.5 step 2, 1.5/1.5 step 3"},
			{func(p *server.Progress, step int) { p.Report(float64(step), 0, "") }, "1/0 , 2/0 , 3/0 "},
		} {
			c := connect(t, stepServer(t, test.report), opts)
			call := &mcp.CallToolRequestParams{Name: "steps"}
			var got []string
			ctx := client.WithProgress(t.Context(), func(p *mcp.ProgressNotificationParams) {
				got = append(got, fmt.Sprintf("%v/%v %s", p.Progress, p.GetTotal(), p.Message))
				if id, ok := p.ProgressToken.Str(); !ok || !strings.Contains(id, "-") {
					t.Errorf("the token is %v, want the id of the task", p.ProgressToken)
				}
			})
			r, err := c.CallTool(ctx, call)
			if err != nil || text(r) != "done" {
				t.Errorf("%v %v", r, err)
			}
			if got := strings.Join(got, ", "); got != test.want {
				t.Errorf("CallTool: got %s, want %s", got, test.want)
			}
			got = nil
			task, err := taskclient.Start(ctx, c, call)
			if err != nil {
				t.Fatal(err)
			}
			if r, err := task.Result(ctx); err != nil || text(r) != "done" {
				t.Errorf("%v %v", r, err)
			}
			if got := strings.Join(got, ", "); got != test.want {
				t.Errorf("Result: got %s, want %s", got, test.want)
			}
		}
	})
}

// The message of the last report reaches the caller also if the task ends before the client asks for its status: that of
// the end, such as an error, does not take its place.
//
// REQ PROG-09
func TestTaskProgressAtTheEnd(t *testing.T) {
	for _, test := range []struct{ name, err string }{{"completed", ""}, {"failed", "no disk"}} {
		t.Run(test.name, func(t *testing.T) {
			inBothEras(t, func(t *testing.T, opts *client.Options) {
				s := stepServer(t, nil)
				quick := mcp.Tool{Name: "quick", Execution: &mcp.ToolExecution{TaskSupport: "required"}}
				s.AddTool(quick, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
					for step := 1; step <= 6; step++ {
						time.Sleep(time.Minute)
						c.Progress().Report(float64(step), 6, fmt.Sprint("step ", step))
					}
					if test.err != "" {
						return nil, &jsonrpc.Error{Code: 7, Message: test.err}
					}
					return server.TextResult("done"), nil
				})
				c := connect(t, s, opts)
				var last string
				ctx := client.WithProgress(t.Context(), func(p *mcp.ProgressNotificationParams) {
					last = fmt.Sprintf("%v of %v %s", p.Progress, p.GetTotal(), p.Message)
				})
				_, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "quick"})
				if (err != nil) != (test.err != "") {
					t.Error(err)
				}
				if want := "6 of 6 step 6"; last != want {
					t.Errorf("got %q, want %q", last, want)
				}
			})
		})
	}
}
