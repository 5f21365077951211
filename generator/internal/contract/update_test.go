package contract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generator/internal/contract"
	"github.com/mcpgen/mcpgen/mcp"
)

// offering returns a lock file with the entries of a tool, a prompt and a resource, which begin with what is given.
func offering(t *testing.T, more string) *contract.Contract {
	t.Helper()
	comma := more
	if more != "" {
		comma += ", "
	}
	return parse(t, fmt.Sprintf(`{"version": 4,
		"tools": {"t": {%[1]s"input": {"type": "object"}, "result": "none"}, "kept": {"input": {"type": "object"}, "result": "none"}},
		"prompts": {"p": {%[1]s"arguments": {"type": "object"}, "result": "text"}},
		"resources": {"a://b": {%[1]s"name": "b", "result": "text"}}}`, comma))
}

// TestAccess compares who may use what is offered.
func TestAccess(t *testing.T) {
	for _, test := range []struct{ was, is, want string }{
		{`"scopes": ["a", "b"]`, `"scopes": ["b", "c"]`, "  scope a removed: callers need it no longer\n! scope c added"},
		{`"needs": ["roots"]`, `"needs": ["sampling"]`, "  no longer needs roots\n! needs sampling now"},
		{`"needs": ["roots"]`, `"needs": ["roots"]`, ""},
		{`"minRevision": "2025-06-18"`, `"minRevision": "2025-11-25"`, "! only since revision 2025-11-25"},
		{`"minRevision": "2025-06-18"`, ``, "  no longer only since revision 2025-06-18"},
	} {
		var want string
		for _, item := range []string{"tool t", "prompt p", "resource a://b"} {
			for line := range strings.Lines(test.want) {
				want += line[:2] + item + ": " + strings.TrimSuffix(line[2:], "\n") + "\n"
			}
		}
		if diff := cmp.Diff(want, lines(contract.Compare(offering(t, test.was), offering(t, test.is)))); diff != "" {
			t.Errorf("%s, %s: -want +got:\n%s", test.was, test.is, diff)
		}
	}
}

// TestUpdate keeps of what is pending, and of that alone, what was accepted.
func TestUpdate(t *testing.T) {
	old, now := offering(t, `"scopes": ["a"]`), offering(t, `"scopes": ["a", "b"]`)
	pending := contract.Pending(old, old, now)
	if len(pending) != 3 {
		t.Fatalf("pending %v, want one of each kind", pending)
	}
	if got := string(contract.Update(old, now, pending).Format()); got != string(old.Format()) {
		t.Errorf("nothing is accepted, but the file becomes\n%s", got)
	}
	if got := string(contract.Update(old, now, nil).Format()); got != string(now.Format()) {
		t.Errorf("all is accepted, but the file becomes\n%s", got)
	}
	for i, c := range pending {
		if all := contract.Compare(old, contract.Update(old, now, pending[i:i+1])); len(all) != 2 || strings.Contains(lines(all), c.Kind+" "+c.Name) {
			t.Errorf("%s is pending alone, but what changes is\n%s", c, lines(all))
		}
	}
	if contract.Pending(old, now, now) != nil && len(contract.Pending(old, now, now)) > 0 {
		t.Error("what is accepted is pending")
	}
	was, accepted, renamed := offering(t, `"scopes": ["a"]`), offering(t, ""), offering(t, "")
	renamed.Tools["moved"] = renamed.Tools["t"]
	delete(renamed.Tools, "t")
	delete(accepted.Tools, "kept")
	delete(renamed.Tools, "kept")
	if got := lines(contract.Pending(was, accepted, renamed)); got != "! tool t: removed\n" {
		t.Errorf("a tool is renamed that has been released in another form: pending are\n%s", got)
	}
	plain, scoped := offering(t, ""), offering(t, `"scopes": ["a"]`)
	if got := lines(contract.Pending(plain, scoped, offering(t, `"scopes": ["a"], "needs": ["roots"]`))); strings.Contains(got, "scope") || !strings.Contains(got, "needs") {
		t.Errorf("a scope is accepted, and a need is not: pending are\n%s", got)
	}
	more := parse(t, `{"version": 4, "tools": {"new": {"input": {"type": "object"}, "result": "none"}}}`)
	if got := contract.Update(contract.New(), more, []contract.Change{{Kind: "tool", Name: "new"}}); len(got.Tools) != 1 {
		t.Error("what was not there before is not kept")
	}
}

// TestLines finds entries by their kinds and names, also in a file that is broken.
func TestLines(t *testing.T) {
	file := string(offering(t, "").Format())
	for i, line := range strings.Split(file, "\n") {
		for kind, name := range map[string]string{"tool": "t", "prompt": "p", "resource": "a://b"} {
			if strings.HasPrefix(line, `    "`+name+`": {`) {
				for _, text := range []string{file, strings.ReplaceAll(file, "\n", "\r\n")} {
					if got := contract.Line([]byte(text), kind, name); got != i+1 {
						t.Errorf("%s %s is at line %d, want %d", kind, name, got, i+1)
					}
				}
			}
		}
	}
	for _, of := range [][2]string{{"tool", "p"}, {"prompt", "t"}, {"resource", "none"}, {"tool", "input"}} {
		if got := contract.Line([]byte(file), of[0], of[1]); got != 0 {
			t.Errorf("%s %s is at line %d", of[0], of[1], got)
		}
	}
	twice := "{\n  \"tools\": {\n    \"a\": {\n    \"a\": {\n  },\n    \"b\": {\n  \"other\": {\n    \"c\": {\ns\": {\n    \"d\": {\n"
	for name, want := range map[string]int{"a": 3, "b": 0, "c": 0, "d": 0} {
		if got := contract.Line([]byte(twice), "tool", name); got != want {
			t.Errorf("in a broken file, %s is at line %d, want %d", name, got, want)
		}
	}
}

// TestClientWords keeps what a server says in words of what it lists, and tells when it changes.
func TestClientWords(t *testing.T) {
	d := shop()
	d.Prompts[0].Title, d.ResourceTemplates[0].Title, d.ResourceTemplates[0].Description = "Greeting", "A shelf", "Of books"
	text, err := contract.FormatClient(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"title": "Greeting"`, `"title": "A shelf"`, `"description": "Of books"`, `"mimeType": "text/plain"`, `"title": "Search"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the file lacks %s", want)
		}
	}
	other := shop()
	other.Tools[0].Description, other.Prompts[0].Description, other.ResourceTemplates[0].Description = "Finds.", "Hails", "x"
	other.Tools[0].InputSchema = []byte(strings.Replace(string(other.Tools[0].InputSchema), "What for", "What", 1))
	all, err := contract.ClientDescriptions(shop(), other)
	if err != nil {
		t.Fatal(err)
	}
	const want = `  tool search: description changed
  tool search: input.query: description changed
  prompt greet: description changed
  resource shop://shelf/{number}: description added
`
	if got := lines(all); got != want {
		t.Errorf("descriptions that changed:\n%s", got)
	}
	if all, err = contract.ClientDescriptions(other, shop()); err != nil || len(all) != 4 || lines(all[3:]) != "  resource shop://shelf/{number}: description removed\n" {
		t.Errorf("descriptions that changed back: %v\n%s", err, lines(all))
	}
	if changes, err := contract.CompareClient(shop(), other); err != nil || len(changes) > 0 {
		t.Errorf("words are changes: %s, %v", lines(changes), err)
	}
	other.Prompts = append(other.Prompts, mcp.Prompt{Name: "greet"})
	if _, err := contract.CompareClient(shop(), other); err == nil {
		t.Error("a prompt is listed twice")
	}
}
