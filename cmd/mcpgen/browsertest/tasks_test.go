package browsertest

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// testTasks begins tasks, looks at them after a reload, cancels one, and sees the result of another.
func testTasks(t *testing.T, browser context.Context) {
	k, b := open(t), newTab(t, browser)
	finish := make(chan struct{})
	k.tool(mcp.Tool{Name: "steep", Execution: &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportOptional}},
		func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			select {
			case <-finish:
				return server.TextResult("steeped"), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
	b.goTo(k.url)
	b.part("#/tools/steep", "article h2", "steep")
	b.run(`document.querySelector("form.call .check input").checked = true`)
	b.click("button.primary", "Call")
	b.shows(".job", "runs as the task")
	b.click("button.primary", "Call")
	b.until(`Array.from(document.querySelectorAll(".job")).filter(j => j.innerText.includes("runs as the task")).length === 2`)
	b.click(".job button", "Cancel") // the newer one
	b.shows(".job[data-state=failed], .job[data-state=cancelled]", "cancelled")
	b.goTo("about:blank")
	b.goTo(k.url + "#/tasks")
	b.shows(".logs .found", "2 tasks")
	b.shows("#tabs", "Tasks")
	b.shows(".job[data-state=cancelled]", "steep")
	b.click(".job[data-state=running] button", "Poll")
	b.shows(".job[data-state=running]", "working")
	b.until(`!document.querySelector(".job[data-state=running] .quiet").innerText.startsWith("0 polls")`)
	b.screenshot("dev-tasks")
	close(finish)
	b.shows(".job[data-state=done] .chip", "completed")
	b.click(".job[data-state=done] button", "Result")
	b.shows(".job[data-state=done] .results", "steeped")
	b.click(".job[data-state=cancelled] button", "Result")
	b.shows(".job[data-state=cancelled] .results", "cancelled")
}
