package repo

import (
	"go/ast"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// An explained error is a section of a page of errors.
type explained struct {
	heading string
	text    string
}

// explanations returns the sections of a page of errors, and checks that each says what to do.
func explanations(t *testing.T, page string) (all []explained) {
	t.Helper()
	for section := range strings.SplitSeq(read(t, page), "\n### ") {
		heading, text, _ := strings.Cut(section, "\n")
		if strings.HasPrefix(heading, "# ") {
			continue
		}
		text, _, _ = strings.Cut(text, "\n## ")
		if !strings.Contains(text, "\nCure: ") {
			t.Errorf("%s: %s: there is no cure", page, heading)
		}
		all = append(all, explained{heading, text})
	}
	return all
}

// fixed returns the parts of the messages in a heading that are always the same.
func (e explained) fixed() (parts []string) {
	for _, m := range inCode.FindAllStringSubmatch(e.heading, -1) {
		for part := range strings.SplitSeq(m[1], "…") {
			if part != "" {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

var (
	inCode         = regexp.MustCompile("`([^`]+)`")
	exportedErrors = regexp.MustCompile(`(?m)^runtime/(\S+): (?:var (Err\w+) |type (\w*Error) (?:struct$|= ))`)
	explainedNames = regexp.MustCompile("^\n((?:`\\w+\\.\\w+`(?:, )?)+): ")
	explainedTest  = regexp.MustCompile("\n\nTest: `([\\w/]+)` (Test\\w+)\\.\n")
)

// TestDocsErrors checks that docs/errors.md has every error that the runtime exports, every error code of the protocol, and every
// status that a server over HTTP answers when it fails; that the messages are in the code; and that the tests exist, in a file
// that has the error or its message.
func TestDocsErrors(t *testing.T) {
	const page = "docs/errors.md"
	want := map[string]bool{} // by names; whether they are explained
	for _, m := range exportedErrors.FindAllStringSubmatch(read(t, "docs/api.txt"), -1) {
		want[path.Base(m[1])+"."+m[2]+m[3]] = false
	}
	codes := regexp.MustCompile("`[A-Z_]+` (-32\\d{3}) \\|").FindAllStringSubmatch(read(t, "docs/revision-matrix.md"), -1)
	for _, m := range codes {
		want["("+m[1]+")"] = false
	}
	statuses := statusesOf(t, "runtime/auth/refuse.go", "runtime/auth/resource_server.go", "runtime/transport/streamable", "runtime/transport/sse", "runtime/transport/internal/front",
		"runtime/transport/internal/webauth")
	for _, name := range statuses {
		want["http."+name] = false
	}
	if len(want) < 60 || len(codes) < 10 || len(statuses) < 10 {
		t.Fatalf("%d in all, %d codes, %d statuses", len(want), len(codes), len(statuses))
	}
	var literals strings.Builder
	eachFile(t, "runtime", func(_ string, _ *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if text, err := strconv.Unquote(l.Value); err == nil {
					literals.WriteString(text + "\n")
				}
			}
			return true
		})
	})
	mcp, err := filepath.Glob("mcp/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var generated strings.Builder
	for _, file := range mcp {
		generated.WriteString(read(t, file))
	}
	for _, e := range explanations(t, page) {
		names := explainedNames.FindStringSubmatch(e.text)
		if names == nil {
			t.Errorf("%s: %s: want the names of the error first, then a colon", page, e.heading)
			continue
		}
		known := e.fixed()
		for _, m := range inCode.FindAllStringSubmatch(names[1], -1) {
			pkg, name, _ := strings.Cut(m[1], ".")
			known = append(known, name, m[1])
			if _, ok := want[m[1]]; ok {
				want[m[1]] = true
			} else if pkg != "mcp" || !strings.Contains(generated.String(), "\t"+name+" ") {
				t.Errorf("%s: %s: there is no error %s", page, e.heading, m[1])
			}
		}
		if _, code, ok := strings.Cut(e.heading, " (-"); ok && strings.HasPrefix(code, "32") {
			want["(-"+code] = true
		}
		for _, part := range e.fixed() {
			if !strings.Contains(literals.String(), part) {
				t.Errorf("%s: %s: no message has %q", page, e.heading, part)
			}
		}
		test := explainedTest.FindStringSubmatch(e.text)
		if test == nil {
			t.Errorf("%s: %s: it names no test", page, e.heading)
			continue
		}
		if code := fileOfTest(t, test[1], test[2]); !slices.ContainsFunc(known, func(part string) bool { return len(part) > 5 && strings.Contains(code, part) }) {
			t.Errorf("%s: %s: %s %s is in no file that has one of %q", page, e.heading, test[1], test[2], known)
		}
	}
	for name, ok := range want {
		if !ok {
			t.Errorf("%s does not explain %s", page, name)
		}
	}
}

// statusesOf returns the names of the statuses of HTTP in files and folders that say that a request has failed.
func statusesOf(t *testing.T, places ...string) (names []string) {
	t.Helper()
	for _, place := range places {
		eachFile(t, place, func(_ string, _ *token.FileSet, file *ast.File) {
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					x, ok := s.X.(*ast.Ident)
					if ok && x.Name == "http" && strings.HasPrefix(s.Sel.Name, "Status") && !slices.Contains(notFailed, s.Sel.Name) && !slices.Contains(names, s.Sel.Name) {
						names = append(names, s.Sel.Name)
					}
				}
				return true
			})
		})
	}
	return names
}

// notFailed are what package http has besides the statuses of failures.
var notFailed = []string{"StatusAccepted", "StatusNoContent", "StatusOK", "StatusText"}

// fileOfTest returns the files of a package that define a test of that name, empty if there are none.
func fileOfTest(t *testing.T, pkg, test string) string {
	t.Helper()
	files, err := filepath.Glob(pkg + "/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var found strings.Builder
	for _, file := range files {
		if code := read(t, file); strings.Contains(code, "\nfunc "+test+"(") {
			found.WriteString(code)
		}
	}
	return found.String()
}

var transcriptTest = regexp.MustCompile("\n\nTest: `(\\w+\\.(?:txtar|txt))`\\.\n")

// TestDocsCommandErrors checks that docs/command-errors.md has every error in the transcripts of the command, but for those of
// command lines, which the help explains; and that it has no others.
func TestDocsCommandErrors(t *testing.T) {
	const page = "docs/command-errors.md"
	files, err := filepath.Glob("cmd/mcpgen/testdata/*.tx*")
	if err != nil {
		t.Fatal(err)
	}
	messages := map[string][]string{} // and the transcripts that have them
	for _, file := range files {
		lines := strings.Split(read(t, file), "\n")
		for i, line := range lines {
			message, ok := strings.CutPrefix(line, "! mcpgen: ")
			if ok && !strings.HasPrefix(lines[min(i+1, len(lines)-1)], "! Run 'mcpgen") {
				messages[message] = append(messages[message], filepath.Base(file))
			}
		}
	}
	if len(messages) < 90 {
		t.Fatalf("the transcripts have %d errors", len(messages))
	}
	matched := map[string]string{} // headings by messages
	for _, e := range explanations(t, page) {
		test := transcriptTest.FindStringSubmatch(e.text)
		if test == nil {
			t.Errorf("%s: %s: it names no transcript", page, e.heading)
			continue
		}
		provoked := false
		for _, m := range inCode.FindAllStringSubmatch(e.heading, -1) {
			pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(m[1]), "…", ".*") + "$")
			found := false
			for message, in := range messages {
				if !pattern.MatchString(message) {
					continue
				}
				found = true
				provoked = provoked || slices.Contains(in, test[1])
				if other := matched[message]; other != "" {
					t.Errorf("%s: %q is explained by %s and by %s", page, message, other, m[1])
				}
				matched[message] = m[1]
			}
			if !found {
				t.Errorf("%s: no transcript has %s", page, m[1])
			}
		}
		if !provoked {
			t.Errorf("%s: %s has no such error: %s", page, test[1], e.heading)
		}
	}
	for message, in := range messages {
		if matched[message] == "" {
			t.Errorf("%s does not explain %q, which %s has", page, message, in)
		}
	}
}
