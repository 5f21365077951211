package dev

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Offers holds the definitions that a build of the server lists, as JSON, by name or URI.
type Offers struct {
	Tools, Prompts, Resources, Templates map[string]string
}

// list returns what a server offers.
func list(ctx context.Context, c *client.Client) (o Offers, err error) {
	if o.Tools, err = collect(c.Tools(ctx), func(t *mcp.Tool) string { return t.Name }); err != nil {
		return o, err
	}
	if o.Prompts, err = collect(c.Prompts(ctx), func(p *mcp.Prompt) string { return p.Name }); err != nil {
		return o, err
	}
	if o.Resources, err = collect(c.Resources(ctx), func(r *mcp.Resource) string { return r.URI }); err != nil {
		return o, err
	}
	o.Templates, err = collect(c.ResourceTemplates(ctx), func(t *mcp.ResourceTemplate) string { return t.URITemplate })
	return o, err
}

// collect returns the items of a list, empty if the server does not have the list.
func collect[T wire.Encodable](items iter.Seq2[T, error], name func(T) string) (map[string]string, error) {
	all := map[string]string{}
	for item, err := range items {
		if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok && rpc.Code == jsonrpc.CodeMethodNotFound {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		text, err := wire.Marshal(wire.Any, item)
		if err != nil {
			return nil, err
		}
		all[name(item)] = string(text)
	}
	return all, nil
}

// differ returns the lists that differ from those of an earlier build.
func (o *Offers) differ(from *Offers) (tools, prompts, resources bool) {
	return !maps.Equal(o.Tools, from.Tools), !maps.Equal(o.Prompts, from.Prompts),
		!maps.Equal(o.Resources, from.Resources) || !maps.Equal(o.Templates, from.Templates)
}

// Since returns a line that says what is offered, and what has changed since an earlier build; from may be nil.
func (o *Offers) Since(from *Offers) string {
	kinds := []struct {
		word     string
		now, was map[string]string
	}{{"tool", o.Tools, nil}, {"prompt", o.Prompts, nil}, {"resource", o.Resources, nil}, {"template", o.Templates, nil}}
	if from != nil {
		kinds[0].was, kinds[1].was, kinds[2].was, kinds[3].was = from.Tools, from.Prompts, from.Resources, from.Templates
	}
	var counts, changed, added, gone []string
	for i, k := range kinds {
		if i == 0 || len(k.now) > 0 {
			counts = append(counts, count(len(k.now), k.word))
		}
		for _, name := range slices.Sorted(maps.Keys(k.now)) {
			switch before, ok := k.was[name]; {
			case !ok:
				added = append(added, name)
			case before != k.now[name]:
				changed = append(changed, name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(k.was)) {
			if _, ok := k.now[name]; !ok {
				gone = append(gone, name)
			}
		}
	}
	line := strings.Join(counts, ", ")
	if from == nil {
		return line
	}
	for _, part := range []struct {
		word  string
		names []string
	}{{"changed", changed}, {"new", added}, {"gone", gone}} {
		if len(part.names) > 0 {
			line += "; " + part.word + ": " + enumerate(part.names)
		}
	}
	return line
}

// The limits for names in a line.
const (
	maxNames = 20
	maxName  = 100 // characters
)

// enumerate lists names for a line: a name with line breaks or other controls in quotes, and not all if there are many.
func enumerate(names []string) string {
	var list []string
	for _, name := range names[:min(maxNames, len(names))] {
		if utf8.RuneCountInString(name) > maxName {
			name = string([]rune(name)[:maxName]) + "…"
		}
		if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			name = strconv.Quote(name)
		}
		list = append(list, name)
	}
	if more := len(names) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, ", ")
}

// count formats a number of items: "1 tool", "2 tools".
func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
