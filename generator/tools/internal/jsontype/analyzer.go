// Package jsontype determines what Go types are in JSON: from a type of go/types it makes a type of the IR, with the
// properties of structs, the arms of unions, and the constants of enums. By and large it follows encoding/json; where
// that leaves a model without a schema, as for a channel or for an interface that any type could implement, it adds a
// problem that says what to use in place of the type.
//
// A type can have two forms, since it may be read by one method and written by another: each use has a Direction.
//
//	types.go       the kinds of types, and which of them are refused
//	structs.go     which fields a struct has in JSON; field.go what each of them is
//	methods.go     types with MarshalJSON, MarshalText and their like; known.go some of the standard library
//	unions.go      sealed interfaces; enums.go types with constants
//	recursive.go   types that contain themselves
//	directives.go  what directives say about types; foreign.go about those of other packages
//	forms.go       the structs that a server asks its users for
package jsontype

import (
	"go/types"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/mcpgen/mcpgen/generator/tools/internal/constraint"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// An Analyzer determines what the types that one package uses are in JSON. It returns the same ir.Type for a named type
// each time, and one for each direction. Types that are refused are of the kind Invalid.
type Analyzer struct {
	pkg         *source.Package
	problems    *directive.Problems
	constraints *constraint.Checker

	built    [2]typeutil.Map               // *ir.Type of named types, by direction
	taken    map[string]types.Type         // the names of types
	used     map[*directive.Directive]bool // those of fields and types that were looked at
	consts   map[*types.Package]map[*types.TypeName][]*types.Const
	building map[*ir.Type]bool
	waiting  map[*ir.Type][]func() // what is done when a type has been built
	nesting  int                   // of structs without names
	firstUse map[*ir.Type]*Site    // of named types
	refused  map[*ir.Type]string   // why a type cannot be used
	refusals map[*ir.Type]*refusal
	said     map[said]bool
	abouts   []*about // types of other packages
	cyclic   bool     // a type contains itself
}

// New returns an Analyzer that adds what is wrong to problems. It applies the directives of fields by constraints, which
// are complete after their Finish.
func New(pkg *source.Package, problems *directive.Problems, constraints *constraint.Checker) *Analyzer {
	return &Analyzer{
		pkg:         pkg,
		problems:    problems,
		constraints: constraints,
		taken:       make(map[string]types.Type),
		used:        make(map[*directive.Directive]bool),
		consts:      make(map[*types.Package]map[*types.TypeName][]*types.Const),
		building:    make(map[*ir.Type]bool),
		waiting:     make(map[*ir.Type][]func()),
		firstUse:    make(map[*ir.Type]*Site),
		refused:     make(map[*ir.Type]string),
		refusals:    make(map[*ir.Type]*refusal),
		said:        make(map[said]bool),
	}
}

// Type returns the form of a type in JSON. Which types are recursive is known after Finish.
func (a *Analyzer) Type(t types.Type, at Site) *ir.Type { return a.typeOf(t, &at) }

// Finish follows the last Type and Form. It marks recursive types, refuses those that have no values, and checks the
// directives of fields that no use has led to.
func (a *Analyzer) Finish(files []*source.File) {
	a.markRecursive()
	a.endless()
	a.checkUse(files)
	a.countRefusals()
}
