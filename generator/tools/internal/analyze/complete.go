package analyze

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// A target is a prompt or resource for which completions can exist.
type target struct {
	names       []string // of its arguments or variables
	plain       bool     // a resource without variables
	completions *[]*ir.Completion
}

// A completed function is one that completions name. It has one target, or two if it is both a prompt and a
// resource.
type completed struct {
	fn      *ir.Func
	targets []target
}

// addTarget registers a function that completions can name.
func (a *analyzer) addTarget(f *function, t target) {
	c := a.completed[f.obj]
	if c == nil {
		c = &completed{fn: f.Func}
		a.completed[f.obj] = c
	}
	c.targets = append(c.targets, t)
}

// plain reports whether a function has nothing that can be completed.
func (c *completed) plain() bool {
	return !slices.ContainsFunc(c.targets, func(t target) bool { return !t.plain })
}

// names returns what can be completed.
func (c *completed) names() []string {
	var names []string
	for _, t := range c.targets {
		names = append(names, t.names...)
	}
	return names
}

// A completion is a function that suggests values, with the directive that names its target.
type completion struct {
	f *function
	d *directive.Directive
}

// completion analyzes a function that suggests values. Its target may be declared later.
func (a *analyzer) completion(f *function, d *directive.Directive) {
	f.Completion()
	for _, n := range f.notes {
		if slices.Contains([]string{"param", "title", "desc", "icon", "meta"}, n.Name) {
			a.problems.Addf(n.Pos(), "%s: nobody sees this of a completion", n)
		}
	}
	if len(d.Words) == 2 {
		a.completions = append(a.completions, completion{f, d})
	}
}

// complete binds completions to their targets.
func (a *analyzer) complete() {
	byName := make(map[string]*completed)
	for _, t := range a.completed {
		byName[t.fn.GoName()] = t
	}
	known := slices.Sorted(maps.Keys(byName))
	type argument struct {
		fn   *ir.Func
		name string
	}
	taken := make(map[argument]token.Pos)
	for _, c := range a.completions {
		name, arg := c.d.Words[0], c.d.Words[1]
		t, ok := byName[name.Text]
		switch {
		case !ok && len(known) == 0:
			a.problems.Addf(name.Pos, "%s: this package has no prompts and no resources", c.d)
		case !ok && spelling.Nearest(name.Text, known) == "":
			a.problems.Addf(name.Pos, "%s: %s is no function with //mcp:prompt or //mcp:resource; there are %s", c.d, name.Text, strings.Join(known, ", "))
		case !ok:
			a.problems.Addf(name.Pos, "%s: %s is no function with //mcp:prompt or //mcp:resource%s", c.d, name.Text, spelling.DidYouMean(name.Text, known))
			a.problems.Suggest(name.Text, spelling.Nearest(name.Text, known))
		case t.plain():
			a.problems.Addf(name.Pos, "%s: %s is one resource, without variables", c.d, name.Text)
		case !slices.Contains(t.names(), arg.Text):
			a.problems.Addf(arg.Pos, "%s: %s has no argument %s%s", c.d, name.Text, arg.Text, spelling.DidYouMean(arg.Text, t.names()))
			a.problems.Suggest(arg.Text, spelling.Nearest(arg.Text, t.names()))
		case c.f.Func.Recv != nil && (t.fn.Recv == nil || t.fn.Receiver() != c.f.Func.Receiver()):
			a.problems.Addf(c.d.Pos(), "%s: the completion is a method of %s, and %s is not; use a function, or a method of the same type", c.d, c.f.Func.Receiver().Obj().Name(), name.Text)
		case taken[argument{t.fn, arg.Text}] != token.NoPos:
			a.problems.Addf(c.d.Pos(), "%s: %s of %s is completed already, at line %d", c.d, arg.Text, name.Text, a.pkg.Position(taken[argument{t.fn, arg.Text}]).Line)
		default:
			taken[argument{t.fn, arg.Text}] = c.d.Pos()
			for _, t := range t.targets {
				if slices.Contains(t.names, arg.Text) {
					*t.completions = append(*t.completions, &ir.Completion{Argument: arg.Text, Func: c.f.Func, Pos: a.pkg.Position(c.d.Pos())})
				}
			}
		}
	}
}
