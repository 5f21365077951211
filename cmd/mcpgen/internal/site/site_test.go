package site

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/schema"
)

const repository = "../../../.."

// build builds the site of this repository, and returns its files.
func build(dir string) (fs.FS, error) {
	err := Write(context.Background(), dir, Source{Root: repository, Playground: testenv.Full(), Compare: func(older, newer string) ([]byte, error) {
		cmd := exec.Command("go", "run", "./cmd/mcpgen", "diff", "-format=markdown", older, newer)
		cmd.Dir, cmd.Stderr = repository, os.Stderr
		return cmd.Output()
	}})
	return os.DirFS(dir), err
}

var (
	temp  string
	built = sync.OnceValues(func() (fs.FS, error) { return build(temp) })
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "site")
	if err != nil {
		panic(err)
	}
	temp = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// files returns the files of a site, by their names.
func files(t *testing.T, dir fs.FS, err error) map[string]string {
	t.Helper()
	all := map[string]string{}
	if err == nil {
		err = fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(dir, name)
			all[name] = string(text)
			return err
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func siteFiles(t *testing.T) map[string]string {
	t.Helper()
	dir, err := built()
	return files(t, dir, err)
}

var (
	address = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	id      = regexp.MustCompile(` id="([^"]*)"`)
)

// TestLinks follows every link of the site, of its HTML and of its Markdown.
func TestLinks(t *testing.T) {
	all := siteFiles(t)
	ids := map[string][]string{} // by files
	for name, text := range all {
		switch path.Ext(name) {
		case ".html":
			for _, m := range id.FindAllStringSubmatch(text, -1) {
				if slices.Contains(ids[name], m[1]) {
					t.Errorf("%s has the id %q twice", name, m[1])
				}
				ids[name] = append(ids[name], m[1])
			}
		case ".md":
			for _, h := range parse(&page{source: []byte(text)}).headings {
				ids[name] = append(ids[name], h.ID)
			}
		}
	}
	followed := 0
	follow := func(from, to string) {
		followed++
		for _, kind := range []string{"blob", "tree"} {
			if file, own := strings.CutPrefix(to, "https://github.com/mcpgen/mcpgen/"+kind+"/HEAD/"); own {
				file, _, _ = strings.Cut(file, "#")
				if info, err := os.Stat(filepath.Join(repository, file)); err == nil && info.IsDir() != (kind == "tree") {
					t.Errorf("%s links to %s, which is of the other kind", from, to)
				} else if err != nil {
					t.Errorf("%s links to %s: %v", from, to, err)
				}
			}
		}
		if strings.Contains(to, ":") {
			return
		}
		file, anchor, _ := strings.Cut(to, "#")
		if file = path.Join(path.Dir(from), file); strings.HasPrefix(to, "#") {
			file = from
		}
		if _, ok := all[file]; !ok {
			t.Errorf("%s links to %s, which is not there", from, to)
		} else if anchor != "" && !slices.Contains(ids[file], anchor) {
			t.Errorf("%s links to %s: there is no such id", from, to)
		}
	}
	for name, text := range all {
		switch {
		case path.Ext(name) == ".html":
			for _, m := range address.FindAllStringSubmatch(text, -1) {
				follow(name, html.UnescapeString(m[1]))
			}
		case path.Ext(name) == ".md" || strings.HasPrefix(name, "llms"):
			for _, l := range parse(&page{source: []byte(text)}).links {
				follow(name, l.dest)
			}
		}
	}
	if followed < 5000 {
		t.Errorf("the site has %d links", followed)
	}
}

// TestNothingElsewhere checks that pages load only files of the site, and that their policy forbids all else.
func TestNothingElsewhere(t *testing.T) {
	loaded := regexp.MustCompile(`<(?:script|img|link)\b[^>]*?(?:src|href)="([^"]*)"`)
	inline := regexp.MustCompile(`<script>|<style|<[^>]* (?:style|on[a-z]+)="|<iframe|<object|<base`)
	for name, text := range siteFiles(t) {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, m := range loaded.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], ":") || strings.HasPrefix(m[1], "//") {
				t.Errorf("%s loads %s", name, m[1])
			}
		}
		if m := inline.FindString(text); m != "" {
			t.Errorf("%s has %s", name, m)
		}
		wasm := ""
		if name == "playground.html" {
			wasm = " 'wasm-unsafe-eval'"
		}
		if !strings.Contains(text, `http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'`+wasm+`; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'">`) {
			t.Errorf("%s has no policy", name)
		}
	}
}

// TestHeadings checks that pages can be read by their headings: one title, and no level that is left out. What is no heading of
// a table is none for a screen reader, either.
func TestHeadings(t *testing.T) {
	level, empty := regexp.MustCompile(`<h([1-6])`), regexp.MustCompile(`<th[^>]*></th>`)
	for name, text := range siteFiles(t) {
		if path.Ext(name) != ".html" {
			continue
		}
		last := "0"
		for i, m := range level.FindAllStringSubmatch(text, -1) {
			if (m[1] == "1") != (i == 0) || m[1][0] > last[0]+1 {
				t.Errorf("%s: a heading of level %s follows one of level %s", name, m[1], last)
			}
			last = m[1]
		}
		if last == "0" || empty.MatchString(text) {
			t.Errorf("%s has no heading, or an empty one of a table", name)
		}
	}
}

// Each message of a mistake is on a page, with the code that provokes it.
func TestPagesOfMistakes(t *testing.T) {
	var text strings.Builder
	for name, page := range siteFiles(t) {
		if strings.HasPrefix(name, "mistakes/") && strings.HasSuffix(name, ".html") {
			text.WriteString(html.UnescapeString(page))
		}
	}
	cases, err := filepath.Glob(repository + "/generator/tools/testdata/mistakes/*.txtar")
	if err != nil || len(cases) < 200 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, name := range cases {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, want, _ := strings.Cut(string(data), "-- want --\n")
		want, _, _ = strings.Cut(want, "\n-- ")
		for line := range strings.Lines(want) {
			if !strings.Contains(text.String(), strings.TrimRight(line, "\n")) {
				t.Errorf("%s: no page has %s", name, line)
			}
		}
	}
}

// TestDeterministic builds the site twice.
func TestDeterministic(t *testing.T) {
	first := siteFiles(t)
	dir, err := build(t.TempDir())
	second := files(t, dir, err)
	for name := range first {
		if first[name] != second[name] {
			t.Errorf("%s differs the second time", name)
		}
	}
	if len(first) != len(second) {
		t.Errorf("%d files, and %d the second time", len(first), len(second))
	}
}

// TestPages checks that each document is a page, beside its Markdown, and listed in llms.txt.
func TestPages(t *testing.T) {
	all := siteFiles(t)
	documents, err := filepath.Glob(repository + "/docs/*.md")
	if err != nil || len(documents) < 40 {
		t.Fatalf("there are %d documents: %v", len(documents), err)
	}
	want := []string{"index", "CHANGELOG", "bench/index", "bench/FIGURES", "conformance/RESULTS"}
	if testenv.Full() {
		want = append(want, "playground")
	}
	for _, file := range documents {
		want = append(want, "docs/"+strings.Replace(strings.TrimSuffix(filepath.Base(file), ".md"), "README", "index", 1))
	}
	revisions := schema.Revisions()
	for i := range revisions[1:] {
		want = append(want, "revisions/"+revisions[i].Name+"-"+revisions[i+1].Name)
	}
	pages := 0
	for _, name := range want {
		if all[name+".html"] == "" || all[name+".md"] == "" {
			t.Errorf("there is no page %s, or no Markdown beside it", name)
		}
		if n := strings.Count(all["llms.txt"], "]("+name+".md): "); n != 1 {
			t.Errorf("llms.txt has %s %d times", name, n)
		}
		title, _, _ := strings.Cut(all[name+".md"], "\n")
		if !strings.HasPrefix(title, "# ") || !strings.Contains("\n"+all["llms-full.txt"], "\n"+title+"\n") {
			t.Errorf("llms-full.txt lacks the page %s, %q", name, title)
		}
	}
	for name := range all {
		if path.Ext(name) == ".html" && path.Dir(name) != "mistakes" { // see TestPagesOfMistakes
			pages++
		}
	}
	if pages != len(want) {
		t.Errorf("the site has %d pages, want %d", pages, len(want))
	}
	form := regexp.MustCompile(`^# mcpgen\n\n> [^\n]+\n(\n## [^\n]+\n\n(- \[[^\n]+\]\([^)\n]+\.md\): [^\n]+[.?!]\n)+)+$`)
	if !form.MatchString(all["llms.txt"]) {
		t.Errorf("llms.txt has another form than that of llmstxt.org:\n%s", all["llms.txt"])
	}
	newest := all[want[len(want)-1]+".md"]
	for _, change := range []string{"| + | method `server/discover` |", "| - | method `initialize` |"} {
		if !strings.Contains(all["revisions/2025-11-25-2026-07-28.md"], change) {
			t.Errorf("the difference of 2025-11-25 and 2026-07-28 lacks %s", change)
		}
	}
	if !strings.Contains(newest, "\nChanges: ") {
		t.Errorf("the newest difference lacks its summary:\n%.300s", newest)
	}
}

// TestSearch asks what newcomers ask. The page that helps comes first or second.
func TestSearch(t *testing.T) {
	questions := []struct{ Question, Want string }{
		{"how do I add authorization", "docs/authorization.html"},
		{"stream progress of a tool", "docs/client.html"},
		{"test my server", "docs/start.html"},
		{"migrate from the official SDK", "docs/from-go-sdk.html"},
		{"getting started", "docs/start.html"},
		{"return an image from a tool", "docs/results.html"},
		{"ask the user for input", "docs/asking.html"},
		{"deploy with docker", "docs/start.html"},
		{"serve over http", "docs/http.html"},
		{"rate limit clients", "docs/limits.html"},
		{"log in with Keycloak", "docs/identity-providers.html"},
		{"run several instances behind a load balancer", "docs/cluster.html"},
		{"default value of an argument", "docs/arguments.html"},
		{"what is new in 2026-07-28 since 2025-11-25", "revisions/2025-11-25-2026-07-28.html"},
		{"how do I call a server from the command line", "docs/terminal.html"},
		{"too many tools for the model", "docs/many-tools.html"},
		{"how does a client log in", "docs/logging-in.html"},
		{"why does my login fail", "docs/login-fails.html"},
		{"a tool that takes long", "docs/tasks.html"},
		{"confirm before deleting", "docs/guards.html"},
		{"survive a restart", "docs/sessions.html"},
		{"try my server while I write it", "docs/dev.html"},
		{"own authorization server", "docs/own-authorization-server.html"},
		{"what may an attacker do", "docs/attacks.html"},
		{"elicit", "docs/asking.html"},          // another word
		{"authoriz", "docs/authorization.html"}, // while it is typed
		{"the", ""},                             // finds something, and fails in no way
		{"xyzzy", ""},
	}
	var asked []string
	for _, q := range questions {
		asked = append(asked, q.Question)
	}
	found := search(t, asked)
	for i, q := range questions {
		if first := found[i][:min(2, len(found[i]))]; q.Want != "" && !slices.Contains(first, q.Want) {
			t.Errorf("%s: want %s, got %s", q.Question, q.Want, first)
		}
	}
	if nothing := found[len(found)-1]; len(nothing) > 0 {
		t.Errorf("a word of no page finds %s", nothing)
	}
}

// TestFirst asks what somebody asks in the first days. The page that comes first has the answer.
func TestFirst(t *testing.T) {
	all := siteFiles(t)
	questions := []struct{ question, page, answer string }{
		{"how do I write my first server", "docs/start", "mcpgen init hello"},
		{"add tools to my existing project", "docs/existing-module", "mcpgen add tool"},
		{"how do I test my server", "docs/start", "mcptest."},
		{"make an argument optional", "docs/arguments", "//mcp:param language optional"},
		{"return an error from a tool", "docs/results", `errors.New("which city?")`},
		{"ask the user a question", "docs/asking", ".Elicit("},
		{"how do I serve over http", "docs/http", "streamable.ListenAndServe("},
		{"add OAuth", "docs/authorization", "auth."},
		{"add it to Claude Desktop", "docs/publishing", "configurations of Claude Desktop"},
		{"difference to the official SDK", "docs/why", "go-sdk"},
		{"is the API stable", "docs/versioning", "programs that compile continue to compile"},
		// Messages that somebody has copied.
		{"method not found (-32601)", "docs/errors", "does not know the method"},
		{"mcpgen: generated files are stale: run go generate, or mcpgen tools", "docs/command-errors", "commit `mcp_gen.go`"},
		{"initialize: no response within 1m0s", "docs/errors", "a later deadline"},
		{"which revision has elicitation/create", "docs/revision-matrix", "| `elicitation/create` | – | – | server |"},
	}
	var asked []string
	for _, q := range questions {
		asked = append(asked, q.question)
	}
	for i, found := range search(t, asked) {
		q := questions[i]
		if len(found) == 0 || found[0] != q.page+".html" {
			t.Errorf("%s: want %s first, got %s", q.question, q.page, found[:min(3, len(found))])
		}
		if !strings.Contains(all[q.page+".md"], q.answer) {
			t.Errorf("%s: %s does not say %s", q.question, q.page, q.answer)
		}
	}
}

// search returns the pages that the search finds for each query, best first.
func search(t *testing.T, queries []string) (found [][]string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node.js, which runs the script of the search; install it, on Debian by: apt-get install -y nodejs")
	}
	all := siteFiles(t)
	asked, err := json.Marshal(queries)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "-")
	cmd.Stdin = strings.NewReader(all["pages.js"] + all["rank.js"] + fmt.Sprintf(`
		const index = prepare(pages);
		console.log(JSON.stringify(%s.map(q => rank(index, q).map(r => r.page.url))));`, asked))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return found
}

// TestMistakes builds a site whose links lead to nothing.
func TestMistakes(t *testing.T) {
	root := filepath.Join(t.TempDir(), "[m") // no pattern
	for name, text := range map[string]string{
		"go.mod":         "module example.com/m\n\ngo 1.26\n",
		"README.md":      "# M\n\nSee [docs](docs/README.md#pages).\n",
		"other.md":       "# Other\n",
		"docs/README.md": "# List\n\n## Pages\n\n[a](a.md), [b](b.md)\n",
		"docs/a.md": "# A\n\nSome [text](#a-b),\n[`code](`](c.md) and [d](../other.md#other).\n\n| a |\n|---|\n| [e](../../e.md) |\n\n" +
			"![f](f.png) [g](../other.md#g) [h][h]\n\n## A b\n\n```\n[i](i.md)\n```\n\n[j](<j.md>) [k](README.md#k)\n\n[h]: h.md\n",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	from := Source{Root: root, Compare: func(older, newer string) ([]byte, error) { return []byte("## x\n\nChanges: 0.\n"), nil }}
	refused := func(want string) {
		t.Helper()
		if _, err := read(from); fmt.Sprint(err) != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
	want := `docs/README.md:5: there is no b.md
docs/a.md:4: there is no c.md
docs/a.md:8: ../../e.md is outside of the repository
docs/a.md:10: there is no f.png
docs/a.md:10: other.md has no heading #g
docs/a.md:10: want a link of the form [text](h.md)
docs/a.md:18: want a link of the form [text](j.md)
docs/a.md:18: docs/README.md has no heading #k`
	revisions := schema.Revisions()
	for i := range revisions[1:] {
		want += fmt.Sprintf("\nrevisions/%s-%s.md:3: there is no ../docs/revisions.md", revisions[i].Name, revisions[i+1].Name)
	}
	refused(want)
	from.Version = "v1.2.3" // whose module lacks what is in others
	refused(`docs/a.md:8: ../../e.md is outside of the repository
docs/a.md:10: other.md has no heading #g
docs/a.md:10: want a link of the form [text](h.md)
docs/a.md:18: want a link of the form [text](j.md)
docs/a.md:18: docs/README.md has no heading #k`)
	if err := os.WriteFile(filepath.Join(root, "docs", "unlisted.md"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	refused("docs/README.md does not list docs/unlisted.md")
}

// TestText checks what a text becomes in each of its forms.
func TestText(t *testing.T) {
	s := &site{Source: Source{Root: repository}, repository: "https://example.com/m"}
	s.pages = []*page{
		parse(&page{file: "docs/README.md", source: []byte("# All\n")}),
		parse(&page{file: "docs/a.md", section: "Guides", source: []byte("# A `b` *c*\n\n- [Same](#same)\n- [Same](#same-1)\n\n## Same\n\n<!-- no -->\nAn <a|b> or [`x`](README.md#all)" +
			" \\| [own](#same) [go](../go.mod) [there](https://example.org/#x)\n\n## Same\n\n| a |\n|--:|\n| `c\\|d` |\n\n```go\nno\n```\n")}),
	}
	if err := s.resolve(); err != nil {
		t.Fatal(err)
	}
	a := s.pages[1]
	got, err := a.html()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<h1 id=\"a-b-c\">A <code>b</code> <em>c</em></h1>\n<h2 id=\"same\">Same</h2>\n<p>An &lt;a|b&gt; or <a href=\"index.html#all\"><code>x</code></a> | ",
		`<a href="#same">own</a> <a href="https://example.com/m/blob/HEAD/go.mod">go</a> <a href="https://example.org/#x">there</a></p>`,
		`<div class="table"><table>`, `<td align="right"><code>c|d</code></td>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the HTML lacks %s:\n%s", want, got)
		}
	}
	for from, want := range map[string]string{
		"docs": "[`x`](index.md#all) \\| [own](#same) [go](https://example.com/m/blob/HEAD/go.mod) [there](https://example.org/#x)\n",
		".":    "[`x`](docs/index.md#all) \\| [own](docs/a.md#same) [go](https://example.com/m/blob/HEAD/go.mod) [there](https://example.org/#x)\n",
	} {
		if got := string(a.markdown(from)); !strings.Contains(got, want) {
			t.Errorf("from %s, the Markdown lacks %s:\n%s", from, want, got)
		}
	}
	index, err := json.Marshal(a.entry())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"url":"docs/a.html","title":"A b c","weight":1,"sections":[{},{"id":"same","heading":"Same","text":"An \u003ca|b\u003e or x | own go there"},{"id":"same-1","heading":"Same","text":"a c|d"}]}`
	if string(index) != want {
		t.Errorf("in the index\n%s, want\n%s", index, want)
	}
}
