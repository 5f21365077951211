package repo

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/schema"
)

// TestDraft runs what a workflow runs every week, with a local server that has a draft with one more method, and
// extensions with one more type.
func TestDraft(t *testing.T) {
	testenv.Long(t)
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
	files := map[string]string{"/modelcontextprotocol/main/schema/draft/schema.ts": strings.Replace(string(src),
		"export type ClientRequest =\n", "export type ClientRequest =\n  | DraftOnlyRequest\n", 1) +
		"\nexport interface DraftOnlyRequest extends JSONRPCRequest {\n  method: \"draft/only\";\n  params: RequestParams;\n}\n"}
	for _, x := range schema.Extensions() {
		src, err := schema.Files().ReadFile(x.Path())
		if err != nil {
			t.Fatal(err)
		}
		place := "/" + path.Base(x.Repository) + "/main/" + x.File
		protocol := "../../" + x.Revision + "/schema.js"
		files[place] = strings.Replace(string(src), protocol, "@modelcontextprotocol/client", 1) + "\nexport interface Only" + x.Name + " {}\n"
	}
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, found := files[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, file)
	}))
	defer hs.Close()
	want := []string{"# The draft, compared with " + newest, "draft/only"}
	for _, x := range schema.Extensions() {
		want = append(want, "# The extension "+x.Name, "| + | type `Only"+x.Name+"` |")
	}
	report := func(url string) (string, error) {
		out, err := exec.CommandContext(t.Context(), bash, ".ci/draft", url).CombinedOutput()
		return string(out), err
	}
	if out, err := report(hs.URL); err != nil || !inOrder(out, want) {
		t.Errorf("want %q, got %v\n%s", want, err, out)
	}
	delete(files, "/modelcontextprotocol/main/schema/draft/schema.ts") // the others are compared all the same
	want[1] = "there is no such file"
	if out, err := report(hs.URL); err == nil || !inOrder(out, want) {
		t.Errorf("without a draft: want %q and an error, got %v\n%s", want, err, out)
	}
}

// inOrder reports whether a text has these parts one after the other.
func inOrder(text string, parts []string) bool {
	for _, part := range parts {
		_, after, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = after
	}
	return true
}
