package auth

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/transport"
)

// FromEnvironment verifies the access token in an environment variable, and returns a function for the option Identity
// of package server, which identifies the client of a server over stdio. Covers is as in [Options]. The variable is
// removed, so that programs that the server starts do not inherit the token. V must refuse tokens for other
// resources, as a [JWTVerifier] and an [Introspector] do. Once the token has expired, the client
// has no scopes.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#protocol-requirements
func FromEnvironment(ctx context.Context, name string, v Verifier, covers func(granted, wanted string) bool) (func(context.Context) transport.Identity, error) {
	text := strings.TrimSpace(os.Getenv(name))
	if text == "" {
		return nil, fmt.Errorf("auth: the environment variable %s is empty: want an access token", name)
	}
	if err := os.Unsetenv(name); err != nil {
		return nil, fmt.Errorf("auth: %w", err)
	}
	t, err := verify(ctx, v, text)
	if err != nil {
		return nil, fmt.Errorf("auth: the environment variable %s: %w", name, err)
	}
	identity := &endingIdentity{withScopes(t, covers), t}
	return func(context.Context) transport.Identity { return identity }, nil
}

// An endingIdentity has no scopes once its token has expired. Over HTTP each request is verified; over stdio nothing
// else would notice.
type endingIdentity struct {
	transport.Identity
	of *Token
}

func (e *endingIdentity) token() *Token { return e.of }

func (e *endingIdentity) Missing(scopes []string) []string {
	if _, err := e.of.unexpired(time.Now()); err != nil {
		return scopes
	}
	return e.Identity.Missing(scopes)
}
