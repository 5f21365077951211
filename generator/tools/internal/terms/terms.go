// Package terms makes the contract of a package: what the callers of its functions depend on.
package terms

import (
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/contract"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/schema"
)

// The kinds of results that have no schema.
var (
	toolResults = map[ir.OutputKind]string{
		ir.NoOutput: contract.NoResult, ir.TextOutput: contract.TextResult, ir.ContentOutput: contract.ContentResult, ir.WholeOutput: contract.WholeResult,
	}
	promptResults = map[ir.PromptOutput]string{
		ir.PromptText: contract.TextResult, ir.PromptMessages: contract.MessagesResult, ir.PromptWhole: contract.WholeResult,
	}
	resourceResults = map[ir.ResourceOutput]string{
		ir.ResourceText: contract.TextResult, ir.ResourceBlob: contract.BlobResult, ir.ResourceJSON: contract.JSONResult,
		ir.ResourceContents: contract.ContentResult, ir.ResourceWhole: contract.WholeResult,
	}
)

// Of returns the contract of a package as it is.
func Of(p *ir.Package) *contract.Contract {
	c := contract.New()
	for _, t := range p.Tools {
		key := t.Name
		if t.Variant != "" {
			key += contract.VariantMark + t.Variant
		}
		c.Tools[key] = tool(t)
	}
	for _, x := range p.Prompts {
		prompt := &contract.Prompt{Access: access(&x.Access), Result: promptResults[x.Output]}
		prompt.SetArguments(schema.ExactInput(&ir.Tool{Input: x.Arguments}))
		c.Prompts[x.Name] = prompt
	}
	for _, r := range p.Resources {
		x := &contract.Resource{Name: r.Name, MIMEType: r.MIMEType, Access: access(&r.Access), Result: resourceResults[r.Output]}
		if r.Template {
			x.SetVariables(schema.ExactInput(&ir.Tool{Input: r.Variables}))
		}
		if r.Output == ir.ResourceJSON {
			x.SetOutput(schema.ExactOf(r.Func.Results[0].Type))
		}
		c.Resources[r.URI] = x
	}
	return c
}

// tool returns the contract of a tool. Its promises and demands are in the order of contract.Promises and
// contract.Demands. A hint that only repeats its default in the protocol promises nothing.
func tool(t *ir.Tool) *contract.Tool {
	tool := &contract.Tool{Access: access(&t.Access)}
	tool.SetInput(schema.ExactInput(t))
	for i, given := range []bool{
		t.ReadOnly != nil && *t.ReadOnly,
		t.Destructive != nil && !*t.Destructive,
		t.Idempotent != nil && *t.Idempotent,
		t.OpenWorld != nil && !*t.OpenWorld,
		t.Task != "",
	} {
		if given {
			tool.Promises = append(tool.Promises, contract.Promises[i])
		}
	}
	for i, demanded := range []bool{!t.Coerce && len(t.Input) > 0, t.Task == "required", len(t.Confirm) > 0} {
		if demanded {
			tool.Demands = append(tool.Demands, contract.Demands[i])
		}
	}
	if t.OnlyApps { // models of other clients do not see it
		tool.Needs = sorted(append(tool.Needs, "apps"))
	}
	switch text := schema.ExactOutput(t); {
	case t.Output.Text:
		tool.Result = contract.TextResult
	case text == "":
		tool.Result = toolResults[t.Output.Kind]
	default:
		tool.SetOutput(text)
		if t.Output.Content {
			tool.Result = contract.ContentResult
		}
	}
	return tool
}

func access(a *ir.Access) contract.Access {
	return contract.Access{Scopes: sorted(a.Scopes), Needs: sorted(a.Needs), MinRevision: a.MinRevision}
}

// sorted returns the words in order, so that their order in a directive has no meaning.
func sorted(words []string) []string { return slices.Sorted(slices.Values(words)) }
