// Package toolset selects what a server lists and serves, before it starts and while it runs, and replaces the texts of
// tools.
//
//	var tools toolset.Set
//	s := server.New(info, tools.Options(nil))
//	// ... what the server offers
//	err := tools.Use(s, toolset.Selection{Groups: []string{"files"}, ReadOnly: true})
package toolset

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// A Selection says what a server offers. The zero value is everything that belongs to no feature.
//
// Enable and Disable hold names of tools, or patterns as those of [path.Match]. If several fields apply to an item,
// ReadOnly takes precedence over Enable, and Enable over Disable, Groups and Features. So {Disable: {"*"}, Enable:
// {"a", "b"}} selects the tools a and b alone.
type Selection struct {
	// Groups lists the groups that are offered, in addition to items without a group. None means all groups. An item in
	// several is offered with any of them.
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
	Tools map[string]Text `json:"tools,omitempty"`
}

// A Text replaces texts in the definition of a tool. An empty text replaces nothing.
type Text struct {
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`

	// Arguments has descriptions of arguments, by name.
	Arguments map[string]string `json:"arguments,omitempty"`
}

// clone returns a copy that shares nothing with t.
func (t *Selection) clone() Selection {
	texts := maps.Clone(t.Tools)
	for name, text := range texts {
		text.Arguments = maps.Clone(text.Arguments)
		texts[name] = text
	}
	return Selection{
		Groups: slices.Clone(t.Groups), Features: slices.Clone(t.Features), Enable: slices.Clone(t.Enable), Disable: slices.Clone(t.Disable),
		ReadOnly: t.ReadOnly, Tools: texts,
	}
}

// A Set is what a server offers at the moment. The zero Set has the zero Selection. It must not be copied.
type Set struct{ now atomic.Pointer[Selection] }

// Options returns a copy of a server's options by which the set decides what the server offers. Opts may be nil.
func (t *Set) Options(opts *server.Options) *server.Options {
	o := option.Of(opts)
	o.Filters = append(slices.Clip(o.Filters), server.Filter{
		Admit:  func(_ context.Context, _ *server.Call, i *server.Item) (bool, error) { return t.selected().has(i), nil },
		Static: true,
	})
	define := o.Define
	o.Define = func(item any) {
		if define != nil {
			define(item)
		}
		if tool, ok := item.(*mcp.Tool); ok {
			t.selected().describe(tool)
		}
	}
	return &o
}

// Use selects what a server with the options of the set offers from now on, and notifies clients that the lists have
// changed. Call it once everything is registered: a name that does not exist is an error, since a typing mistake in
// Disable must not leave a tool enabled. Items that are registered later are subject to the selection, too.
func (t *Set) Use(s *server.Server, selection Selection) error {
	if err := check(s, &selection); err != nil {
		return fmt.Errorf("toolset: %w", err)
	}
	before, now := t.selected(), selection.clone()
	t.now.Store(&now)
	others := !slices.Equal(before.Groups, now.Groups) || !slices.Equal(before.Features, now.Features)
	s.Changed(server.Change{Tools: true, Prompts: others, Resources: others})
	return nil
}

// Selection returns a copy of the selection that is used.
func (t *Set) Selection() Selection { return t.selected().clone() }

func (t *Set) selected() *Selection {
	if now := t.now.Load(); now != nil {
		return now
	}
	return new(Selection)
}

// check checks that what a selection names exists.
func check(s *server.Server, t *Selection) error {
	var names, groups, features []string
	tools := make(map[string]*mcp.Tool)
	for i := range s.Items() {
		if tool, ok := i.Definition.(*mcp.Tool); ok {
			names = append(names, tool.Name)
			tools[tool.Name] = tool
		}
		groups = append(groups, i.Access.Groups...)
		for _, f := range i.Access.Features {
			features = append(features, strings.TrimPrefix(f, "!"))
		}
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
	for name, text := range t.Tools {
		if err := oneOf("tool", name, names); err != nil {
			return err
		}
		if _, err := describeArguments(tools[name].InputSchema, text.Arguments); err != nil {
			return fmt.Errorf("tool %q: %w", name, err)
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
func (t *Selection) has(i *server.Item) bool {
	if tool, ok := i.Definition.(*mcp.Tool); ok {
		switch {
		case t.ReadOnly && !tool.Annotations.GetReadOnlyHint():
			return false
		case matches(t.Enable, tool.Name):
			return true
		case matches(t.Disable, tool.Name):
			return false
		}
	}
	a := &i.Access
	in := func(group string) bool { return slices.Contains(t.Groups, group) }
	return (len(a.Groups) == 0 || len(t.Groups) == 0 || slices.ContainsFunc(a.Groups, in)) &&
		a.Offered(func(feature string) bool { return slices.Contains(t.Features, feature) })
}

// matches reports whether a name is, or matches, one of some patterns.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, _ := path.Match(pattern, name)
		return ok || pattern == name
	})
}

// describe gives a tool the texts of the selection.
func (t *Selection) describe(tool *mcp.Tool) {
	text := t.Tools[tool.Name]
	if text.Title != "" {
		tool.Title = text.Title
		if tool.Annotations != nil && tool.Annotations.Title != "" {
			tool.Annotations = new(*tool.Annotations)
			tool.Annotations.Title = text.Title
		}
	}
	if text.Description != "" {
		tool.Description = text.Description
	}
	if len(text.Arguments) > 0 {
		if schema, err := describeArguments(tool.InputSchema, text.Arguments); err == nil { // else Use has said what is wrong
			tool.InputSchema = schema
		}
	}
}
