package contract_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generator/internal/contract"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// everything returns a contract with one of everything, as generated code has it.
func everything() *contract.Contract {
	c := contract.New()
	tool := &contract.Tool{Description: "12345678", Promises: []string{"readonly", "closedworld", "tasks"}, Demands: []string{"confirm"}, Result: "content",
		Access: contract.Access{Scopes: []string{"a", "b"}, Needs: []string{"sampling"}, MinRevision: "2025-06-18"}}
	tool.SetInput(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b\u00e9":{"enum":["x",null,true,1.50,["y",{}],{"z":[]}]}},"required":["b\u00e9"]}},"c":{"oneOf":[{"type":"string","pattern":"^\"\\\\a\u007f\u2028<"},{"type":"object","properties":{"k":{"const":"p"}}},{"type":"object","properties":{"k":{"const":"q"}}}]},"d":{"type":"integer","x-mcp-header":"D","x-go-type":"example.com/a.T"},"e":{"type":"object","properties":{}}},"required":["c","a"],"additionalProperties":false}`)
	tool.SetOutput(`{"type":"object","properties":{"r":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}}}`)
	c.Tools["one"] = tool
	c.Tools["one"+contract.VariantMark+"x"] = tool
	for name, task := range map[string]contract.Tool{
		"must":  {Demands: []string{"task"}, Promises: []string{"nondestructive"}, Result: "text"},
		"plain": {Promises: []string{"idempotent"}, Result: "none"},
		"bare":  {Result: "whole"},
	} {
		task.SetInput(`{"type":"object"}`)
		c.Tools[name] = &task
	}
	prompt := &contract.Prompt{Result: "text"}
	prompt.SetArguments(`{"type":"object","properties":{"q":{"type":"string"},"p":{"type":"string"}},"required":["p"]}`)
	c.Prompts["ask"] = prompt
	template := &contract.Resource{Name: "stock", MIMEType: "text/plain", Result: "text", Access: contract.Access{Scopes: []string{"s"}}}
	template.SetVariables(`{"type":"object","properties":{"v":{"type":"string"}},"required":["v"]}`)
	c.Resources["shop://{v}"] = template
	resource := &contract.Resource{Name: "data", Result: "json"}
	resource.SetOutput(`{"type":"object","properties":{"n":{"type":"integer"}}}`)
	c.Resources["shop://data"] = resource
	return c
}

// TestFormat has the text of a contract as a lock file, of its entries, and of what a server with it lists.
func TestFormat(t *testing.T) {
	const path = "testdata/format.txt"
	c := everything()
	var b strings.Builder
	b.Write(c.Format())
	for _, e := range c.Entries() {
		b.WriteString("\n# " + e.Kind + " " + e.Name + "\n" + e.Text)
	}
	b.WriteString("\n# definitions\n")
	d := c.Definitions()
	write := func(list ...wire.Encodable) {
		for _, item := range list {
			text, err := wire.Marshal(wire.Any, item)
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString(string(text) + "\n")
		}
	}
	for i := range d.Tools {
		write(&d.Tools[i])
	}
	for i := range d.Prompts {
		write(&d.Prompts[i])
	}
	for i := range d.ResourceTemplates {
		write(&d.ResourceTemplates[i])
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
	again := parse(t, string(c.Format()))
	if got := lines(contract.Compare(c, again)) + lines(contract.Compare(again, c)); got != "" {
		t.Errorf("what is read differs:\n%s", got)
	}
	if string(again.Format()) != string(c.Format()) {
		t.Errorf("what is read is written as\n%s", again.Format())
	}
	if c.Empty() || !contract.New().Empty() {
		t.Error("which contracts are empty is wrong")
	}
}
