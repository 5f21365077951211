// Package client generates typed clients: from what a server offers, a Go package with a method for each of its
// tools, prompts and resource templates, and with Go types for what these accept and return.
//
// It exists for the command mcpgen and its tests: its API promises nothing.
package client

import (
	"errors"
	"fmt"
	"go/token"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
)

// A Contract is what a server offers, as its lists say.
type Contract struct {
	Server            mcp.Implementation
	Tools             []mcp.Tool
	Prompts           []mcp.Prompt
	ResourceTemplates []mcp.ResourceTemplate
}

// Options configures what is generated.
type Options struct {
	// Package is the name of the package.
	Package string
	// Names are the Go names of an earlier run, by path: [Generated.Names]. What still is there keeps its name.
	Names map[string]string
	// Strict makes every mistake an error. Otherwise arguments and results whose schema has a mistake are raw values,
	// and what [Contract.Settle] leaves out is left out.
	Strict bool
}

// Generated is a typed client.
type Generated struct {
	// Source is the one file of the package, as gofmt writes it.
	Source []byte
	// Names are the Go names, by the paths of what they name: "tools/create_issue" is the method of a tool,
	// "tools/create_issue/input#" the type of its arguments, and with "field " before a path it is that of a field.
	Names map[string]string
	// Untyped are the parts of schemas that became raw values, in the order of the tools.
	Untyped []Untyped
	// Mistakes are the mistakes in schemas, in the order of the tools. Arguments and results with such a schema are among
	// the untyped parts.
	Mistakes []*Error
	// LeftOut lists what was left out because no client can have it.
	LeftOut []*LeftOut
}

// Untyped is a part of a schema that has no exact Go type, and is a wire.Raw instead.
type Untyped struct {
	Tool    string
	Output  bool   // whether it is in the output schema, not in the input schema
	Pointer string // the JSON pointer of the part: "/properties/filter"
	Why     string
}

// An Error says what is wrong with the schema of a tool.
type Error struct {
	Tool    string
	Output  bool // whether it is in the output schema, not in the input schema
	Pointer string
	Msg     string
}

func (e *Error) Error() string {
	which := "inputSchema"
	if e.Output {
		which = "outputSchema"
	}
	return fmt.Sprintf("tool %q: %s: %q: %s", e.Tool, which, "#"+e.Pointer, e.Msg)
}

// Generate returns the typed client of a server. The same contract and options give the same bytes. With [Options.Strict],
// the error wraps an *[Error] for each mistake in a schema, and a *[LeftOut] for each part that would be left out.
func Generate(c *Contract, o Options) (*Generated, error) {
	if !token.IsIdentifier(o.Package) || o.Package == "_" {
		return nil, fmt.Errorf("client: want an identifier as the name of the package, got %q", o.Package)
	}
	c, left := c.Settle()
	g := newGenerator(c, o)
	if o.Strict {
		for _, l := range left {
			g.errs = append(g.errs, l)
		}
	}
	g.lower()
	mistakes := g.mistakes()
	if n := len(mistakes); n > 0 && n == len(g.errs) && !o.Strict {
		// Begin anew: parts of the mistaken schemas are already in the types of others.
		g = newGenerator(c, o)
		g.mistaken = make(map[part]*Error)
		for _, e := range slices.Backward(mistakes) {
			g.mistaken[part{e.Tool, e.Output}] = e
		}
		g.lower()
	}
	if len(g.errs) > 0 {
		return nil, errors.Join(g.errs...)
	}
	for range 2 { // the names of types that contain others decide where these others are
		g = g.again()
		g.lower()
	}
	source, err := g.emit()
	if err != nil {
		return nil, err
	}
	return &Generated{Source: source, Names: g.names.given, Untyped: g.untyped, Mistakes: mistakes, LeftOut: left}, nil
}
