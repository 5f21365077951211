package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/schema"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/toolsearch"
)

// A Cost is how much of a model's context the definition of a tool takes.
type Cost struct {
	Tool   string
	Bytes  int // of the definition in the result of tools/list
	Tokens int // an estimate
}

// bytesPerToken is roughly how many bytes a token has, in English text and in JSON. It differs between models, and
// for other languages.
const bytesPerToken = 4

// Budget returns the costs of the tools that models see, the largest first.
func (p *Package) Budget() []Cost {
	var all []Cost
	for _, t := range p.ir.Tools {
		if !t.OnlyApps {
			all = append(all, costOf(t.Name, len(definition(t))))
		}
	}
	slices.SortStableFunc(all, func(a, b Cost) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return all
}

// SearchBudget returns the costs of the tools that clients see in place of all others of a server with search: see package
// toolsearch.
func SearchBudget() []Cost {
	var all []Cost
	for i := range server.New(mcp.Implementation{}, toolsearch.Enable(nil, nil)).Items() {
		t := i.Definition.(*mcp.Tool)
		text, err := json.Marshal(t)
		if err != nil {
			panic(err) // they are ours
		}
		all = append(all, costOf(t.Name, len(text)))
	}
	return all
}

func costOf(tool string, bytes int) Cost {
	return Cost{tool, bytes, (bytes + bytesPerToken - 1) / bytesPerToken}
}

// definition returns a tool as the newest revision lists it.
func definition(t *ir.Tool) []byte {
	type annotations struct {
		ReadOnly    *bool `json:"readOnlyHint,omitempty"`
		Destructive *bool `json:"destructiveHint,omitempty"`
		Idempotent  *bool `json:"idempotentHint,omitempty"`
		OpenWorld   *bool `json:"openWorldHint,omitempty"`
	}
	d := struct {
		Name        string          `json:"name"`
		Title       string          `json:"title,omitempty"`
		Description string          `json:"description,omitempty"`
		Input       json.RawMessage `json:"inputSchema"`
		Output      json.RawMessage `json:"outputSchema,omitempty"`
		Annotations *annotations    `json:"annotations,omitempty"`
	}{Name: t.Name, Title: t.Title, Description: t.Description, Input: json.RawMessage(schema.Input(t)), Output: json.RawMessage(schema.Output(t))}
	if a := (annotations{t.ReadOnly, t.Destructive, t.Idempotent, t.OpenWorld}); a != (annotations{}) {
		d.Annotations = &a
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(d); err != nil {
		panic(err) // schemas are JSON
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
