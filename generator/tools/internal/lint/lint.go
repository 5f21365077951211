// Package lint finds parts of tools that are valid, but that clients refuse or change before a model sees them:
// names, numbers and descriptions beyond their limits, and JSON Schema beyond the part that the model's API
// accepts. Where it is asked to, it also finds what a model cannot make out.
package lint

import (
	"encoding/json"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/schema"
)

// Profiles lists the clients, or the models behind them, that rules are about.
var Profiles = []string{"claude", "gemini", "openai", "vscode"}

// Model is the profile of rules about what any model can make out, which no client checks.
const Model = "model"

// MaxTools is how many tools a client accepts, unless the caller of [Check] knows better.
const MaxTools = 128

// A Finding is a rule that a tool violates.
type Finding struct {
	Rule     string
	Tool     string   // empty if it is about all of them
	Path     string   // of a schema, such as input.days; empty for the tool itself
	Profiles []string // the clients that it is about, sorted
	Text     string   // what was found
	Cure     string
	Pos      token.Position // of the function
}

// String returns the finding on one line, without its place.
func (f *Finding) String() string {
	s := f.Rule + ": "
	if f.Tool != "" {
		s += "tool " + f.Tool + ": "
	}
	if f.Path != "" {
		s += f.Path + ": "
	}
	s += f.Text
	if len(f.Profiles) > 0 {
		s += " (" + strings.Join(f.Profiles, ", ") + ")"
	}
	return s + "; " + f.Cure
}

// Check returns the findings in a package for clients of the given profiles, each of which accepts at most maxTools
// tools: first findings about all tools, then by tool. It leaves out findings that directives silence, and adds one
// for each directive that silences nothing for any client.
func Check(p *ir.Package, profiles []string, maxTools int) []*Finding {
	if len(profiles) == 0 {
		return nil
	}
	silent := silencesOf(p)
	found := slices.DeleteFunc(checkAll(p, profiles, maxTools), silent.has)
	for _, f := range checkAll(p, append(slices.Clone(Profiles), Model), maxTools) {
		silent.has(f)
	}
	return append(found, silent.unused()...)
}

// checkAll is Check without silences.
func checkAll(p *ir.Package, profiles []string, maxTools int) []*Finding {
	if len(p.Tools) == 0 {
		return nil
	}
	c := &checker{profiles: profiles, tools: p.Tools, maxTools: maxTools}
	c.check(true, &subject{tool: &ir.Tool{Func: p.Tools[0].Func}})
	for _, t := range p.Tools {
		c.check(false, &subject{tool: t, input: parse(schema.Input(t)), output: parse(schema.Output(t))})
	}
	return c.found
}

// A checker collects findings.
type checker struct {
	*subject
	rule     *Rule // that is being applied
	profiles []string
	tools    []*ir.Tool // all of them
	maxTools int
	found    []*Finding
}

// A subject is the tool that is looked at.
type subject struct {
	tool          *ir.Tool
	input, output map[string]any // schemas; nil if there is none
}

// check applies the rules that are about all tools, or about one.
func (c *checker) check(all bool, s *subject) {
	c.subject = s
	for i := range rules {
		if rules[i].all == all {
			c.rule = &rules[i].Rule
			rules[i].check(c)
		}
	}
}

// add adds a finding for profiles, if one of them was asked for.
func (c *checker) add(path, text string, profiles ...string) {
	profiles = slices.DeleteFunc(slices.Clone(profiles), func(p string) bool { return !slices.Contains(c.profiles, p) })
	if len(profiles) == 0 {
		return
	}
	slices.Sort(profiles)
	f := &Finding{Rule: c.rule.Name, Tool: c.tool.Name, Path: path, Profiles: profiles, Text: text, Cure: c.rule.Cure}
	if c.tool.Func != nil {
		f.Pos = c.tool.Func.Pos
	}
	for _, g := range c.found {
		if g.Rule == f.Rule && g.Tool == f.Tool && g.Path == f.Path && g.Text == f.Text {
			g.Profiles = slices.Compact(slices.Sorted(slices.Values(slices.Concat(g.Profiles, profiles))))
			return
		}
	}
	c.found = append(c.found, f)
}

// parse reads a schema that was generated; nil if there is none.
func parse(text string) map[string]any {
	if text == "" {
		return nil
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		panic(fmt.Sprintf("schema %s: %v", text, err))
	}
	return m
}

// walk visits a schema and all in it, with their paths.
func walk(path string, v any, visit func(path string, s map[string]any)) {
	s, ok := v.(map[string]any)
	if !ok {
		return
	}
	visit(path, s)
	for _, k := range slices.Sorted(maps.Keys(s)) {
		switch v := s[k].(type) {
		case map[string]any:
			walkMember(path, k, v, visit)
		case []any:
			if k == "oneOf" || k == "anyOf" || k == "allOf" || k == "prefixItems" {
				for i, item := range v {
					walk(fmt.Sprintf("%s(%s %d)", path, k, i+1), item, visit)
				}
			}
		}
	}
}

// walkMember visits the schemas below a keyword that holds an object: one schema, or several by name. Their paths are
// for people: input.days of properties, input.tags[] of items, and in parentheses what values do not show.
func walkMember(path, keyword string, v map[string]any, visit func(path string, s map[string]any)) {
	switch keyword {
	case "properties", "patternProperties":
		for _, name := range slices.Sorted(maps.Keys(v)) {
			walk(path+"."+name, v[name], visit)
		}
	case "$defs":
		for _, name := range slices.Sorted(maps.Keys(v)) {
			walk(path+" ("+name+")", v[name], visit)
		}
	case "items":
		walk(path+"[]", v, visit)
	case "additionalProperties":
		walk(path+".*", v, visit)
	case "not", "if", "then", "else", "contains":
		walk(path+" ("+keyword+")", v, visit)
	}
}

// recursive returns the name of a definition that leads to itself; empty if none does.
func recursive(root map[string]any) string {
	defs, _ := root["$defs"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(defs)) {
		if leads(defs, name, "#/$defs/"+name, map[string]bool{}) {
			return name
		}
	}
	return ""
}

// leads reports whether a definition refers to another one, directly or indirectly.
func leads(defs map[string]any, from, to string, seen map[string]bool) (does bool) {
	seen[from] = true
	walk("", defs[from], func(_ string, s map[string]any) {
		ref, _ := s["$ref"].(string)
		next, known := strings.CutPrefix(ref, "#/$defs/")
		does = does || ref == to || known && !seen[next] && leads(defs, next, to, seen)
	})
	return does
}
