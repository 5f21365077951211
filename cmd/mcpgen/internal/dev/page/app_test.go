package page

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/apps"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestApp opens the pages of apps: what they declare becomes the policy of their sandboxes.
//
// REQ APP-09, APP-10, APP-12, APP-13
func TestApp(t *testing.T) {
	s := open(t)
	document := func(uri, mimeType string, listed, meta string) {
		metaOf := func(ui string) mcp.MetaObject {
			if ui == "" {
				return nil
			}
			return mcp.MetaObject{"ui": wire.Raw(ui)}
		}
		s.must(s.shop.AddResource(mcp.Resource{Name: uri, URI: uri, Meta: metaOf(listed)}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{&mcp.TextResourceContents{URI: uri, MIMEType: mimeType, Text: "<p>" + uri, Meta: metaOf(meta)}}}, nil
		}))
	}
	document("ui://plain", apps.MIMEType, "", "")
	document("ui://listed", apps.MIMEType, `{"prefersBorder":true,"csp":{"connectDomains":["https://a.example"]}}`, "")
	document("ui://own", apps.MIMEType, `{"prefersBorder":true}`, `{"permissions":{"microphone":{},"camera":{},"geolocation":{},"clipboardWrite":{}},"csp":{"frameDomains":["https://b.example","nonsense"]}}`)
	document("ui://wrong", apps.MIMEType, "", `{"permissions":3}`)
	document("ui://text", "text/html", "", "")
	s.must(s.shop.AddResource(mcp.Resource{Name: "blob", URI: "ui://blob"}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
		r := server.BlobResource(apps.MIMEType, []byte("<b>"))
		return r, nil
	}))
	s.must(s.shop.AddResource(mcp.Resource{Name: "two", URI: "ui://two"}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
		r := server.TextResource(apps.MIMEType, "1")
		r.Contents = append(r.Contents, r.Contents[0])
		return r, nil
	}))
	read := func(uri string) string { return s.last("/api/app", `{"uri":"`+uri+`"}`) }
	if got := read("ui://plain"); !strings.Contains(got, "no sandbox") {
		t.Errorf("without a sandbox: %s", got)
	}
	s.page.opts.Sandbox = "http://127.0.0.1:8092"
	for uri, want := range map[string]string{
		"ui://wrong": "ui://wrong: _meta.ui: ",
		"ui://text":  `ui://text is not the page of an app: want the media type ` + apps.MIMEType + `, got \"text/html\"`,
		"ui://two":   "want one document, got 2",
		"ui://none":  "ui://none",
	} {
		if got := read(uri); !strings.HasPrefix(got, `{"error":{`) || !strings.Contains(got, want) {
			t.Errorf("%s: got %s", uri, got)
		}
	}
	s.refused.Store("resources/list") // what it lists about the app is not known then
	if got := read("ui://listed"); !strings.Contains(got, `"html":"\u003cp\u003eui://listed"`) || strings.Contains(got, "border") {
		t.Errorf("without the list: %s", got)
	}
	s.refused.Store("")
	if got := s.last("/api/app", `{"uri":"ui://plain","revision":"1999"}`); !strings.Contains(got, "1999") {
		t.Errorf("a revision that does not exist: %s", got)
	}
	for uri, want := range map[string]struct{ html, allow, border, left, policy string }{
		"ui://plain":  {html: "<p>ui://plain", border: "null"},
		"ui://blob":   {html: "<b>", border: "null"},
		"ui://listed": {html: "<p>ui://listed", border: "true", policy: "https://a.example"},
		"ui://own":    {html: "<p>ui://own", allow: "camera; clipboard-write; geolocation; microphone", border: "null", left: "csp.frameDomains[1]: ", policy: "frame-src https://b.example"},
	} {
		var l line
		var got openedApp
		s.must(json.Unmarshal([]byte(read(uri)), &l))
		s.must(json.Unmarshal(l.Result, &got))
		border, err := json.Marshal(got.Border)
		s.must(err)
		if got.HTML != want.html || got.Allow != want.allow || string(border) != want.border || !strings.HasPrefix(strings.Join(got.Left, " "), want.left) || (want.left == "") != (got.Left == nil) {
			t.Errorf("%s: got %+v", uri, got)
		}
		id, ok := strings.CutPrefix(got.Sandbox, s.page.opts.Sandbox+"/")
		w := s.sandbox(http.MethodGet, "/"+id, "127.0.0.1:8092")
		text, err := io.ReadAll(w.Body)
		if !ok || err != nil || w.StatusCode != http.StatusOK || !strings.Contains(string(text), `const host = "`+s.url+`"`) {
			t.Errorf("%s: the sandbox is %s: %s", uri, w.Status, text)
		}
		h := w.Header
		if csp := h.Get("Content-Security-Policy"); !strings.HasSuffix(csp, "; frame-ancestors "+s.url) || !strings.Contains(csp, want.policy) || !strings.HasPrefix(csp, "default-src 'none'") {
			t.Errorf("%s: the policy is %s", uri, csp)
		}
		if h.Get("Content-Type") != "text/html; charset=utf-8" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: the header is %v", uri, h)
		}
		for _, wrong := range [][3]string{{http.MethodPost, "/" + id, "localhost"}, {http.MethodGet, "/" + id, "example.com"}, {http.MethodGet, "/x", "localhost"}} {
			if w := s.sandbox(wrong[0], wrong[1], wrong[2]); w.StatusCode != http.StatusNotFound {
				t.Errorf("%v: got %s", wrong, w.Status)
			}
		}
	}
}

func (s *site) sandbox(method, path, host string) *http.Response {
	r := httptest.NewRequestWithContext(s.Context(), method, path, nil)
	r.Host = host
	w := httptest.NewRecorder()
	s.page.Sandbox().ServeHTTP(w, r)
	return w.Result()
}

// TestShownApps shows more apps than are kept.
func TestShownApps(t *testing.T) {
	var a shownApps
	first, second := a.add(shownApp{policy: "1"}), a.add(shownApp{policy: "2"})
	for range maxApps - 1 {
		a.add(shownApp{})
	}
	if _, ok := a.get(first); ok {
		t.Error("the oldest is kept")
	}
	if app, ok := a.get(second); !ok || app.policy != "2" {
		t.Errorf("the second is %v, %v", app, ok)
	}
	if len(a.byID) != maxApps || len(a.oldest) != maxApps {
		t.Errorf("%d and %d are kept, want %d", len(a.byID), len(a.oldest), maxApps)
	}
}
