package tools

import "github.com/mcpgen/mcpgen/generator/tools/internal/constraint"

// Unchecked returns the places of what a JSON Schema in a directive says and generated code does not check, such as
// /properties/a/if. Such a directive must say unchecked.
func Unchecked(schema string) []string { return constraint.Unchecked(schema) }
