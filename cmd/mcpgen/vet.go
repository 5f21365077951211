package main

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/mcpgen/mcpgen/generator/tools/analyzer"
)

// isVet reports whether the command line is one by which go vet runs its tool: it asks for the
// version, for the flags, and then has a package checked that a .cfg file describes.
func isVet(args []string) bool {
	if slices.Equal(args, []string{"-V=full"}) || slices.Equal(args, []string{"-flags"}) {
		return true
	}
	first := slices.IndexFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	return first >= 0 && first == len(args)-1 && strings.HasSuffix(args[first], ".cfg")
}

// vet runs as a tool of go vet, and does not return.
func vet() { unitchecker.Main(analyzer.Analyzer) }
