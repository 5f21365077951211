package auth

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
)

// An endpoint is the introspection endpoint of an authorization server, at which this server is a client.
type endpoint struct {
	issuer      string
	url         string // empty: as the metadata says
	credentials Credentials
	client      *http.Client

	mu    sync.Mutex // held while the metadata is fetched, so that it is fetched once; guards the rest
	found string     // the URL in the metadata
	err   error      // why there is none
	asked time.Time
}

// metadataAge is how long the metadata of an authorization server is used.
const metadataAge = time.Hour

// post sends a form with the credentials, and decodes the JSON object of the response into v.
func (e *endpoint) post(ctx context.Context, form url.Values, v any) error {
	at, err := e.locate(ctx)
	if err != nil {
		return err
	}
	h := http.Header{}
	if err := e.credentials.authenticate(e.issuer, h, form); err != nil {
		return err
	}
	if _, err := fetch.PostForm(ctx, e.client, at, h, form, v); err != nil {
		return fmt.Errorf("auth: introspection at %s: %w", at, err)
	}
	return nil
}

// locate returns the URL of the endpoint. It fetches the metadata if what is known of it is too old; all that need it
// wait for the same request, and share its error for a while.
func (e *endpoint) locate(ctx context.Context) (string, error) {
	if e.url != "" {
		return e.url, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	age := metadataAge
	if e.err != nil {
		age = failedWait // or each token would cause a fetch while there is no metadata
	}
	if time.Since(e.asked) >= age {
		m, err := FetchServerMetadata(ctx, e.client, e.issuer)
		if err == nil {
			if e.found = m.IntrospectionEndpoint; e.found == "" {
				err = fmt.Errorf("auth: the metadata of %s has no introspection_endpoint", e.issuer)
			}
		}
		e.err, e.asked = err, time.Now()
	}
	return e.found, e.err
}
