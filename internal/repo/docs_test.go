package repo

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/tools"
)

// link matches the target of a Markdown link.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestDocsLinks checks that what the documents link to is in this repository.
func TestDocsLinks(t *testing.T) {
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && (name == "node_modules" || name == "testdata" || name == ".git") {
			return filepath.SkipDir
		}
		if filepath.Ext(file) != ".md" {
			return nil
		}
		for _, m := range link.FindAllStringSubmatch(read(t, file), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			to := file
			if target != "" {
				to = path.Join(path.Dir(filepath.ToSlash(file)), target)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s: %v", file, m[1], err)
			} else if anchor != "" && !strings.Contains(anchors(read(t, to)), " "+anchor+" ") {
				t.Errorf("%s links to %s: %s has no such heading", file, m[1], to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPromises checks that the packages which exist for mcpgen itself, but can be imported, say that they promise nothing.
func TestPromises(t *testing.T) {
	for _, root := range []string{"parser", "model", "generator", "schema"} {
		docs := map[string]string{} // of packages, by their folders
		eachFile(t, root, func(name string, _ *token.FileSet, file *ast.File) {
			docs[path.Dir(name)] += file.Doc.Text()
		})
		for dir, doc := range docs {
			if strings.Contains(dir, "/internal") || strings.Contains(dir, "/testdata") || dir == "generator/tools/analyzer" {
				continue
			}
			if want := "API promises nothing"; !strings.Contains(strings.Join(strings.Fields(doc), " "), want) {
				t.Errorf("the comment of package %s does not say that its %s", dir, want)
			}
		}
	}
}

// notInAnchor matches what a heading's anchor leaves out.
var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchors returns the anchors of the headings of a document, with a space around each.
func anchors(text string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for line := range strings.Lines(text) {
		if heading := strings.TrimLeft(line, "#"); heading != line {
			heading = notInAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
			b.WriteString(strings.ReplaceAll(heading, " ", "-") + " ")
		}
	}
	return b.String()
}

// attackTests matches what docs/attacks.md says about the tests of a package: `as` TestA, TestB.
var attackTests = regexp.MustCompile("`(\\w+)` (Test\\w+(?:, Test\\w+)*)")

// TestDocsAttacks checks that the tests exist that docs/attacks.md names.
func TestDocsAttacks(t *testing.T) {
	folders := map[string]string{
		"as": "runtime/auth/as", "auth": "runtime/auth", "authclient": "runtime/auth/authclient", "dpop": "runtime/auth/dpop",
		"fetch": "runtime/auth/internal/fetch", "server": "runtime/server", "sse": "runtime/transport/sse", "streamable": "runtime/transport/streamable", "taskserver": "runtime/tasks/taskserver",
	}
	table := read(t, "docs/attacks.md")
	named := 0
	for _, m := range attackTests.FindAllStringSubmatch(table, -1) {
		files, err := filepath.Glob(folders[m[1]] + "/*_test.go")
		if err != nil || folders[m[1]] == "" || len(files) == 0 {
			t.Fatalf("there are no tests of package %s", m[1])
		}
		var code strings.Builder
		for _, file := range files {
			code.WriteString(read(t, file))
		}
		for name := range strings.SplitSeq(m[2], ", ") {
			named++
			if !strings.Contains(code.String(), "\nfunc "+name+"(t *testing.T)") {
				t.Errorf("docs/attacks.md names %s, which is not in %s", name, folders[m[1]])
			}
		}
	}
	if rows := strings.Count(table, "\n|") - 2; rows < 30 || named < rows {
		t.Errorf("docs/attacks.md has %d attacks and names %d tests", rows, named)
	}
}

// references are the pages to look things up in, and those about how it is built. The others are guides.
var references = []string{
	"README.md", "architecture.md", "changes-before-v1.md", "command-errors.md", "coverage.md", "errors.md", "features.md", "generated-sdk.md", "glossary.md",
	"limits.md", "merging.md", "requirements.md", "revision-matrix.md", "revisions.md", "versioning.md",
}

// codeBlock matches a block of code.
var codeBlock = regexp.MustCompile("(?ms)^```.*?^```$")

// TestDocsGuides checks that a guide is about one question, which is its title, and short enough to be read.
func TestDocsGuides(t *testing.T) {
	docs, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	guides := 0
	for _, doc := range docs {
		if slices.Contains(references, filepath.Base(doc)) {
			continue
		}
		guides++
		text := read(t, doc)
		if title, _, _ := strings.Cut(text, "\n"); !strings.HasPrefix(title, "# ") || !strings.HasSuffix(title, "?") {
			t.Errorf("%s has the title %q, want a question", doc, title)
		}
		if words := len(strings.Fields(codeBlock.ReplaceAllString(text, ""))); words > 1500 {
			t.Errorf("%s has %d words without its code, want at most 1500", doc, words)
		}
	}
	if guides == 0 || guides+len(references) != len(docs) {
		t.Errorf("%d guides and %d references are not the %d pages", guides, len(references), len(docs))
	}
	_, list, _ := strings.Cut(read(t, "docs/README.md"), "\n## Guides\n")
	list, _, _ = strings.Cut(list, "\n## ")
	listed := regexp.MustCompile(`- \[(.+)\]\((.+)\)`).FindAllStringSubmatch(list, -1)
	for _, m := range listed {
		if !strings.HasPrefix(read(t, "docs/"+m[2]), "# "+m[1]+"\n") {
			t.Errorf("docs/README.md lists %s as %q, which is not its title", m[2], m[1])
		}
	}
	if len(listed) == 0 {
		t.Error("docs/README.md lists no guides")
	}
}

// codeOf says in which files the Go code of a document is compiled.
var codeOf = map[string][]string{
	"docs/authorization.md":            {"runtime/auth/example_test.go", "runtime/auth/dpop/example_test.go", "runtime/transport/streamable/handler_example_test.go"},
	"docs/logging-in.md":               {"runtime/auth/authclient/example_test.go"},
	"docs/own-authorization-server.md": {"examples/secured/servers.go"},
	"docs/identity-providers.md":       {"runtime/auth/example_providers_test.go"},
	"docs/arguments.md":                {"generator/tools/internal/emit/testdata/cases/arguments.txtar"},
	"docs/cluster.md":                  {"cluster/nats/example_test.go"},
	"docs/sessions.md":                 {"cluster/shared/example_test.go", "cluster/sqlite/example_test.go"},
	"docs/contract.md":                 {"cmd/mcpgen/testdata/check_older.txtar"},
	"docs/lint.md":                     {"cmd/mcpgen/testdata/lint_silenced.txtar"},
	"docs/asking.md":                   {"runtime/server/example_ask_test.go", "runtime/server/ask/example_test.go", "golden/forms/forms.go"},
	"docs/clients.md":                  {"cmd/mcpgen/testdata/guide/clients.txtar"},
	"docs/client.md":                   {"runtime/client/example_test.go", "runtime/client/example_calls_test.go", "runtime/client/elicit/example_test.go", "runtime/tasks/taskclient/example_test.go"},
	"docs/from-go-sdk.md": {
		"examples/ports/sequentialthinking/main.go", "examples/ports/sequentialthinking/tools.go", "examples/ports/memory/tools.go",
		"examples/ports/elicitation/main.go", "runtime/server/typed/example_test.go",
	},
	"docs/from-mcp-go.md":   {"examples/ports/mcpgo/main.go", "examples/ports/mcpgo/tools.go", "examples/ports/mcpgo/prompts.go", "examples/ports/mcpgo/resources.go"},
	"docs/http.md":          {"runtime/transport/streamable/handler_example_test.go"},
	"docs/overload.md":      {"runtime/limit/example_test.go"},
	"docs/many-tools.md":    {"runtime/toolsearch/example_test.go", "generator/tools/internal/emit/testdata/cases/search.txtar"},
	"docs/moving-over.md":   {"cmd/mcpgen/testdata/adopt/weather.txtar", "adopt/testdata/gosdk.txtar", "adopt/testdata/mcpgo.txtar"},
	"docs/observability.md": {"runtime/observe/example_test.go", "runtime/otel/example_test.go"},
	"docs/resources.md":     {"generator/tools/internal/emit/testdata/cases/guideresources.txtar", "runtime/server/example_resources_test.go"},
	"docs/results.md":       {"generator/tools/internal/emit/testdata/cases/guide.txtar", "golden/annotated/results.go"},
	"docs/skills.md":        {"runtime/skills/skillclient/example_test.go"},
	"docs/start.md":         {"cmd/mcpgen/project.txtar", "cmd/mcpgen/project_auth.txtar", "cmd/mcpgen/testdata/add.txtar", "runtime/mcptest/example_test.go"},
	"docs/toolsets.md": {
		"examples/toolsets/main.go", "examples/toolsets/notes/notes.go", "runtime/server/example_guards_test.go", "runtime/server/example_items_test.go", "runtime/toolset/example_test.go", "runtime/deployment/example_test.go",
	},
	"docs/guards.md":       {"examples/toolsets/notes/notes.go", "runtime/server/example_guards_test.go", "runtime/server/example_items_test.go", "runtime/toolset/example_test.go"},
	"docs/definitions.md":  {"examples/toolsets/main.go", "examples/toolsets/notes/notes.go", "examples/toolsets/clock/clock.go", "generator/tools/testdata/good/several_kinds.txtar"},
	"docs/composing.md":    {"examples/toolsets/main.go"},
	"docs/types.md":        {"generator/tools/testdata/good/topics.txtar", "generator/tools/testdata/good/types_documented.txtar"},
	"docs/constants.md":    {"generator/tools/testdata/good/topics.txtar", "generator/tools/testdata/good/types_documented.txtar", "generator/tools/testdata/good/type_enum_open.txtar"},
	"docs/type-schemas.md": {"generator/tools/testdata/good/topics.txtar", "generator/tools/testdata/good/types_documented.txtar"},
	"docs/own-bindings.md": {"golden/own_bindings_test.go"},
}

// TestDocsCode checks that the Go code in documents is in files that are compiled, but for its indentation.
func TestDocsCode(t *testing.T) {
	for doc, files := range codeOf {
		var code string
		for _, file := range files {
			code += dedented(read(t, file))
		}
		blocks := strings.Split(read(t, doc), "```go\n")[1:]
		for _, block := range blocks {
			block, _, _ = strings.Cut(block, "```\n")
			if !strings.Contains(code, dedented(block)) {
				t.Errorf("%s shows\n%s\nwhich is not in the examples", doc, block)
			}
		}
		if len(blocks) == 0 {
			t.Errorf("%s has no Go code", doc)
		}
	}
}

// TestDocsConsole checks that what documents show of a terminal is in the transcripts of the command's tests.
func TestDocsConsole(t *testing.T) {
	files, err := filepath.Glob("cmd/mcpgen/testdata/*.tx*")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no transcripts: %v", err)
	}
	var transcripts strings.Builder
	for _, file := range files {
		transcripts.WriteString(read(t, file))
	}
	shown := 0
	docs, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range docs {
		for _, block := range strings.Split(read(t, doc), "```console\n")[1:] {
			block, _, _ = strings.Cut(block, "```\n")
			shown++
			if !strings.Contains(transcripts.String(), block) {
				t.Errorf("%s shows\n%s\nwhich no transcript has", doc, block)
			}
		}
	}
	if shown == 0 {
		t.Error("no document shows a terminal")
	}
}

// TestDocsTopics checks that docs/types.md has what mcpgen help prints about types, results and what is injected.
func TestDocsTopics(t *testing.T) {
	doc := read(t, "docs/types.md")
	for _, topic := range tools.HelpTopics() {
		if !strings.Contains(doc, "```text\n"+topic.Text()+"```\n") {
			t.Errorf("docs/types.md lacks what mcpgen help %s prints", topic.Name)
		}
	}
}

// TestDocsArguments checks that each constraint in docs/arguments.md becomes that schema, and that message, in the case
// which has its code.
func TestDocsArguments(t *testing.T) {
	const doc = "docs/arguments.md"
	test := read(t, codeOf[doc][0])
	rows := 0
	for line := range strings.Lines(read(t, doc)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "` | `")
		if len(cells) != 3 {
			continue
		}
		rows++
		given, schema, message := strings.TrimPrefix(cells[0], "| `"), cells[1], strings.TrimSuffix(cells[2], "` |")
		name := message[:strings.IndexAny(message, ":[.")]
		for _, want := range []string{"\n//mcp:param " + name + " " + given + "\n", schema, "\n! " + message + "\n"} {
			if !strings.Contains(test, want) {
				t.Errorf("%s: %s has no %q", doc, codeOf[doc][0], want)
			}
		}
	}
	if rows < 17 {
		t.Errorf("%s has %d constraints", doc, rows)
	}
}

// TestDocsLint checks that docs/lint.md has all rules of mcpgen lint, with their sources.
func TestDocsLint(t *testing.T) {
	var table strings.Builder
	table.WriteString("| rule | what is found | what to do | known from |\n|---|---|---|---|\n")
	for _, r := range tools.LintRules() {
		var sources []string
		for _, s := range r.Sources {
			sources = append(sources, strings.ReplaceAll(s.Profiles, " ", ", ")+": "+s.Document+", "+s.Date)
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", r.Name, r.Meaning, r.Cure, strings.Join(sources, "; "))
	}
	if doc := read(t, "docs/lint.md"); !strings.Contains(doc, table.String()) {
		t.Errorf("docs/lint.md lacks this table:\n%s", table.String())
	}
}

// dedented returns the lines of a text without the white space before them.
func dedented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, "\t "))
	}
	return b.String()
}

// What tests do by request only is done before a change is taken.
func TestFullIsTested(t *testing.T) {
	if !regexp.MustCompile(`(?m)^MCPGEN_FULL=1 go test [^\n]*\./\.\.\. `).MatchString(read(t, ".ci/run")) {
		t.Error(".ci/run does not run all tests with MCPGEN_FULL=1")
	}
}
