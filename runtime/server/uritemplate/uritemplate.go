// Package uritemplate matches URIs against URI templates as RFC 6570 has them, for the resource
// templates of a server.
package uritemplate

import (
	"fmt"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// Add offers all resources whose URIs fit the template of t. See [server.Server.AddTemplate].
func Add(s *server.Server, t mcp.ResourceTemplate, h server.TemplateHandler) error {
	m, err := New(t.URITemplate)
	if err != nil {
		return err
	}
	return s.AddTemplate(t, m, h)
}

// New returns what matches URIs against a template. The values of its variables are unescaped; the
// parts of a list, or of names and values, are joined by commas. Variables that the URI leaves out
// are absent.
//
// A variable with a plus sign, as in "file:///{+path}", takes slashes and dots, too: it is up to the
// handler not to be led out of its directory. A template with several variables of that kind may
// fit a URI in more than one way.
func New(template string) (server.Matcher, error) {
	t, err := uritemplate.New(template)
	if err != nil {
		return nil, fmt.Errorf("URI template %q: %w", template, err)
	}
	t.Regexp() // compiles it, so that matching may be done by several goroutines
	names := t.Varnames()
	return func(uri string) (map[string]string, bool) {
		values := t.Match(uri)
		if values == nil {
			return nil, false
		}
		vars := make(map[string]string, len(names))
		for _, name := range names {
			if v := values.Get(name); v.Valid() {
				vars[name] = strings.Join(v.V, ",")
			}
		}
		return vars, true
	}, nil
}
