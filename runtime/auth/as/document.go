package as

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/flights"
	"github.com/mcpgen/mcpgen/runtime/internal/lru"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/internal/turns"
)

const (
	maxDocumentURL = 2 << 10
	documentTime   = 5 * time.Second
	maxDocuments   = 1000 // that are kept
	standardFresh  = 5 * time.Minute
	maxFresh       = 24 * time.Hour
)

// documents holds the metadata documents of clients whose ids are URLs, as long as they may be kept. See
// https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration and OAuth Client
// ID Metadata Document.
type documents struct {
	http     *http.Client
	loopback bool
	fetches  *flights.Group[string, keptDocument]
	hosts    share.Room // how many are fetched from each host

	mu   sync.Mutex
	kept lru.Map[string, keptDocument]
}

type keptDocument struct {
	client  *client
	expires time.Time
}

// newDocuments returns documents that an HTTP client fetches. It must not follow redirects: the id of a client is
// the exact URL of its document.
func newDocuments(c *http.Client, loopback bool) *documents {
	own := *c
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return errors.New("a document may not be redirected") }
	return &documents{
		http: &own, loopback: loopback, fetches: flights.New[string, keptDocument](maxFetches), hosts: share.Room{Max: maxFetches},
		kept: lru.Map[string, keptDocument]{MaxItems: maxDocuments},
	}
}

// isDocumentURL reports whether the id of a client is the URL of a document.
func isDocumentURL(id string) bool {
	return strings.HasPrefix(id, "https://") || strings.HasPrefix(id, "http://")
}

// checkDocumentURL reports what is wrong with the URL of a document.
func (d *documents) checkDocumentURL(id string) error {
	u, err := url.Parse(id)
	switch {
	case err != nil || len(id) > maxDocumentURL:
		return errors.New("want a URL")
	case fetch.CheckURL(u, d.loopback) != nil || !isHost(u.Host):
		return errors.New("want an https URL of a public host, without user information and fragment")
	case u.Path == "" || u.Path == "/":
		return errors.New("want a URL with a path")
	}
	for part := range strings.SplitSeq(u.Path, "/") {
		if part == "." || part == ".." {
			return errors.New("want a path without segments of dots alone")
		}
	}
	return nil
}

// client returns the client of a document.
func (d *documents) client(ctx context.Context, id string) (*client, error) {
	if err := d.checkDocumentURL(id); err != nil {
		return nil, refuse("invalid_client", "client_id: "+err.Error())
	}
	d.mu.Lock()
	kept, found := d.kept.Get(id)
	d.mu.Unlock()
	if found && time.Now().Before(kept.expires) {
		return kept.client, nil
	}
	kept, err := d.fetches.Do(ctx, id, func(ctx context.Context) (keptDocument, error) {
		c, fresh, err := d.fetch(ctx, id)
		kept := keptDocument{c, time.Now().Add(fresh)}
		if err == nil && fresh > 0 {
			d.keep(id, kept)
		}
		return kept, err
	})
	if errors.Is(err, turns.ErrFull) || errors.Is(err, turns.ErrWaited) {
		err = errTooManyFetches
	}
	return kept.client, err
}

// maxFetches is how many documents are fetched at once; of one address a quarter, and from one host.
const maxFetches = 16

// errTooManyFetches is the refusal of a request for which another server would have to be asked, as for many others.
var errTooManyFetches error = &refusal{status: http.StatusServiceUnavailable, code: "temporarily_unavailable",
	description: "too many requests for which other servers must be asked; try again later"}

// fetch fetches a document. Its errors say little, so that they cannot be used to explore a network.
func (d *documents) fetch(ctx context.Context, id string) (*client, time.Duration, error) {
	u, err := url.Parse(id)
	if err != nil {
		return nil, 0, err
	}
	host := share.Of("", strings.ToLower(u.Hostname()), nil)
	if !d.hosts.Take(host, 1) {
		return nil, 0, errTooManyFetches
	}
	defer d.hosts.Give(host, 1)
	ctx, cancel := context.WithTimeout(ctx, documentTime)
	defer cancel()
	m := &clientMetadata{}
	header, err := fetch.Get(ctx, d.http, id, nil, m)
	if err != nil {
		return nil, 0, refuse("invalid_client", "the metadata document of the client could not be fetched, or is not a valid JSON object")
	}
	switch {
	case m.ID != id:
		return nil, 0, refuse("invalid_client", "the client_id in the metadata document is not its URL")
	case m.Name == "":
		return nil, 0, refuse("invalid_client", "the metadata document has no client_name")
	case m.Secret != nil || m.Method != "" && m.Method != methodNone && m.Method != methodKey:
		return nil, 0, refuse("invalid_client", "the metadata document has a secret, or an authentication method with one; want none or private_key_jwt")
	}
	c, err := m.client()
	if err != nil {
		return nil, 0, refuse("invalid_client", "the metadata document: "+err.(*refusal).description)
	}
	if c.ID = id; c.Method == "" {
		c.Method = methodNone
	}
	return c, freshness(header), nil
}

// keep keeps a document. If there are too many, it drops the least recently used one.
func (d *documents) keep(id string, k keptDocument) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept.Put(id, k, 0)
}
