package contract_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generator/internal/contract"
)

// TestEdits has what is said about each way to change what is offered, forth and back, with the cures.
func TestEdits(t *testing.T) {
	const path = "testdata/edits.txt"
	var b strings.Builder
	say := func(all []contract.Change) {
		for _, c := range all {
			line := "  " + c.String()
			if c.Breaking {
				line = "! " + c.String()
			}
			if c.Cure != "" {
				line += "; " + c.Cure
			}
			b.WriteString(line + "\n")
		}
	}
	tool := func(c *contract.Contract, edit func(*contract.Tool)) {
		one := *c.Tools["one"]
		edit(&one)
		c.Tools["one"] = &one
	}
	template := "shop://{v}"
	for _, e := range []struct {
		name string
		edit func(c *contract.Contract)
	}{
		{"a tool is renamed", func(c *contract.Contract) { c.Tools["two"] = c.Tools["one"]; delete(c.Tools, "one") }},
		{"a tool is renamed, or another one", func(c *contract.Contract) {
			c.Tools["x"], c.Tools["y"] = c.Tools["must"], c.Tools["must"]
			delete(c.Tools, "must")
		}},
		{"two tools of one form become one", func(c *contract.Contract) {
			c.Tools["x"] = c.Tools["one"]
			delete(c.Tools, "one")
			delete(c.Tools, "one"+contract.VariantMark+"x")
		}},
		{"a tool is removed", func(c *contract.Contract) { delete(c.Tools, "one") }},
		{"a prompt is renamed", func(c *contract.Contract) { c.Prompts["a\nb"] = c.Prompts["ask"]; delete(c.Prompts, "ask") }},
		{"a resource is moved", func(c *contract.Contract) {
			r := *c.Resources["shop://data"]
			r.Name = "other"
			delete(c.Resources, "shop://data")
			c.Resources["shop://other"] = &r
		}},
		{"another description", func(c *contract.Contract) { tool(c, func(t *contract.Tool) { t.Description = "x" }) }},
		{"other promises", func(c *contract.Contract) {
			tool(c, func(t *contract.Tool) { t.Promises = []string{"nondestructive", "idempotent"} })
		}},
		{"no promises", func(c *contract.Contract) { tool(c, func(t *contract.Tool) { t.Promises = nil }) }},
		{"other demands", func(c *contract.Contract) {
			tool(c, func(t *contract.Tool) { t.Demands = []string{"strict", "task"} })
		}},
		{"strict without arguments", func(c *contract.Contract) {
			plain := *c.Tools["plain"]
			plain.Demands = []string{"strict"}
			c.Tools["plain"] = &plain
		}},
		{"a task and a confirmation without arguments", func(c *contract.Contract) {
			plain := *c.Tools["plain"]
			plain.Demands = []string{"task", "confirm"}
			c.Tools["plain"] = &plain
		}},
		{"other access", func(c *contract.Contract) {
			tool(c, func(t *contract.Tool) {
				t.Access = contract.Access{Scopes: []string{"b", "c"}, Needs: []string{"roots"}, MinRevision: "2025-11-25"}
			})
		}},
		{"no access", func(c *contract.Contract) {
			tool(c, func(t *contract.Tool) { t.Access = contract.Access{} })
		}},
		{"no output", func(c *contract.Contract) {
			one := &contract.Tool{Description: c.Tools["one"].Description, Promises: c.Tools["one"].Promises, Demands: c.Tools["one"].Demands, Access: c.Tools["one"].Access, Result: "content"}
			one.SetInput(`{"type":"object","additionalProperties":false}`)
			c.Tools["one"] = one
		}},
		{"another kind of result", func(c *contract.Contract) { tool(c, func(t *contract.Tool) { t.Result = "" }) }},
		{"a result where none was, and one of a kind where a whole one was", func(c *contract.Contract) {
			for name, result := range map[string]string{"plain": "text", "bare": "content"} {
				tool := *c.Tools[name]
				tool.Result = result
				c.Tools[name] = &tool
			}
		}},
		{"no result where a whole one was", func(c *contract.Contract) {
			bare := *c.Tools["bare"]
			bare.Result = "none"
			c.Tools["bare"] = &bare
		}},
		{"a result of a prompt", func(c *contract.Contract) {
			p := *c.Prompts["ask"]
			p.Result = "messages"
			c.Prompts["ask"] = &p
		}},
		{"an argument of a prompt", func(c *contract.Contract) {
			p := *c.Prompts["ask"]
			p.SetArguments(`{"type":"object","properties":{"q":{"type":"string"},"r":{"type":"string"}},"required":["q"]}`)
			c.Prompts["ask"] = &p
		}},
		{"another name and type of a resource", func(c *contract.Contract) {
			r := *c.Resources[template]
			r.Name, r.MIMEType, r.Result = "x", "text/html", "blob"
			c.Resources[template] = &r
		}},
		{"no type of a resource", func(c *contract.Contract) {
			r := *c.Resources[template]
			r.MIMEType = ""
			c.Resources[template] = &r
		}},
		{"other variables", func(c *contract.Contract) {
			r := *c.Resources[template]
			r.SetVariables(`{"type":"object","properties":{"w":{"type":"integer"},"v":{"type":"string","minLength":1}},"required":["v","w"]}`)
			c.Resources[template] = &r
		}},
		{"other contents", func(c *contract.Contract) {
			r := *c.Resources["shop://data"]
			r.SetOutput(`{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}`)
			c.Resources["shop://data"] = &r
		}},
	} {
		old, new := everything(), everything()
		e.edit(new)
		b.WriteString("# " + e.name + "\n")
		say(contract.Compare(old, new))
		b.WriteString("# and back\n")
		say(contract.Compare(new, old))
		b.WriteByte('\n')
		breaks := func(c contract.Change) bool { return c.Breaking }
		if pending, all := contract.Pending(old, old, new), contract.Compare(old, new); len(pending) != len(slices.DeleteFunc(all, func(c contract.Change) bool { return !breaks(c) })) {
			t.Errorf("%s: pending are %v", e.name, pending)
		}
		if pending := contract.Pending(old, new, new); len(pending) > 0 {
			t.Errorf("%s: after it is accepted, pending are %v", e.name, pending)
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("-want +got (run with -update to accept):\n%s", diff)
	}
}
