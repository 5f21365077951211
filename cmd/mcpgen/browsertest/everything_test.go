package browsertest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/dev/page"
	"github.com/mcpgen/mcpgen/examples/everything/features"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// everyArguments has the arguments of tools that need some.
var everyArguments = map[string]string{
	"test_structured_output": `{"city":"Oslo"}`, "test_wait": `{"ms":10}`, "test_sampling": `{"prompt":"Hello"}`, "test_elicitation": `{"message":"Who?"}`,
	"greet": `{"name":"Ada"}`, "slow_compute": `{"seconds":0.6,"label":"it"}`, "confirm_delete": `{"filename":"a.txt"}`,
}

// everyResult has what the page shows in the end, where that is more than a text: expressions.
var everyResult = map[string]string{
	"test_image_content":          `job.querySelector("img")?.naturalWidth === 1`,
	"test_multiple_content_types": `job.querySelector("img")?.naturalWidth === 1 && job.innerText.includes("test://mixed-content-resource")`,
	"test_error_handling":         `job.dataset.state === "failed" && job.innerText.includes("The tool failed")`,
	"test_structured_output":      `job.innerText.includes("snow in Oslo")`,
	"failing_job":                 `job.dataset.state === "failed" && job.innerText.includes("the job failed")`,
	"protocol_error_job":          `job.dataset.state === "failed" && job.innerText.includes("the job cannot be carried out")`,
	"slow_compute":                `job.innerText.includes("Computed it") && document.mostProgress > 0`,
	"test_tool_with_progress":     `job.innerText.includes("Tool with progress completed.") && document.mostProgress > 0`,
	"big":                         `Array.from(job.querySelectorAll("button")).some(b => b.innerText.includes("more characters"))`,
}

// watching notices exceptions and progress, and accepts what a server asks.
const watching = `
	window.wrong = [];
	addEventListener("error", e => window.wrong.push(e.message));
	addEventListener("unhandledrejection", e => window.wrong.push(String(e.reason)));
	console.error = (...args) => window.wrong.push(args.join(" "));
	window.open = () => {};
	new MutationObserver(() => {
		for (const bar of document.querySelectorAll("progress[max]")) document.mostProgress = Math.max(document.mostProgress ?? 0, bar.value);
		const dialog = document.querySelector("dialog[open]"), title = dialog?.querySelector("#ask-title")?.parentNode;
		if (!title || title.dataset.answered) return;
		title.dataset.answered = "yes";
		for (const field of dialog.querySelectorAll("[aria-required=true]")) if (field.value === "") field.value = field.tagName === "SELECT" ? "0" : "Ada";
		setTimeout(() => title.requestSubmit());
	}).observe(document.body, {subtree: true, childList: true, attributes: true});`

// TestEverything calls every tool of a server with every feature, at every revision; with -short, at the newest.
func TestEverything(t *testing.T) {
	browser := startBrowser(t)
	revisions := client.Revisions()
	if testing.Short() {
		revisions = revisions[len(revisions)-1:]
	}
	for _, revision := range revisions {
		t.Run(revision.String(), func(t *testing.T) {
			s, err := features.NewServer(mcp.Implementation{Name: "everything", Version: "1.0.0"}, server.Options{Logger: quiet, Revisions: []wire.Revision{revision}})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.AddTool(mcp.Tool{Name: "big"}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
				return server.TextResult(strings.Repeat("big ", 1<<18)), nil
			}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Shutdown(context.Background()) })
			url, _ := show(t, s, page.New())
			b := newTab(t, browser)
			b.goTo(url)
			b.run(watching)
			b.part("#/tools", ".items", "greet")
			names := get(b, chromedp.Evaluate[string](`Array.from(document.querySelectorAll(".item")).map(a => decodeURIComponent(a.hash.split("/").pop())).join()`))
			for name := range strings.SplitSeq(names, ",") {
				b.part("#/tools/"+name, "article h2", "")
				b.until(fmt.Sprintf(`document.querySelector('article[data-tool=%q]')`, name))
				if arguments := everyArguments[name]; arguments != "" {
					b.click("form.call button", "As JSON")
					b.setJSON(arguments)
				}
				for _, asTask := range []bool{false, true} {
					if asTask {
						if !get(b, chromedp.Evaluate[bool](`Boolean(document.querySelector("form.call > .buttons .check input"))`)) {
							continue
						}
						b.run(`document.querySelector("form.call > .buttons .check input").checked = true`)
					}
					b.run(`document.mostProgress = 0; document.querySelector(".results").replaceChildren()`)
					b.click("button.primary", "Call")
					b.until(`(document.querySelector(".job")?.dataset.state ?? "running") !== "running"`)
					text := get(b, chromedp.Evaluate[string](`document.querySelector(".job").innerText.slice(0, 300)`))
					if strings.Contains(text, "canceled") || strings.HasPrefix(text, "Cancelled") {
						t.Errorf("%s, as a task: %t: %s", name, asTask, text)
					}
					if result := everyResult[name]; result != "" {
						b.until(fmt.Sprintf(`(job => %s)(document.querySelector(".job"))`, result))
					}
				}
			}
			if wrong := get(b, chromedp.Evaluate[string](`window.wrong.join("\n")`)); wrong != "" {
				t.Errorf("the page complains: %s", wrong)
			}
		})
	}
}
