package as

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"strings"
)

//go:embed pages/pages.html
var pagesHTML string

//go:embed pages/style.css
var styleCSS string

// The pages have no scripts. Their style is allowed by its hash.
var (
	pages     = template.Must(template.New("pages").Parse(strings.Replace(pagesHTML, "/* style.css */", styleCSS, 1)))
	styleHash = styleSource(styleCSS)
)

func styleSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// pageData is the data of a page.
type pageData struct {
	Title, Text string

	Client       string
	Verified     bool   // the client is one of Options.Clients
	DocumentHost string // of a client's metadata document
	Resource     string
	Scopes       []Scope
	User         string
	Switch       bool // another user may log in
	Upstream     string
	RedirectHost string
	Loopback     bool // the redirect leads to the machine of the browser
	Back         string

	Action  string // where the form goes
	Request string // the secret of the form
	Host    string // of this server
	Name    string // the name that the user tried to log in with
	Failed  bool

	formTargets string
}

// protect sets the headers that protect all responses; pages have more.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
}

// writePage writes a page that other pages cannot put into a frame.
func (s *Server) writePage(w http.ResponseWriter, status int, name string, data pageData) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, data); err != nil {
		s.logger.Error("a page could not be written", "page", name, "error", err)
		http.Error(w, "the page could not be written", http.StatusInternalServerError)
		return
	}
	targets := data.formTargets
	if targets == "" {
		targets = "'none'"
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src "+styleHash+"; form-action "+targets+"; frame-ancestors 'none'; base-uri 'none'")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer, a form would have no Origin
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(b.Bytes())
}

func (s *Server) writeError(w http.ResponseWriter, status int, title, text string) {
	s.writePage(w, status, "error", pageData{Title: title, Text: text})
}
