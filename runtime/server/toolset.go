package server

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
)

// A Toolset selects what a server lists and serves, and can replace the texts of tools. The zero value selects
// everything that belongs to no feature. [Server.SetToolset] sets it.
//
// Enable and Disable hold names of tools, or patterns as those of [path.Match]. If several fields apply to an item,
// ReadOnly takes precedence over Enable, and Enable over Disable, Groups and Features. So {Disable: {"*"}, Enable:
// {"a", "b"}} selects the tools a and b alone.
type Toolset struct {
	// Groups lists the groups that are offered, in addition to items without a group. None means all groups.
	Groups []string `json:"groups,omitempty"`

	// Features lists the features that are offered, in addition to items without a feature.
	Features []string `json:"features,omitempty"`

	// Enable names tools that are offered whatever Disable, Groups and Features say.
	Enable []string `json:"enable,omitempty"`

	// Disable names tools that are not offered.
	Disable []string `json:"disable,omitempty"`

	// ReadOnly removes all tools but those that declare that they change nothing.
	ReadOnly bool `json:"readOnly,omitempty"`

	// Tools has other texts for tools, by name.
	Tools map[string]ToolText `json:"tools,omitempty"`
}

// A ToolText replaces texts in the definition of a tool. An empty text replaces nothing.
type ToolText struct {
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
}

// Flags declares flags that set t: -enable, -disable, -groups and -features, with values separated by commas,
// -read-only, and -toolset with the name of a file for [Toolset.Load]. The names given by flags and by the file add
// up.
func (t *Toolset) Flags(fs *flag.FlagSet) {
	list := func(name, usage string, to *[]string) {
		fs.Func(name, usage, func(value string) error {
			*to = append(*to, strings.Split(value, ",")...)
			return nil
		})
	}
	list("enable", "offer the tools with these `names`, whatever groups, features and -disable say", &t.Enable)
	list("disable", "do not offer the tools with these `names`", &t.Disable)
	list("groups", "of all `groups`, offer these only", &t.Groups)
	list("features", "offer these `features`, too", &t.Features)
	fs.BoolVar(&t.ReadOnly, "read-only", t.ReadOnly, "offer only tools that change nothing")
	fs.Func("toolset", "read a selection, and texts of tools, from a JSON `file`", t.Load)
}

// Load adds the contents of a file: a JSON object with the members groups, features, enable, disable, readOnly, and
// tools, an object that maps the names of tools to objects with title and description.
func (t *Toolset) Load(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var more Toolset
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&more); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	t.Groups = append(t.Groups, more.Groups...)
	t.Features = append(t.Features, more.Features...)
	t.Enable = append(t.Enable, more.Enable...)
	t.Disable = append(t.Disable, more.Disable...)
	t.ReadOnly = t.ReadOnly || more.ReadOnly
	for name, text := range more.Tools {
		if t.Tools == nil {
			t.Tools = make(map[string]ToolText)
		}
		t.Tools[name] = text
	}
	return nil
}

// clone returns a copy that shares nothing with t.
func (t *Toolset) clone() Toolset {
	return Toolset{
		slices.Clone(t.Groups), slices.Clone(t.Features), slices.Clone(t.Enable), slices.Clone(t.Disable), t.ReadOnly, maps.Clone(t.Tools),
	}
}

// A selection is a Toolset in use. Nil is the zero Toolset.
type selection struct{ Toolset }

// SetToolset selects what the server offers from now on, and notifies clients that the lists have changed. Call it
// once everything is registered: a name in t that does not exist is an error, since a typing mistake in Disable
// must not leave a tool enabled. Items that are registered later are subject to t, too.
func (s *Server) SetToolset(t Toolset) error {
	if err := s.checkToolset(&t); err != nil {
		return fmt.Errorf("server: SetToolset: %w", err)
	}
	before := s.Toolset()
	s.selection.Store(&selection{t.clone()})
	// After that, so that no page made before is kept.
	s.tools.forget()
	s.prompts.forget()
	s.resources.forget()
	s.templates.forget()
	s.listChanged(toolsList)
	if !slices.Equal(before.Groups, t.Groups) || !slices.Equal(before.Features, t.Features) {
		s.listChanged(promptsList | resourcesList)
	}
	return nil
}

// Toolset returns a copy of the toolset that [Server.SetToolset] has set.
func (s *Server) Toolset() Toolset {
	if selected := s.selection.Load(); selected != nil {
		return selected.clone()
	}
	return Toolset{}
}

// checkToolset checks that what a toolset names exists.
func (s *Server) checkToolset(t *Toolset) error {
	var names, groups, features []string
	order, _ := s.tools.sorted()
	for _, t := range order {
		names = append(names, t.key)
	}
	for _, g := range s.gates() {
		groups = append(groups, g.group)
		features = append(features, g.feature)
	}
	for _, pattern := range slices.Concat(t.Enable, t.Disable) {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("tool %q: %w", pattern, err)
		}
		if !strings.ContainsAny(pattern, `*?[\`) {
			if err := oneOf("tool", pattern, names); err != nil {
				return err
			}
		}
	}
	for name := range t.Tools {
		if err := oneOf("tool", name, names); err != nil {
			return err
		}
	}
	for _, name := range t.Groups {
		if err := oneOf("group", name, groups); err != nil {
			return err
		}
	}
	for _, name := range t.Features {
		if err := oneOf("feature", name, features); err != nil {
			return err
		}
	}
	return nil
}

// gates returns the gates of all that is registered.
func (s *Server) gates() []*gate {
	return slices.Concat(gatesOf(&s.tools), gatesOf(&s.prompts), gatesOf(&s.resources), gatesOf(&s.templates))
}

func gatesOf[T kind](r *registry[T]) (gates []*gate) {
	order, _ := r.sorted()
	for _, t := range order {
		if g := t.common().gate; g != nil {
			gates = append(gates, g)
		}
	}
	return gates
}

// oneOf returns an error if name is not one of the known names.
func oneOf(kind, name string, known []string) error {
	if name != "" && slices.Contains(known, name) {
		return nil
	}
	known = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(known))), func(s string) bool { return s == "" })
	if len(known) == 0 {
		return fmt.Errorf("there is no %s %q; there are none at all", kind, name)
	}
	const most = 30
	list := strings.Join(known[:min(len(known), most)], ", ")
	if len(known) > most {
		list += ", …"
	}
	return fmt.Errorf("there is no %s %q; there are %s", kind, name, list)
}

// has reports whether an item is selected.
func (s *selection) has(i *item) bool {
	g := i.gate
	if s == nil {
		return g == nil || g.feature == ""
	}
	if t, ok := i.definition.(*mcp.Tool); ok {
		switch {
		case s.ReadOnly && !t.Annotations.GetReadOnlyHint():
			return false
		case matches(s.Enable, t.Name):
			return true
		case matches(s.Disable, t.Name):
			return false
		}
	}
	return g == nil || (g.group == "" || len(s.Groups) == 0 || slices.Contains(s.Groups, g.group)) &&
		(g.feature == "" || slices.Contains(s.Features, g.feature))
}

// matches reports whether a name is, or matches, one of some patterns.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, _ := path.Match(pattern, name)
		return ok || pattern == name
	})
}

// describe returns the definition of a tool with the texts of the toolset.
func (s *selection) describe(def mcp.Tool) mcp.Tool {
	if s == nil {
		return def
	}
	text := s.Tools[def.Name]
	if text.Title != "" {
		def.Title = text.Title
		if def.Annotations != nil && def.Annotations.Title != "" {
			def.Annotations = new(*def.Annotations)
			def.Annotations.Title = text.Title
		}
	}
	if text.Description != "" {
		def.Description = text.Description
	}
	return def
}
