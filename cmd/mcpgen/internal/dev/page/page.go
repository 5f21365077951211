// Package page serves the page of mcpgen dev, which shows what a server offers, calls it, and responds to its
// requests for input.
package page

import (
	"context"
	"crypto/rand"
	"embed"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/dev"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

//go:embed assets
var assets embed.FS

// maxRequests is how many requests of pages are handled concurrently.
const maxRequests = 100

// Options configures a [Page].
type Options struct {
	Server   *server.Server                                   // the endpoint
	About    func() (*client.ServerInfo, wire.Revision, bool) // what the serving build says about itself
	Roots    []mcp.Root                                       // the roots that the page tells servers
	Endpoint string                                           // the URL of the endpoint, for clients
	Sandbox  string                                           // the origin of [Page.Sandbox]; empty if apps are not shown
	Logger   *slog.Logger
}

// A Page is an http.Handler for the page and its API. It is for one listener on loopback.
type Page struct {
	opts   Options
	token  string
	feed   *feed
	asks   *asks
	tasks  *begunTasks
	apps   shownApps
	mux    *http.ServeMux
	places chan struct{}

	sessions *sessions
	ctx      context.Context
	cancel   context.CancelFunc

	mu    sync.Mutex
	state shownState
}

// New returns a page with a new token. It serves requests after [Page.Begin]; its feed can be written to before that.
func New() *Page {
	p := &Page{token: rand.Text(), feed: newFeed(), mux: http.NewServeMux(), places: make(chan struct{}, maxRequests)}
	p.asks, p.tasks = newAsks(p.feed), &begunTasks{feed: p.feed}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.show(func(s *shownState) { s.Phase = dev.Building })
	return p
}

// Begin makes the page ready for requests.
func (p *Page) Begin(opts Options) {
	p.opts = opts
	p.sessions = &sessions{opts: &p.opts, feed: p.feed, asks: p.asks, tasks: p.tasks, ctx: p.ctx, open: map[wire.Revision]*session{}}
	p.routes()
}

// Close ends everything that the page has begun, and waits for it.
func (p *Page) Close() {
	p.cancel()
	if p.sessions != nil {
		p.sessions.wait()
	}
}

// URL returns the URL of the page at an address, with the token.
func (p *Page) URL(address string) string { return "http://" + address + "/?token=" + p.token }

// Tap wraps the connection to a build so that pages show its messages.
func (p *Page) Tap(t transport.Transport) transport.Transport {
	tap := newTap(t, p.feed, "server", "")
	tap.own = func(ctx context.Context, method string) bool {
		c := dev.CallOf(ctx)
		return dev.IsList(method) && (c == nil || c.Client() != nil && c.Client().Name == clientName)
	}
	return tap
}

// routes registers the handlers. Everything under /api needs the token; files of the page do not.
func (p *Page) routes() {
	p.mux.HandleFunc("GET /{$}", p.index)
	p.mux.HandleFunc("GET /page/{file}", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, assets, "assets/"+r.PathValue("file"))
	})
	for pattern, handle := range map[string]http.HandlerFunc{
		"GET /api/events":       p.events,
		"GET /api/definitions":  p.definitions,
		"POST /api/app":         p.app,
		"POST /api/call":        p.call,
		"POST /api/prompt":      p.prompt,
		"POST /api/read":        p.read,
		"POST /api/complete":    p.complete,
		"POST /api/subscribe":   p.subscribe,
		"POST /api/answer":      p.answer,
		"POST /api/task/{what}": p.task,
	} {
		p.mux.HandleFunc(pattern, p.guarded(handle))
	}
}

// index serves the page. Its scripts and styles hold no secrets; their requests need the token.
func (p *Page) index(w http.ResponseWriter, r *http.Request) {
	name, status := "assets/page.html", http.StatusOK
	if !p.knows(r.URL.Query().Get("token")) {
		name, status = "assets/refused.html", http.StatusForbidden
	}
	text, err := assets.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if _, err := w.Write(text); err != nil {
		p.opts.Logger.Debug("cannot send the page", "error", err)
	}
}

// events serves the feed, from a number on, until the page is closed or dev ends.
func (p *Page) events(w http.ResponseWriter, r *http.Request) {
	after, _ := strconv.ParseUint(r.URL.Query().Get("after"), 10, 64) // 0 is from the beginning
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := http.NewResponseController(w)
	for {
		lines, last, more := p.feed.since(after)
		after = last
		for _, line := range lines {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
		out.SetWriteDeadline(time.Now().Add(writeTime)) // only connections in tests have no deadline
		if err := out.Flush(); err != nil {
			return
		}
		select {
		case <-more:
		case <-time.After(keepAlive):
			if _, err := w.Write([]byte("\n")); err != nil {
				return
			}
		case <-r.Context().Done():
			return
		case <-p.ctx.Done():
			return
		}
	}
}

const (
	writeTime = 30 * time.Second // for a page to receive what is new
	keepAlive = 15 * time.Second // between empty lines
)

// A shownState is the state of the build, for pages.
type shownState struct {
	dev.State
	Step     string    `json:"step,omitempty"` // generating or building
	Mistakes []mistake `json:"mistakes,omitempty"`
	At       int64     `json:"at"`
}

// A mistake is a line of what is wrong, with its place if it has one.
type mistake struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Text   string `json:"text"`
}

// Show shows a new state of the runner.
func (p *Page) Show(s dev.State) {
	p.show(func(shown *shownState) {
		shown.State, shown.Step, shown.Mistakes = s, "", mistakesIn(s.Problem)
	})
}

// Step shows which step a build begins: generating or building.
func (p *Page) Step(step string) { p.show(func(s *shownState) { s.Step = step }) }

// show changes the state that pages show.
func (p *Page) show(change func(*shownState)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.state)
	p.state.At = time.Now().UnixMilli()
	p.feed.set("state", p.state)
}

var place = regexp.MustCompile(`^(.+?\.\w+):(\d+)(?::(\d+))?: (.*)$`)

// mistakesIn returns the lines of a problem, those that begin with a place (file:line: or file:line:column:) with it apart.
func mistakesIn(problem string) (all []mistake) {
	for line := range strings.Lines(problem) {
		line = strings.TrimRight(line, "\r\n")
		m := mistake{Text: line}
		if at := place.FindStringSubmatch(line); at != nil {
			m.File, m.Text = at[1], at[4]
			m.Line, _ = strconv.Atoi(at[2])
			m.Column, _ = strconv.Atoi(at[3]) // which may be missing
		}
		if line != "" {
			all = append(all, m)
		}
	}
	return all
}
