package signature

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/tools/internal/analyzetest"
	"github.com/mcpgen/mcpgen/generator/tools/internal/constraint"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/jsontype"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// TestCases compares what is found out about annotated functions, and what is wrong with them.
func TestCases(t *testing.T) {
	analyzetest.Cases(t, func(pkg *source.Package) string {
		var b strings.Builder
		var problems directive.Problems
		checker := constraint.NewChecker(problems.Addf, pkg.TypeString)
		a := New(pkg, &problems, checker, jsontype.New(pkg, &problems, checker))
		var writes []func()
		for _, f := range pkg.Files {
			scanned := pkg.Sources.Scan(f)
			problems = append(problems, scanned.Problems...)
			for _, decl := range f.Decls {
				decl, ok := decl.(*ast.FuncDecl)
				if !ok {
					continue
				}
				for _, d := range scanned.Notes[decl] {
					if !slices.Contains(source.Kinds, d.Name) {
						continue
					}
					f := a.Read(decl, pkg.Info.Defs[decl.Name].(*types.Func), d, scanned.Notes[decl])
					if f == nil {
						fmt.Fprintf(&b, "%s %s: invalid\n", d.Name, decl.Name.Name)
						continue
					}
					writes = append(writes, describe(&b, pkg, f))
				}
			}
		}
		checker.Finish()
		for _, write := range writes {
			write()
		}
		return b.String() + analyzetest.Problems(pkg, problems)
	})
}

// describe finds out all about a function, and returns a function that writes it.
func describe(b *strings.Builder, pkg *source.Package, f *Function) func() {
	var arguments []*ir.Property
	if f.by.Name != "complete" {
		arguments = f.Arguments()
	}
	var groups [][]string
	become := ""
	var output ir.Output
	switch f.by.Name {
	case "tool":
		groups = f.OneOf(arguments)
		output = f.ToolOutput()
		become = map[ir.OutputKind]string{
			ir.NoOutput: "none", ir.TextOutput: "text", ir.ContentOutput: "content", ir.WholeOutput: "whole",
			ir.ObjectOutput: "object", ir.WrappedOutput: "wrapped", ir.NamedOutput: "named", ir.StreamOutput: "stream",
		}[output.Kind]
	case "prompt":
		become = map[ir.PromptOutput]string{ir.PromptText: "text", ir.PromptMessages: "messages", ir.PromptWhole: "whole"}[f.PromptOutput()]
	case "resource":
		kind, mediaType := f.ResourceOutput()
		become = map[ir.ResourceOutput]string{
			ir.ResourceText: "text", ir.ResourceBlob: "blob", ir.ResourceJSON: "JSON", ir.ResourceContents: "contents", ir.ResourceWhole: "whole",
		}[kind] + " " + mediaType
	case "complete":
		f.Completion()
	}
	return func() {
		fmt.Fprintf(b, "%s %s", f.by.Name, f.Func.GoName())
		for i, t := range f.Func.TypeArgs {
			fmt.Fprintf(b, "%s%s", []string{" of ", ", "}[min(i, 1)], pkg.TypeString(t))
		}
		b.WriteString("(")
		for i, p := range f.Func.Params {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(injectedNames[p.Injected] + p.Name)
			if p.Variadic {
				b.WriteString("…")
			}
			if p.Whole != nil {
				b.WriteString(" whole")
			}
			if p.Property != nil {
				b.WriteString(" " + pkg.Position(f.PosOf(p.Property)).String()[1:])
			}
		}
		b.WriteString(")")
		for _, r := range f.Func.Results {
			b.WriteString(" " + r.Name)
			if r.Type != nil {
				b.WriteString("<" + analyzetest.Type(r.Type) + ">")
			}
		}
		if f.Func.Content != nil {
			b.WriteString(" and content")
		}
		if f.Func.Error {
			b.WriteString(" or error")
		}
		fmt.Fprintf(b, " → %s", become)
		if output.Content {
			b.WriteString(" with content")
		}
		if output.Result {
			b.WriteString(" in a result")
		}
		if f.Open {
			b.WriteString(" open")
		}
		b.WriteString("\n")
		if f.Title != "" {
			fmt.Fprintf(b, "  title %q\n", f.Title)
		}
		if f.Description != "" {
			fmt.Fprintf(b, "  %q\n", f.Description)
		}
		for _, p := range arguments {
			fmt.Fprintf(b, "  %s\n", analyzetest.Property(p))
		}
		for _, names := range groups {
			fmt.Fprintf(b, "  one of %s\n", strings.Join(names, ", "))
		}
		if output.Type != nil {
			fmt.Fprintf(b, "  output %s\n", analyzetest.Type(output.Type))
		}
		for _, p := range output.Members {
			fmt.Fprintf(b, "  member %s\n", analyzetest.Property(p))
		}
	}
}

var injectedNames = map[ir.Injected]string{
	ir.Context: "context ", ir.Call: "call ", ir.Progress: "progress ", ir.Logger: "logger ", ir.GoSDKRequest: "request ", ir.Value: "value ", ir.Settled: "settled ",
}
