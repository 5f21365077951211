package browsertest

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// testTasks begins tasks, looks at them after a reload, cancels one, and sees the result of another.
func testTasks(t *testing.T, browser context.Context) {
	for _, revision := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		t.Run(revision.String(), func(t *testing.T) { testTasksOf(t, browser, revision) })
	}
}

func testTasksOf(t *testing.T, browser context.Context, revision wire.Revision) {
	k, b := open(t, revision), newTab(t, browser)
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
	checkboxes := func() int {
		return get(b, chromedp.Evaluate[int](`document.querySelectorAll("form.call .check").length`))
	}
	b.part("#/tools/picture", "article h2", "picture")
	if checkboxes() != 0 {
		t.Error("a tool that does not run as a task can be chosen to do so")
	}
	b.part("#/tools/steep", "article h2", "steep")
	if revision == mcp.V2025_11_25 { // since then the server decides
		b.run(`document.querySelector("form.call .check input").checked = true`)
	} else if checkboxes() != 0 {
		t.Error("there is a choice that the protocol does not have")
	}
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
