package limits_test

import (
	"go/ast"
	"go/types"
	"regexp"
	"strings"
	"testing"
)

var (
	configures = regexp.MustCompile(`(Options|Limits|Checker)$`)
	numeric    = regexp.MustCompile(`^(int|int64|time\.Duration)$`)
)

// What a negative value of an option means is in its comment, or in that of its struct.
func TestNegative(t *testing.T) {
	eachFile(t, func(file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			decl, ok := n.(*ast.GenDecl)
			if !ok {
				return true
			}
			for _, spec := range decl.Specs {
				s, ok := spec.(*ast.TypeSpec)
				if !ok || !s.Name.IsExported() || !configures.MatchString(s.Name.Name) {
					continue
				}
				checkNegative(t, file.Name.Name+"."+s.Name.Name, decl.Doc.Text()+s.Doc.Text(), s.Type)
			}
			return true
		})
	})
}

func checkNegative(t *testing.T, name, doc string, of ast.Expr) {
	s, ok := of.(*ast.StructType)
	if !ok || strings.Contains(doc, "negative") {
		return
	}
	said := "" // the last comment of a field, which may be about the next ones, too
	for _, field := range s.Fields.List {
		if text := field.Doc.Text() + field.Comment.Text(); text != "" {
			said = text
		}
		if !numeric.MatchString(types.ExprString(field.Type)) || strings.Contains(said, "negative") {
			continue
		}
		for _, x := range field.Names {
			if !x.IsExported() {
				continue
			}
			t.Errorf("%s.%s: the comment does not say what a negative value means", name, x.Name)
		}
	}
}
