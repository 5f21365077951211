package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
)

// discover fetches the metadata of an authorization server from the first of its well-known URLs that has it.
// Metadata of another issuer is an error: RFC 8414 section 3.3.
func discover(ctx context.Context, c *http.Client, issuer string) (*AuthorizationServerMetadata, error) {
	urls, err := ServerMetadataURLs(issuer)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, u := range urls {
		var m AuthorizationServerMetadata
		_, err := fetch.Get(ctx, c, u, &m)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: %w", u, err))
		case m.Issuer != issuer:
			return nil, fmt.Errorf("auth: %s: want the issuer %q, got %q", u, issuer, m.Issuer)
		default:
			return &m, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, fmt.Errorf("auth: no metadata of the authorization server %s: %w", issuer, errors.Join(errs...))
}

// metadataAge is how long the metadata of an authorization server is used.
const metadataAge = time.Hour

// serverMetadata is the metadata of an authorization server, fetched when it is needed.
type serverMetadata struct {
	issuer  string
	client  *http.Client
	flights *flights[*fetchedMetadata]
	last    atomic.Pointer[fetchedMetadata]
}

type fetchedMetadata struct {
	AuthorizationServerMetadata
	at time.Time
}

func newServerMetadata(issuer string, c *http.Client) *serverMetadata {
	return &serverMetadata{issuer: issuer, client: c, flights: newFlights[*fetchedMetadata]()}
}

// remembered returns what was fetched, nil if that is too old.
func (s *serverMetadata) remembered() *fetchedMetadata {
	if m := s.last.Load(); m != nil && time.Since(m.at) < metadataAge {
		return m
	}
	return nil
}

func (s *serverMetadata) get(ctx context.Context) (*fetchedMetadata, error) {
	if m := s.remembered(); m != nil {
		return m, nil
	}
	return s.flights.do(ctx, tokenKey{}, func(ctx context.Context) (*fetchedMetadata, error) {
		if m := s.remembered(); m != nil { // a request has just ended
			return m, nil
		}
		m, err := discover(ctx, s.client, s.issuer)
		if err != nil {
			return nil, err
		}
		f := &fetchedMetadata{*m, time.Now()}
		s.last.Store(f)
		return f, nil
	})
}
