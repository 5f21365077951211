package as

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/flights"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// maxFetches is how many documents, and how many sets of keys, are fetched at once; of one address a quarter, and from one
// host.
const maxFetches = 16

// A fetches fetches what is at URLs that clients name, each once for all who wait for it.
type fetches[V any] struct {
	flights *flights.Group[string, V]
	hosts   share.Room
}

func newFetches[V any]() *fetches[V] {
	return &fetches[V]{flights.New[string, V](maxFetches), share.Room{Max: maxFetches}}
}

// errTooManyFetches is the refusal of a request for which another server would have to be asked, as for many others.
var errTooManyFetches error = &refusal{status: http.StatusServiceUnavailable, code: "temporarily_unavailable",
	description: "too many requests for which other servers must be asked; try again later"}

// do returns what fetch returns, within documentTime.
func (f *fetches[V]) do(ctx context.Context, at string, fetch func(context.Context) (V, error)) (V, error) {
	v, err := f.flights.Do(ctx, at, func(ctx context.Context) (v V, err error) {
		u, err := url.Parse(at)
		if err != nil {
			return v, err
		}
		host := share.Of("", strings.ToLower(u.Hostname()), nil)
		if !f.hosts.Take(host, 1) {
			return v, errTooManyFetches
		}
		defer f.hosts.Give(host, 1)
		ctx, cancel := context.WithTimeout(ctx, documentTime)
		defer cancel()
		return fetch(ctx)
	})
	if errors.Is(err, share.ErrFull) || errors.Is(err, share.ErrWaited) {
		err = errTooManyFetches
	}
	return v, err
}
