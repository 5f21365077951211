package server

import (
	"errors"
	"fmt"
	"iter"

	"github.com/mcpgen/mcpgen/mcp"
)

// Items returns what the server offers, to whomever, in the order of its lists: tools, prompts, resources and templates.
// The filters of each are all that concern it.
func (s *Server) Items() iter.Seq[*Item] {
	return func(yield func(*Item) bool) {
		_ = eachItem(s, &s.tools, yield) && eachItem(s, &s.prompts, yield) && eachItem(s, &s.resources, yield) && eachItem(s, &s.templates, yield)
	}
}

func eachItem[T kind](s *Server, r *registry[T], yield func(*Item) bool) bool {
	order, _, _ := r.sorted()
	for _, t := range order {
		own := t.common()
		i := own.Item
		i.Completers = s.completers.of(r.name, own.key)
		i.Filters = make([]Filter, len(own.filters))
		for n, f := range own.filters {
			i.Filters[n] = *f
		}
		if !yield(&i) {
			return false
		}
	}
	return true
}

// SetItems replaces all items that it has added for a source, which is any comparable value, with others, in one change
// of the lists. Their names and URIs may be those of the items that they replace, but not of others. The error is about
// items that are left out.
func (s *Server) SetItems(source any, items ...Item) error {
	if source == nil {
		return errors.New("server: SetItems: want a source, got nil")
	}
	var tools, prompts, resources, templates []*Item
	for n := range items {
		i := items[n]
		i.Source = source
		switch kind, _ := i.named(); kind {
		case s.tools.name:
			tools = append(tools, &i)
		case s.prompts.name:
			prompts = append(prompts, &i)
		case s.resources.name:
			resources = append(resources, &i)
		case s.templates.name:
			templates = append(templates, &i)
		default:
			return fmt.Errorf("server: SetItems: want a *mcp.Tool, *mcp.Prompt, *mcp.Resource or *mcp.ResourceTemplate, got %T", i.Definition)
		}
	}
	var kind listKind
	err := errors.Join(
		swap(&s.tools, source, tools, &kind), swap(&s.prompts, source, prompts, &kind),
		swap(&s.resources, source, resources, &kind), swap(&s.templates, source, templates, &kind),
		s.completers.exchange(source, append(prompts, templates...)),
	)
	s.listChanged(kind)
	if err != nil {
		return fmt.Errorf("server: SetItems: %w", err)
	}
	return nil
}

// named returns the kind of an item, as messages name it, and its name or URI.
func (i *Item) named() (kind, name string) {
	switch d := i.Definition.(type) {
	case *mcp.Tool:
		return "tool", d.Name
	case *mcp.Prompt:
		return "prompt", d.Name
	case *mcp.Resource:
		return "resource", d.URI
	case *mcp.ResourceTemplate:
		return "template", d.URITemplate
	}
	return "", ""
}

// swap replaces the items of a source in a registry, and adds the list to those that have changed.
func swap[T kind](r *registry[T], source any, items []*Item, lists *listKind) error {
	changed, err := r.exchange(source, items)
	if changed {
		*lists |= r.list
	}
	return err
}
