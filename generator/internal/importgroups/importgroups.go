// Package importgroups groups the imports of generated code as people do: the standard library first, then all
// others.
package importgroups

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// Separate moves the standard library's imports of formatted source before all others, with an empty line between
// them. Like goimports, it assumes that a path belongs to the standard library if there is no dot before its first
// slash.
func Separate(src []byte) []byte {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.ImportsOnly)
	if err != nil || len(file.Decls) == 0 {
		return src
	}
	list := file.Decls[0].(*ast.GenDecl)
	if !list.Lparen.IsValid() {
		return src
	}
	start, end := fset.Position(list.Lparen).Offset+len("(\n"), fset.Position(list.Rparen).Offset
	var std, others []string
	for line := range strings.Lines(string(src[start:end])) {
		if isStd(line) {
			std = append(std, line)
		} else {
			others = append(others, line)
		}
	}
	if len(std) == 0 || len(others) == 0 {
		return src
	}
	return slices.Concat(src[:start], []byte(strings.Join(std, "")+"\n"+strings.Join(others, "")), src[end:])
}

// isStd reports whether a line, such as `name "path"`, imports a package of the standard library.
func isStd(line string) bool {
	_, path, _ := strings.Cut(line, `"`)
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
