package page

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/ui"
	"github.com/mcpgen/mcpgen/runtime/apps"
	"github.com/mcpgen/mcpgen/runtime/apps/csp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The page of an app is a stranger's. It is shown in a frame in a frame: the outer one is a proxy on an origin of its own, under
// the policy that the app declares, and the inner one has no origin at all. The page of mcpgen dev talks to the proxy alone.

// maxApps is how many apps can be shown at a time; a further one takes the place of the oldest, which cannot be loaded again.
const maxApps = 64

// A shownApps holds what the sandboxes of shown apps need.
type shownApps struct {
	mu     sync.Mutex
	byID   map[string]shownApp
	oldest []string // their ids
}

// A shownApp is an app that a page shows.
type shownApp struct {
	policy string // of the proxy, and so of the frame in it
	host   string // the origin of the page that shows it
}

// add makes room for an app and returns its id, which nobody can guess: it is all that the sandbox asks for.
func (a *shownApps) add(app shownApp) (id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.byID == nil {
		a.byID = map[string]shownApp{}
	}
	if len(a.oldest) == maxApps {
		delete(a.byID, a.oldest[0])
		a.oldest = a.oldest[1:]
	}
	id = rand.Text()
	a.byID[id] = app
	a.oldest = append(a.oldest, id)
	return id
}

func (a *shownApps) get(id string) (shownApp, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	app, ok := a.byID[id]
	return app, ok
}

// proxy is the document in the outer frame.
var proxy = template.Must(template.ParseFS(assets, "assets/sandbox.html"))

// Sandbox returns the handler of the origin for apps, which must be another one than that of the page.
//
// REQ APP-10
func (p *Page) Sandbox() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		app, ok := p.apps.get(strings.TrimPrefix(r.URL.Path, "/"))
		if !ok || r.Method != http.MethodGet || !isLoopback(r.Host) {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", app.policy+"; frame-ancestors "+app.host)
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		if err := proxy.Execute(w, app.host); err != nil {
			p.opts.Logger.Debug("cannot send a sandbox", "error", err)
		}
	})
}

// An openedApp is what a page needs to show an app.
type openedApp struct {
	HTML    string   `json:"html"`
	Sandbox string   `json:"sandbox"` // the URL of the proxy
	Allow   string   `json:"allow"`   // what the frames may use of the browser
	Border  *bool    `json:"border,omitempty"`
	Left    []string `json:"left,omitempty"` // what was declared and is not allowed
}

// app reads the page of an app, and prepares its sandbox.
//
// REQ APP-09, APP-12, APP-13
func (p *Page) app(w http.ResponseWriter, r *http.Request) {
	var q request
	if !decode(w, r, &q) {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), listTime)
	defer cancel()
	opened, err := p.openApp(ctx, &q, "http://"+r.Host)
	if err != nil {
		p.respond(w, http.StatusOK, line{Error: failed(err)})
		return
	}
	text, err := json.Marshal(opened)
	if err != nil {
		panic(err) // they are texts
	}
	p.respond(w, http.StatusOK, line{Result: text})
}

// openApp reads a resource, and remembers the policy that its page declares. The metadata of the content come before those of the
// list. What is declared and cannot be allowed is left out, and told.
func (p *Page) openApp(ctx context.Context, q *request, host string) (*openedApp, error) {
	if p.opts.Sandbox == "" {
		return nil, errors.New("there is no sandbox to show apps in")
	}
	s, err := p.sessions.of(ctx, q.Revision)
	if err != nil {
		return nil, err
	}
	result, err := s.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: q.URI})
	if err != nil {
		return nil, err
	}
	html, meta, err := document(result)
	if err != nil {
		return nil, fmt.Errorf("%s is not the page of an app: %w", q.URI, err)
	}
	for listed, err := range s.Resources(ctx) { // what the content does not say
		if meta != nil || err != nil {
			break
		}
		if listed.URI == q.URI {
			meta = listed.Meta["ui"]
		}
	}
	var declared ui.ResourceMeta
	if meta != nil {
		if err := wire.Decode(meta, &declared); err != nil {
			return nil, fmt.Errorf("%s: _meta.ui: %w", q.URI, err)
		}
	}
	policy, left := csp.Header(declared.Csp)
	opened := &openedApp{HTML: html, Allow: allow(declared.Permissions), Border: declared.PrefersBorder}
	for _, err := range left {
		opened.Left = append(opened.Left, "csp."+err.Error())
	}
	opened.Sandbox = p.opts.Sandbox + "/" + p.apps.add(shownApp{policy, host})
	return opened, nil
}

// document returns the text of a page, and its metadata, nil if the content has none. A resource that has several contents, or
// one of another media type, is no page.
func document(r *mcp.ReadResourceResult) (html string, meta wire.Raw, err error) {
	if len(r.Contents) != 1 {
		return "", nil, fmt.Errorf("want one document, got %d", len(r.Contents))
	}
	mimeType := ""
	switch c := r.Contents[0].(type) {
	case *mcp.TextResourceContents:
		html, mimeType, meta = c.Text, c.MIMEType, c.Meta["ui"]
	case *mcp.BlobResourceContents:
		data, err := c.Blob.Bytes()
		if err != nil {
			return "", nil, err
		}
		html, mimeType, meta = string(data), c.MIMEType, c.Meta["ui"]
	}
	if mimeType != apps.MIMEType {
		return "", nil, fmt.Errorf("want the media type %s, got %q", apps.MIMEType, mimeType)
	}
	return html, meta, nil
}

// allow returns the permissions of a frame, as its attribute has them.
func allow(p *ui.ResourcePermissions) string {
	var all []string
	if p != nil {
		for name, asked := range map[string]bool{
			"camera": p.Camera != nil, "microphone": p.Microphone != nil, "geolocation": p.Geolocation != nil, "clipboard-write": p.ClipboardWrite != nil,
		} {
			if asked {
				all = append(all, name)
			}
		}
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}
