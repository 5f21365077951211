// Package uritemplate matches URIs against the URI templates of RFC 6570, for the resource templates of a
// server. See https://www.rfc-editor.org/rfc/rfc6570
package uritemplate

import (
	"fmt"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// Add offers all resources whose URIs match the template of t to everyone. See [server.Server.AddTemplate].
func Add(s *server.Server, t mcp.ResourceTemplate, h server.TemplateHandler) error {
	return AddItem(s, server.Item{Definition: &t, Handler: h})
}

// AddItem offers a resource template, an item without a matcher: see [server.Server.Add].
func AddItem(s *server.Server, i server.Item) error {
	t, ok := i.Definition.(*mcp.ResourceTemplate)
	if !ok {
		return fmt.Errorf("uritemplate: AddItem: want a *mcp.ResourceTemplate, got %T", i.Definition)
	}
	var err error
	if i.Match, err = New(t.URITemplate); err != nil {
		return err
	}
	return s.Add(i)
}

// New returns a matcher for a template. The values of its variables are unescaped; the elements of a list, or
// of names and values, are joined by commas. Variables that the URI leaves out are absent. A variable that is
// in the template twice must have the same value in both places.
//
// A variable with a plus sign, as in "git://{+path}", also matches slashes and dots, and any variable matches
// them if they are escaped: handlers must not let a URI lead them out of their directory. A server refuses
// file: URIs whose paths contain "..". If a template has several such variables, a URI may match it in more
// than one way.
func New(template string) (server.Matcher, error) {
	if _, err := uritemplate.New(template); err != nil {
		return nil, fmt.Errorf("uritemplate: %q: %w", template, err)
	}
	p, err := compile(template)
	if err != nil {
		return nil, fmt.Errorf("uritemplate: %q: %w", template, err)
	}
	return p.match, nil
}

// match matches a URI in time proportional to its length and that of the template.
func (p *pattern) match(uri string) (map[string]string, bool) {
	if !strings.HasPrefix(uri, p.prefix) || !strings.HasSuffix(uri, p.suffix) {
		return nil, false
	}
	at := p.regexp.FindStringSubmatchIndex(uri)
	if at == nil {
		return nil, false
	}
	vars := make(map[string]string, len(p.variables))
	for i := range p.variables {
		v := &p.variables[i]
		start, end := at[2*i+2], at[2*i+3]
		if start < 0 {
			continue
		}
		value, ok := v.value(uri[start:end])
		if !ok {
			return nil, false
		}
		before, again := vars[v.name]
		switch {
		case !again, before == value:
		case !p.prefixed || !strings.HasPrefix(before, value) && !strings.HasPrefix(value, before):
			return nil, false
		}
		if len(value) >= len(before) {
			vars[v.name] = value
		}
	}
	return vars, true
}
