package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"

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
	// Nobody must take these responses for one of an endpoint, so they are not wrapped.
	return nil, fmt.Errorf("auth: no metadata of the authorization server %s: %v", issuer, errors.Join(errs...))
}
