package server

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// Tools, prompts, resources and templates are offered in the same way: each has a definition, a handler, and something to say
// about who may see and use it. That is decided for lists, and again for requests that name the item, by the same functions, so
// that no list shows what a request would not find.
//
// In the order in which they decide: a feature that nothing enables hides the item; the filters of the extensions, of the
// server and of the item itself; the gate, which is about the client's revision and capabilities. Scopes alone hide nothing.

// An Item is a tool, a prompt, a resource or a template that a server offers. [Server.Add] takes one, [Server.SetItems] those
// of a source, such as another server, and [Server.Items] returns all. What the server has must not be changed.
type Item struct {
	Definition any    // *mcp.Tool, *mcp.Prompt, *mcp.Resource or *mcp.ResourceTemplate
	Handler    any    // a ToolHandler, PromptHandler, ResourceHandler or TemplateHandler, or such a function; of Items, inside [Options].WrapTools
	Access     Access // who may see and use it

	// Match is that of a template.
	Match Matcher
	// Completers are those of a prompt's arguments, or of a template's variables, by their names. Filters do not see
	// them.
	Completers map[string]Completer
	// Filters are its own, which decide about it in addition to those of the server.
	Filters []Filter
	// Source is that of SetItems, nil if the item was added by itself.
	Source any

	// Vars has the values of a template's variables, for a filter that decides about the resource with these.
	Vars map[string]string
}

// A Filter decides who sees an item, and who may use it. All filters that concern an item must agree, and what the
// item's [Access] says applies as well.
type Filter struct {
	// Concerns reports whether the filter has anything to say about an item. It is called when the item is added. Nil
	// means that the filter concerns all items.
	Concerns func(i *Item) bool

	// Admit decides about an item in a list, and again when a request names it:
	//
	//	true,  nil   it is listed and may be used
	//	true,  err   it is listed; requests that name it fail with err, so that clients learn what they need
	//	false, err   it is not listed; requests that name it fail with err
	//	false, nil   it does not exist for this caller
	//
	// Err fails a request as if the handler of the item had returned it. A *[transport.ScopeError] is found before
	// middleware and handlers run; over HTTP it becomes status 403. Since 2026-07-28 lists may depend only on the
	// authorization of the call and on what its client declares.
	Admit func(ctx context.Context, c *Call, i *Item) (show bool, refuse error)

	// Static says that Admit decides alike for all callers until the next [Server.Changed]. Only then are pages of
	// lists kept, and may they be public.
	Static bool
}

// An item is an Item of the server. It is immutable.
type item struct {
	Item              // as clients see it
	given   *offer    // as it was added, before [Options].Define and wrappers
	key     string    // its name or URI
	gate    gate      // from its Access
	filters []*Filter // that concern it

	extensions []*Extension // with which it was made, see registry.isStale
}

func (i *item) common() *item { return i }

// An offer is an Item as the program has added it. Items are made of it, again whenever what changes them does: an extension
// with a wrapper or a filter, or [Options].Define after [Server.Changed]. Its completers are shared by all items made of it.
type offer struct {
	Item
	completers atomic.Pointer[map[string]Completer] // those of the Item, and those that were added since; replaced, never changed
}

func newOffer(i Item) *offer {
	o := &offer{Item: i}
	o.completers.Store(new(maps.Clone(i.Completers)))
	return o
}

// completer returns the completer of an argument or a variable, nil if there is none.
func (o *offer) completer(argument string) Completer { return (*o.completers.Load())[argument] }

// noHandler says what is wrong with a handler that is none of the type of want.
func (o *offer) noHandler(want any) string {
	if o.Handler == nil || fmt.Sprintf("%T", o.Handler) == fmt.Sprintf("%T", want) {
		return "has no handler"
	}
	return fmt.Sprintf("has a %T as its handler, want a %T", o.Handler, want)
}

// newItem returns an item with that definition, which [Options].Define has changed already. Variables are the names that
// its scopes may contain in braces. Which filters concern it is asked once, here, and not for each request.
func (s *Server) newItem(given *offer, key string, definition any, variables []string) (item, error) {
	i := item{Item: given.Item, given: given, key: key}
	i.Definition = definition
	// The program may change its slices later. Those of the item are read by requests, without a lock.
	i.Access.Scopes, i.Access.Features = slices.Clone(i.Access.Scopes), slices.Clone(i.Access.Features)
	if err := checkScopes(i.Access.Scopes, variables); err != nil {
		return i, err
	}
	var err error
	if i.gate, err = newGate(&i.Access); err != nil {
		return i, err
	}
	concerned := func(f *Filter) {
		if f.Concerns == nil || f.Concerns(&i.Item) {
			i.filters = append(i.filters, f)
		}
	}
	// In the order in which they decide; of two that refuse, the first one's error counts.
	i.extensions = s.methods.all()
	for _, e := range i.extensions {
		if e.Filter != nil {
			concerned(e.Filter)
		}
	}
	for n := range s.opts.Filters {
		concerned(&s.opts.Filters[n])
	}
	for n := range i.Filters {
		concerned(&i.Filters[n])
	}
	if len(given.Completers) > 0 {
		s.completes.Store(true)
	}
	if len(i.Access.Scopes) > 0 || len(i.filters) > 0 { // a filter may refuse by a *transport.ScopeError
		s.scoped.Store(true)
	}
	return i, nil
}

// filter returns what the filters decide about an item: whether lists show it, and why requests that name it fail. If it
// does not exist for the caller, the error is errNoItem. Vars are those of a template.
func (i *item) filter(ctx context.Context, c *Call, vars map[string]string) (show bool, refuse error) {
	// What belongs to a feature that no filter knows does not exist: a typing mistake must not show it.
	if len(i.filters) == 0 && !i.Access.Offered(func(string) bool { return false }) {
		return false, errNoItem
	}
	as := &i.Item
	if vars != nil && len(i.filters) > 0 {
		with := i.Item // a copy: the item itself is the same for all requests
		with.Vars, as = vars, &with
	}
	show = true
	for _, f := range i.filters {
		shown, err := f.Admit(ctx, c, as)
		if !shown && err == nil {
			return false, errNoItem
		}
		show = show && shown
		if refuse == nil {
			refuse = err
		}
	}
	return show, refuse
}

// varies reports whether filters may decide about the item differently for each caller.
func (i *item) varies() bool {
	return slices.ContainsFunc(i.filters, func(f *Filter) bool { return !f.Static })
}

// errNoItem is the error for an item that does not exist for the caller.
var errNoItem = errors.New("there is no such item")

// scopeError returns the error of a filter that is about scopes, nil if it is about something else.
func scopeError(err error) *transport.ScopeError {
	e, _ := errors.AsType[*transport.ScopeError](err)
	return e
}

// Items returns what the server offers, to whomever, in the order of its lists: tools, prompts, resources and templates.
// The filters of each are all that concern it.
func (s *Server) Items() iter.Seq[*Item] {
	return func(yield func(*Item) bool) {
		for _, r := range s.registries {
			order, _, _ := r.sorted()
			for _, t := range order {
				if !yield(t.common().shown()) {
					return
				}
			}
		}
	}
}

// shown returns a copy of the item for the program, with all filters that concern it.
func (i *item) shown() *Item {
	shown := i.Item
	shown.Completers = maps.Clone(*i.given.completers.Load())
	shown.Filters = make([]Filter, len(i.filters))
	for n, f := range i.filters {
		shown.Filters[n] = *f
	}
	return &shown
}

// Add offers an item. It is an error if the server has one with that name or URI already, or if something is wrong with it.
// [Server.AddTool], [Server.AddPrompt], [Server.AddResource] and [Server.AddTemplate] are shorter for items that are for
// everyone.
func (s *Server) Add(i Item) error { return s.setItems("Add", nil, i) }

// SetItems replaces all items that it has added for a source, which is any comparable value, with others, in one change
// of the lists. Their names and URIs may be those of the items that they replace, but not of others. The error is about
// items that are left out.
func (s *Server) SetItems(source any, items ...Item) error {
	if source == nil {
		return errors.New("server: SetItems: want a source, got nil")
	}
	return s.setItems("SetItems", source, items...)
}

// setItems adds items in place of those of a source. Without one, it replaces none. What names the function in errors.
func (s *Server) setItems(what string, source any, items ...Item) error {
	by := make(map[*registry][]*Item)
	for n := range items {
		i := items[n]
		i.Source = source
		r := s.registryOf(&i)
		if r == nil {
			return fmt.Errorf("server: %s: want a *mcp.Tool, *mcp.Prompt, *mcp.Resource or *mcp.ResourceTemplate, got %T", what, i.Definition)
		}
		by[r] = append(by[r], &i)
	}
	var kind listKind
	var err error
	for _, r := range s.registries {
		if source == nil && by[r] == nil { // else the source may have had items where it has none now
			continue
		}
		changed, left := r.exchange(source, by[r])
		if changed {
			kind |= r.list
		}
		err = errors.Join(err, left)
	}
	s.listChanged(kind)
	if err != nil {
		return fmt.Errorf("server: %s: %w", what, err)
	}
	return nil
}

// remove removes items from a registry.
func (s *Server) remove(r *registry, keys []string) {
	if r.remove(keys) {
		s.listChanged(r.list)
	}
}

// registryOf returns the registry that an item belongs to, nil if there is none.
func (s *Server) registryOf(i *Item) *registry {
	switch i.Definition.(type) {
	case *mcp.Tool:
		return &s.tools
	case *mcp.Prompt:
		return &s.prompts
	case *mcp.Resource:
		return &s.resources
	case *mcp.ResourceTemplate:
		return &s.templates
	}
	return nil
}
