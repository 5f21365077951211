package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// axeFolder names the variable that has the folder of the npm package axe-core, the version in axe/package.json.
const axeFolder = "MCPGEN_AXE"

// axeSource returns the script that finds what keeps people with disabilities from using a page.
func axeSource(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(axeFolder)
	if dir == "" {
		t.Skipf("there is no axe-core; install it by: npm ci --prefix axe, and set %s to axe/node_modules/axe-core", axeFolder)
	}
	source, err := os.ReadFile(filepath.Join(dir, "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// ofContent are the rules about what differs from page to page of the documentation. All others are about what they share.
const ofContent = `{runOnly: ["aria-allowed-role", "empty-heading", "empty-table-header", "heading-order", "image-alt", "landmark-unique", "link-name", "list",
	"listitem", "page-has-heading-one", "scrollable-region-focusable", "th-has-data-cells"]}`

// accessible checks that axe-core finds nothing on the page that is open: by the rules of WCAG 2.2 A and AA and by its own best
// practices, unless options choose fewer.
func (t tab) accessible(axe, page, options string) {
	t.Helper()
	t.run(axe)
	find := fmt.Sprintf(`axe.run(document, Object.assign({resultTypes: ["violations"], preload: false}, %s)).then(found => found.violations.flatMap(rule =>
		rule.nodes.map(n => rule.id + ", " + rule.impact + ": " + n.target + " " + n.html.slice(0, 100) + "; " + n.failureSummary)).join("\n"))`, options)
	if found := get(t, chromedp.Evaluate[string](find, chromedp.EvalAwaitPromise)); found != "" {
		t.Errorf("%s keeps people out:\n%s", page, found)
	}
}
