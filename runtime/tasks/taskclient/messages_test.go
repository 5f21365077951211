package taskclient

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What is reported of tasks whose servers give messages alone, and of those whose progress goes back.
//
// REQ PROG-09
func TestTaskProgressOfOtherServers(t *testing.T) {
	var got []string
	ctx := client.WithProgress(t.Context(), func(p *mcp.ProgressNotificationParams) {
		got = append(got, fmt.Sprintf("%v/%v %s", p.Progress, p.GetTotal(), p.Message))
		if p.ProgressToken != wire.StringID("t") || p.Total != nil && *p.Total == 0 {
			t.Errorf("token %v, total %v", p.ProgressToken, p.Total)
		}
	})
	p := reported{id: "t"}
	for _, message := range []string{"", "begun", "begun", "", "halfway"} {
		p.report(ctx, &tasks.Task{Status: mcp.TaskStatusWorking, StatusMessage: message})
	}
	p.report(t.Context(), &tasks.Task{Status: mcp.TaskStatusWorking, StatusMessage: "nobody asks"})
	p.report(ctx, &tasks.Task{Status: mcp.TaskStatusFailed, StatusMessage: "no disk"})
	p = reported{id: "t"}
	for _, done := range []float64{0, 2, 1, 2, 3} {
		task := &tasks.Task{Status: mcp.TaskStatusWorking, StatusMessage: "of another report"}
		task.SetProgress(tasks.Progress{Done: done, Total: 3, Message: "x"})
		p.report(ctx, task)
	}
	if got, want := strings.Join(got, ", "), "1/0 begun, 2/0 halfway, 2/3 x, 3/3 x"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
