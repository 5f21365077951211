package mcpgen_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/schema"
)

// TestDraft runs what a workflow runs every week, with a local server that has a draft with one more method.
func TestDraft(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command, which -short does without")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed: install it to run this test")
	}
	revisions := schema.Revisions()
	newest := revisions[len(revisions)-1].Name
	src, err := schema.Source(newest)
	if err != nil {
		t.Fatal(err)
	}
	draft := strings.Replace(string(src), "export type ClientRequest =\n", "export type ClientRequest =\n  | DraftOnlyRequest\n", 1) +
		"\nexport interface DraftOnlyRequest extends JSONRPCRequest {\n  method: \"draft/only\";\n  params: RequestParams;\n}\n"
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/modelcontextprotocol/main/schema/draft/schema.ts" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, draft)
	}))
	defer hs.Close()
	out, err := exec.CommandContext(t.Context(), bash, ".ci/draft", hs.URL).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"# The draft, compared with " + newest, "draft/only"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
	if out, err := exec.CommandContext(t.Context(), bash, ".ci/draft", hs.URL+"/none").CombinedOutput(); err == nil || !strings.Contains(string(out), "there is no such file") {
		t.Errorf("without a draft: %v\n%s", err, out)
	}
}
