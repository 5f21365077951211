package repo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/protocol"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/schema"
)

// A literal is a protocol fact that hand-written code of the runtime and of the modules for clusters may repeat, and
// why.
type literal struct{ file, text, reason string }

// literals are all of them. Whatever else the runtime needs of the protocol comes from package mcp and those
// of the extensions.
var literals = []literal{
	{"runtime/client/cache.go", "ttlMs", "the part of every cacheable result that the cache reads, whatever the rest"},
	{"runtime/client/call.go", "resultType", "what is read of a result before its type is known"},
	{"runtime/tasks/taskclient/call.go", "resultType", "the same"},
	{"runtime/apps/apps.go", "mcp-app", "the media type, which the extension's schema does not have"},
	{"runtime/apps/csp/csp.go", "baseUriDomains", "the places in messages"},
	{"runtime/apps/csp/csp.go", "connectDomains", "the same"},
	{"runtime/apps/csp/csp.go", "frameDomains", "the same"},
	{"runtime/apps/csp/csp.go", "resourceDomains", "the same"},
	{"runtime/client/connect.go", "supportedVersions", "what is read of a result that may lack the rest"},
	{"runtime/internal/mcpheader/params.go", "mcp-header", "x-mcp-header, a keyword of JSON Schemas and no header"},
	{"runtime/internal/servertest/servertest.go", "protocolVersion", "tests write the messages of a client as text"},
	{"runtime/jsonrpc/errors.go", "32600", "a code of JSON-RPC"},
	{"runtime/jsonrpc/errors.go", "32601", "a code of JSON-RPC"},
	{"runtime/jsonrpc/errors.go", "32602", "a code of JSON-RPC"},
	{"runtime/jsonrpc/errors.go", "32603", "a code of JSON-RPC"},
	{"runtime/jsonrpc/errors.go", "32700", "a code of JSON-RPC"},
	{"runtime/jsonrpc/parse.go", "2025-03-26", "a message for people; the package is below mcp"},
	{"runtime/internal/peer/incoming.go", "notifications/", "what begins the names of notifications, of every revision and extension"},
	{"runtime/mcptest/transcript.go", "elicitationId", "members at any depth of a message, hidden in transcripts"},
	{"runtime/mcptest/transcript.go", "requestState", "the same"},
	{"runtime/server/degrade.go", "-32020", "a message for people"},
	{"runtime/server/degrade.go", "-32099", "a message for people"},
	{"runtime/server/degrade.go", "2025-06-18", "messages for people"},
	{"runtime/server/degrade.go", "2025-11-25", "messages for people"},
	{"runtime/server/degrade.go", "2026-07-28", "messages for people"},
	{"runtime/server/degrade.go", "32020", "the range of codes that the protocol keeps for itself: a rule about codes that nobody has defined yet"},
	{"runtime/server/degrade.go", "32099", "the same"},
	{"runtime/server/era.go", "protocolVersion", "what is read of initialize in order to refuse it"},
	{"runtime/servercard/servercard.go", "mcp-server-card", "the media type of an experiment that publishes no schema"},
	{"runtime/toolsearch/prove.go", "maxItems", "a keyword of JSON Schemas"},
	{"runtime/toolsearch/prove.go", "maxLength", "a keyword of JSON Schemas"},
	{"runtime/toolsearch/prove.go", "minItems", "a keyword of JSON Schemas"},
	{"runtime/toolsearch/prove.go", "minLength", "a keyword of JSON Schemas"},
	{"runtime/toolsearch/prove.go", "oneOf", "a keyword of JSON Schemas"},
	{"runtime/transport/httpclient/sse.go", "protocolVersion", "the transport reads this of what passes through it"},
	{"runtime/transport/httpclient/session.go", "protocolVersion", "the same"},
	{"runtime/transport/streamable/legacy.go", "32001", "a code that no revision defines: sessions never had one for headers that do not fit"},
	{"runtime/transport/streamable/modern.go", "2026-07-28", "a message for people"},
	{"runtime/transport/internal/webguard/cors.go", "mcp-", "what begins the names of headers, of every revision and extension"},
	{"runtime/wire/revision.go", "2025-06-18", "an example of a date"},
	{"cluster/nats/changes.go", "Mcp-From", "a header of NATS"},
	{"cluster/nats/events.go", "Mcp-Append", "a header of NATS"},
	{"cluster/nats/events.go", "Mcp-Takeover", "a header of NATS"},
	{"cluster/nats/records.go", "Mcp-Deleted", "a header of NATS"},
}

// eachRuntimeFile calls f for each Go file of the runtime that is not a test. Names have slashes.
func eachRuntimeFile(t *testing.T, f func(name string, fset *token.FileSet, file *ast.File)) {
	t.Helper()
	eachFile(t, "runtime", f)
}

// eachFile calls f for each Go file in a folder that is not a test. Names have slashes.
func eachFile(t *testing.T, dir string, f func(name string, fset *token.FileSet, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil {
			f(filepath.ToSlash(name), fset, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLiterals finds the method names, the keys of metadata, the error codes, the revisions and the HTTP headers
// that hand-written code of the runtime has as literals. A new revision must not need an edit of what it changes
// alone.
func TestLiterals(t *testing.T) {
	facts := protocolFacts(t)
	used := make([]bool, len(literals))
	look := func(name string, fset *token.FileSet, file *ast.File) {
		if ast.IsGenerated(file) {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if _, ok := n.(*ast.ImportSpec); ok {
				return false
			}
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			value, ok := valueOf(e)
			if !ok {
				return true
			}
			for _, text := range facts.in(value) {
				i := slices.IndexFunc(literals, func(l literal) bool { return l.file == name && l.text == text })
				if i < 0 {
					t.Errorf("%s: %v says %q: take it from package mcp, or say why not in the table of this test", fset.Position(e.Pos()), value, text)
					continue
				}
				used[i] = true
			}
			return false
		})
	}
	eachFile(t, "runtime", look)
	eachFile(t, "cluster", look)
	for i, l := range literals {
		if !used[i] {
			t.Errorf("%s does not say %q any more: %s", l.file, l.text, l.reason)
		}
		if l.reason == "" {
			t.Errorf("%s: %q has no reason", l.file, l.text)
		}
	}
}

// valueOf returns the value of a string, of several that are joined, or of an integer.
func valueOf(e ast.Expr) (any, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		switch e.Kind {
		case token.STRING:
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		case token.INT:
			n, err := strconv.ParseInt(e.Value, 0, 64)
			return n, err == nil
		}
	case *ast.ParenExpr:
		return valueOf(e.X)
	case *ast.BinaryExpr:
		left, _ := valueOf(e.X)
		right, _ := valueOf(e.Y)
		a, one := left.(string)
		b, two := right.(string)
		return a + b, one && two && e.Op == token.ADD
	}
	return nil, false
}

// A factTable knows the protocol's names and numbers.
type factTable struct {
	names     map[string]bool // that are facts as a whole: "ping"
	members   map[string]bool // those that are no words: "ttlMs"
	revisions map[int64]bool  // as numbers: 20250618
	pattern   *regexp.Regexp  // of those that are facts inside of a text, too
}

// in returns the facts in a value.
func (f factTable) in(value any) []string {
	switch v := value.(type) {
	case int64:
		// Error codes: of a negative number this is what follows the sign.
		if f.revisions[v] || 32000 <= v && v < 32767 {
			return []string{strconv.FormatInt(v, 10)}
		}
	case string:
		found := f.pattern.FindAllString(v, -1)
		if first, _, _ := strings.Cut(strings.TrimPrefix(v, "server: "), ":"); f.names[first] {
			found = append(found, first)
		}
		if name := strings.Trim(v, "{\":"); len(found) == 0 && f.members[name] { // alone, or where JSON begins
			found = append(found, name)
		}
		return found
	}
	return nil
}

func protocolFacts(t *testing.T) factTable {
	t.Helper()
	f := factTable{map[string]bool{}, map[string]bool{}, map[int64]bool{}, nil}
	var patterns []string
	for _, r := range schema.Revisions() {
		patterns = append(patterns, r.Name)
		n, err := strconv.ParseInt(strings.ReplaceAll(r.Name, "-", ""), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		f.revisions[n] = true
	}
	merged, err := protocol.Merged()
	if err != nil {
		t.Fatal(err)
	}
	all := []*model.Schema{merged}
	for _, x := range schema.Extensions() {
		s, err := protocol.Extension(x)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	for _, s := range all {
		for _, t := range s.Types {
			for _, m := range t.Expr.Members {
				f.members[m.Name] = f.members[m.Name] || strings.ToLower(m.Name) != m.Name
			}
		}
		for _, m := range s.Methods {
			if group, _, ok := strings.Cut(m.Name, "/"); ok {
				patterns = append(patterns, `\b`+regexp.QuoteMeta(m.Name)+`\b`, `^`+regexp.QuoteMeta(group)+`/$`)
			} else {
				f.names[m.Name] = true
			}
		}
	}
	// The longest first: a method's name may begin another's.
	slices.SortFunc(patterns, func(a, b string) int { return len(b) - len(a) })
	patterns = append(patterns, `\bnotifications/`, `-32[0-7]\d\d\b`, `\bio\.modelcontextprotocol/[A-Za-z-]*`, `(?i:\bmcp-[a-z-]*)`)
	f.pattern = regexp.MustCompile(strings.Join(patterns, "|"))
	return f
}

// TestLiteralsAreFound checks what counts as a fact of the protocol.
func TestLiteralsAreFound(t *testing.T) {
	facts := protocolFacts(t)
	for source, want := range map[string][]string{
		`"ping"`:                               {"ping"},
		`"initialize"`:                         {"initialize"},
		`"initializes"`:                        nil,
		`"send initialize first"`:              nil,
		`"tools/call"`:                         {"tools/call"},
		"`server/discover: failed`":            {"server/discover"},
		`"tasks/update"`:                       {"tasks/update"},
		`"notifications/tasks/status"`:         {"notifications/tasks/status"},
		`"notifications/other"`:                {"notifications/"},
		`"resources/templates/list"`:           {"resources/templates/list"},
		`"io.modelcontextprotocol/serverInfo"`: {"io.modelcontextprotocol/serverInfo"},
		`"since 2025-11-25"`:                   {"2025-11-25"},
		`"2006-01-02"`:                         nil,
		`"Mcp-Session-Id"`:                     {"Mcp-Session-Id"},
		`"mcp-name"`:                           {"mcp-name"},
		`"mcp: panic"`:                         nil,
		`"tools/" + "call"`:                    {"tools/call"},
		`"ttlMs"`:                              {"ttlMs"},
		`"ttlMs: want more"`:                   nil,
		"`{\"progressToken\":`":                {"progressToken"},
		`("pi" + "n") + "g"`:                   {"ping"},
		`"tools/"`:                             {"tools/"}, // to which something is added
		`"Mcp-"`:                               {"Mcp-"},
		`"code -32002"`:                        {"-32002"},
		`32_002`:                               {"32002"},
		`0x7d02`:                               {"32002"},
		`32767`:                                nil,
		`31999`:                                nil,
		`20250326`:                             {"20250326"},
		`2025_03_26`:                           {"20250326"},
		`20250327`:                             nil,
	} {
		e, err := parser.ParseExpr(source)
		if err != nil {
			t.Fatal(err)
		}
		value, _ := valueOf(e)
		if got := facts.in(value); !slices.Equal(got, want) {
			t.Errorf("in %s: %q, want %q", source, got, want)
		}
	}
}
