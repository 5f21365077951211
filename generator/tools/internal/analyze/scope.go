package analyze

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
)

// scopes reads the scopes that a directive gives. Variables are those of a template, which its scopes may
// name.
//
// See https://www.rfc-editor.org/rfc/rfc6749#section-3.3
func (a *analyzer) scopes(d *directive.Directive, variables []string) []string {
	v := d.Get("scope")
	if v == nil {
		return nil
	}
	var all []string
	for _, scope := range directive.Split(v.Text) {
		problem := scopeProblem(scope, variables)
		switch {
		case problem != "":
			a.problems.Addf(v.Pos, "%s: %s", d, problem)
		case slices.Contains(all, scope):
			a.problems.Addf(v.Pos, "%s: the scope %s is given twice", d, scope)
		default:
			all = append(all, scope)
		}
	}
	return all
}

// scopeProblem says what is wrong with a scope.
func scopeProblem(scope string, variables []string) string {
	if scope == "" {
		return "a scope is empty; scopes stand between commas, as in scope=files:read,files:write"
	}
	for _, r := range scope {
		if r <= ' ' || r > '~' || r == '"' || r == '\\' {
			return fmt.Sprintf("the scope %q has the character %q: want visible ASCII other than \" and \\; a comma separates scopes", scope, r)
		}
	}
	for rest := scope; ; {
		i := strings.IndexAny(rest, "{}")
		if i < 0 {
			return ""
		}
		if variables == nil {
			return fmt.Sprintf("the scope %s has a variable, and only resource templates have variables; want a scope without braces", scope)
		}
		name, after, closed := strings.Cut(rest[i+1:], "}")
		switch {
		case rest[i] == '}' || !closed || name == "" || strings.Contains(name, "{"):
			return fmt.Sprintf("the braces of the scope %s surround no variable; one is written {%s}", scope, variables[0])
		case !slices.Contains(variables, name):
			return fmt.Sprintf("the scope %s: the template has no variable %s%s", scope, name, orList(name, variables))
		}
		rest = after
	}
}

// orList suggests the nearest of some names, or else lists them all.
func orList(name string, known []string) string {
	if s := spelling.DidYouMean(name, known); s != "" {
		return s
	}
	return "; it has " + strings.Join(known, ", ")
}
