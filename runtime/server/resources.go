package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/valid"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A URI is looked up among the resources, and if none has it, among the templates in the order of their texts. What the caller
// may not know of is passed over, so that a template may serve for others what a resource is for some. Reading, subscribing and
// completing all look it up here.

// A ResourceHandler reads a resource. [ErrNotFound] or a nil result means that it does not exist; any other
// error becomes an error response. Contents without a URI get the requested one.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/resources
type ResourceHandler func(ctx context.Context, c *Call, uri string) (*mcp.ReadResourceResult, error)

// A TemplateHandler reads a resource whose URI matches a template. Vars are the values of the template's
// variables. See [ResourceHandler].
type TemplateHandler func(ctx context.Context, c *Call, uri string, vars map[string]string) (*mcp.ReadResourceResult, error)

// A Matcher reports whether a URI matches a template, and returns the values of the template's variables.
// Package uritemplate makes matchers from templates of RFC 6570.
type Matcher func(uri string) (vars map[string]string, ok bool)

// A resource is a resource of the server. It is immutable.
type resource struct {
	item
	def *mcp.Resource
	run ResourceHandler
}

// A template is a template of the server. It is immutable.
type template struct {
	item
	def   *mcp.ResourceTemplate
	match Matcher
	run   TemplateHandler
}

// AddResource offers a resource to everyone. It is an error if there is a resource with that URI already.
func (s *Server) AddResource(r mcp.Resource, h ResourceHandler) error {
	return s.setItems("AddResource", nil, Item{Definition: &r, Handler: h})
}

// newResource returns a resource with its definition as [Options].Define changes it. What is wrong is reported in the order in
// which a reader of the definition would meet it.
func (s *Server) newResource(given *offer) (kind, error) {
	r := *given.Definition.(*mcp.Resource)
	h, ok := given.Handler.(ResourceHandler)
	if !ok {
		h, _ = given.Handler.(func(context.Context, *Call, string) (*mcp.ReadResourceResult, error))
	}
	defined := s.define(&r, &r.URI)
	switch err := valid.URI(r.URI); {
	case err != nil:
		return nil, err
	case r.Name == "":
		return nil, fmt.Errorf("resource %q has no name", r.URI)
	case h == nil:
		return nil, fmt.Errorf("resource %q %s", r.URI, given.noHandler(h))
	}
	i, invalid := s.newItem(given, r.URI, &r, nil)
	if err := cmp.Or(defined, valid.Annotations(r.Annotations), valid.Icons(r.Icons), invalid); err != nil {
		return nil, fmt.Errorf("resource %q: %w", r.URI, err)
	}
	return &resource{item: i, def: &r, run: h}, nil
}

// AddTemplate offers all resources whose URIs match a template to everyone. If several
// templates match, the first one in the order of their texts is used; a resource with that URI precedes all
// templates. A URI of more than 8 KiB matches none. It is an error if the server already has that template. Package
// uritemplate has a version that makes the matcher.
func (s *Server) AddTemplate(t mcp.ResourceTemplate, m Matcher, h TemplateHandler) error {
	return s.setItems("AddTemplate", nil, Item{Definition: &t, Match: m, Handler: h})
}

// newTemplate returns a template with its definition as [Options].Define changes it.
func (s *Server) newTemplate(given *offer) (kind, error) {
	t := *given.Definition.(*mcp.ResourceTemplate)
	h, ok := given.Handler.(TemplateHandler)
	if !ok {
		h, _ = given.Handler.(func(context.Context, *Call, string, map[string]string) (*mcp.ReadResourceResult, error))
	}
	err := s.define(&t, &t.URITemplate)
	switch {
	case t.URITemplate == "":
		return nil, errors.New("the template has no URI template")
	case t.Name == "":
		return nil, fmt.Errorf("template %q has no name", t.URITemplate)
	case given.Match == nil:
		return nil, fmt.Errorf("template %q has no matcher", t.URITemplate)
	case h == nil:
		return nil, fmt.Errorf("template %q %s", t.URITemplate, given.noHandler(h))
	}
	// Scopes may contain the variables, see Access.Scopes.
	i, invalid := s.newItem(given, t.URITemplate, &t, templateVariables(t.URITemplate))
	if err := cmp.Or(err, valid.Annotations(t.Annotations), valid.Icons(t.Icons), invalid); err != nil {
		return nil, fmt.Errorf("template %q: %w", t.URITemplate, err)
	}
	return &template{item: i, def: &t, match: given.Match, run: h}, nil
}

// RemoveResources removes resources. It ignores unknown URIs.
func (s *Server) RemoveResources(uris ...string) { s.remove(&s.resources, uris) }

// RemoveTemplates removes templates. It ignores unknown ones.
func (s *Server) RemoveTemplates(uriTemplates ...string) { s.remove(&s.templates, uriTemplates) }

// listResources handles resources/list.
func (s *Server) listResources(ctx context.Context, c *Call) (wire.Encodable, error) {
	return list(ctx, c, &mcp.MethodListResources, &s.resources, s.opts.Cache.Resources, func(l listed[*resource]) wire.Encodable {
		r := &mcp.ListResourcesResult{Meta: c.resultMeta(), NextCursor: l.next, TTLMs: l.ttl, CacheScope: l.scope, Resources: make([]mcp.Resource, len(l.items))}
		for i, res := range l.items {
			r.Resources[i] = *res.def
		}
		return r
	})
}

// listTemplates handles resources/templates/list.
func (s *Server) listTemplates(ctx context.Context, c *Call) (wire.Encodable, error) {
	return list(ctx, c, &mcp.MethodListResourceTemplates, &s.templates, s.opts.Cache.Templates, func(l listed[*template]) wire.Encodable {
		r := &mcp.ListResourceTemplatesResult{Meta: c.resultMeta(), NextCursor: l.next, TTLMs: l.ttl, CacheScope: l.scope, ResourceTemplates: make([]mcp.ResourceTemplate, len(l.items))}
		for i, t := range l.items {
			r.ResourceTemplates[i] = *t.def
		}
		return r
	})
}

// checkURI returns the error for a client that sends what is not a URI of a resource.
func checkURI(uri string) error {
	if err := valid.URI(uri); err != nil {
		return jsonrpcError(codeInvalidParams, err.Error(), &uriData{excerpt.Of(uri)})
	}
	return nil
}

// maxURI is how many bytes a URI may have that is matched against templates, of which there may be many: the work that a single
// request can cause is their product.
const maxURI = 8 << 10

// A reading is how a caller may read a resource.
type reading struct {
	run    ResourceHandler // nil if the caller cannot
	scopes []string        // that it requires
	public bool            // scopes aside, every caller reads the same; false if run is nil
}

// reader returns how the caller of c reads a resource. If it cannot, the error says why; the error is nil, too, if the caller must
// not learn that the resource exists. Whether the caller has the scopes is not checked, except by filters.
func (s *Server) reader(ctx context.Context, c *Call, uri string) (reading, error) {
	var err error
	public := true
	for _, k := range s.resources.get(uri) { // one at most: resources have no variants
		r := k.(*resource)
		public = !r.differs()
		if refused, exists := r.refuses(ctx, c, uri, nil); exists {
			// A lack of scopes ends the search, since the client can ask for them. What is refused otherwise may still be
			// read by a template; if not, the first refusal is the error.
			switch err = refused; {
			case err == nil:
				return reading{r.run, r.Access.Scopes, public}, nil
			case scopeError(err) != nil:
				return reading{scopes: r.Access.Scopes}, err
			}
		}
	}
	if len(uri) > maxURI {
		return reading{}, err
	}
	order, _, _ := s.templates.sorted()
	for _, k := range order {
		t := k.(*template)
		if ctx.Err() != nil { // nobody waits for it; matching may take long
			return reading{}, nil
		}
		vars, ok := t.match(uri)
		if !ok {
			continue
		}
		public = public && !t.differs()
		refused, exists := t.refuses(ctx, c, uri, vars)
		if !exists {
			continue
		}
		if scopeError(refused) != nil {
			return reading{scopes: t.requires(vars, false)}, refused
		}
		if refused != nil {
			err = cmp.Or(err, refused)
			continue
		}
		return reading{func(ctx context.Context, c *Call, uri string) (*mcp.ReadResourceResult, error) {
			return t.run(ctx, c, uri, vars)
		}, t.requires(vars, false), public}, nil
	}
	return reading{}, err
}

// differs reports whether callers may differ in whether the item exists for them: because of what they are capable of, or of
// filters.
func (i *item) differs() bool {
	return i.gate.needs != 0 || i.varies()
}

// refuses returns why the caller of c cannot read a resource, nil if it can, and reports whether the resource exists for
// it.
func (i *item) refuses(ctx context.Context, c *Call, uri string, vars map[string]string) (why error, exists bool) {
	_, refused := i.filter(ctx, c, vars)
	if refused == errNoItem {
		return nil, false
	}
	return cmp.Or(refused, i.gate.refusal(c, "resource", uri)), true
}

// ReadResource handles resources/read.
//
// REQ RES-17, RES-07, RES-09
func (b builtin) ReadResource(ctx context.Context, p *mcp.ReadResourceRequestParams) (mcp.ReadResourceResponse, error) {
	c := b.call
	s := c.server
	if err := checkURI(p.URI); err != nil {
		return nil, err
	}
	read, err := s.reader(ctx, c, p.URI)
	if read.run == nil {
		return nil, cmp.Or(err, resourceNotFound(c.rev, p.URI))
	}
	if err := c.Require(read.scopes); err != nil {
		return nil, err
	}
	// The URI is all that the state needs to be bound to: there are no arguments.
	if err := c.beginInput(ctx, p.InputResponses, p.RequestState, p.URI, nil); err != nil {
		return nil, err
	}
	r, err := read.run(ctx, c, p.URI)
	switch required, askErr := c.endInput(ctx, err); {
	case askErr != nil:
		return nil, askErr
	case required != nil:
		return required, nil
	case errors.Is(err, ErrNotFound), errors.Is(err, fs.ErrNotExist), err == nil && r == nil:
		return nil, resourceNotFound(c.rev, p.URI)
	case err != nil:
		return nil, err
	}
	hint := s.opts.Cache.Read
	hint.Public = hint.Public && read.public && len(read.scopes) == 0 // else it is not for everyone
	return completeContents(r, p.URI, hint), nil
}

// completeContents adds what the handler left out: URIs, and how long the result may be kept. It changes a copy, since the handler
// may return the same value again.
func completeContents(r *mcp.ReadResourceResult, uri string, hint CacheHint) *mcp.ReadResourceResult {
	done := *r
	if done.TTLMs == nil && done.CacheScope == "" {
		done.TTLMs, done.CacheScope = hint.members()
	}
	done.Contents = make([]mcp.ResourceContents, len(r.Contents))
	for i, part := range r.Contents {
		switch p := part.(type) {
		case *mcp.TextResourceContents:
			if p.URI == "" {
				part = new(*p)
				part.(*mcp.TextResourceContents).URI = uri
			}
		case *mcp.BlobResourceContents:
			if p.URI == "" {
				part = new(*p)
				part.(*mcp.BlobResourceContents).URI = uri
			}
		}
		done.Contents[i] = part
	}
	return &done
}

// TextResource returns the result of reading a text resource.
func TextResource(mimeType, text string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{
		&mcp.TextResourceContents{MIMEType: mimeType, Text: text},
	}}
}

// BlobResource returns the result of reading a binary resource. Data holds the bytes, not their Base64.
func BlobResource(mimeType string, data []byte) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{
		&mcp.BlobResourceContents{MIMEType: mimeType, Blob: wire.EncodeBase64(data)},
	}}
}
