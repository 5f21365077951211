package authclient

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
)

// An Error is an error response of an authorization server: RFC 6749 sections 4.1.2.1 and 5.2, RFC 7591 section 3.2.2.
type Error struct {
	Issuer      string
	Status      int    // the HTTP status, 0 if the error came with a redirect
	Code        string // such as access_denied or invalid_grant
	Description string // for people; shortened, and empty if it contains a secret
}

func (e *Error) Error() string {
	text := fmt.Sprintf("authclient: the authorization server %s responds with", e.Issuer)
	if e.Status != 0 {
		text += fmt.Sprintf(" status %d", e.Status)
	}
	if e.Code != "" {
		text += fmt.Sprintf(" error %q", e.Code)
	}
	if e.Description != "" {
		text += fmt.Sprintf(": %q", e.Description)
	}
	return text
}

// A notShown is the error of a login of which no user has seen anything.
type notShown struct{ error }

func (e *notShown) Unwrap() error { return e.error }

// serverError makes an *Error of the error of a request to an authorization server, if that has responded. Form is what
// was sent: the server may repeat it.
func serverError(issuer string, err error, form url.Values) error {
	status, ok := errors.AsType[*fetch.StatusError](err)
	if !ok {
		return err
	}
	code, description := oauth.ErrorOf(status)
	return &Error{Issuer: issuer, Status: status.Status, Code: clean(code, form), Description: clean(description, form)}
}

// secrets lists the parameters of a token request that must stay secret.
var secrets = []string{
	"code", "code_verifier", "refresh_token", "client_secret", "client_assertion", "assertion", "subject_token",
}

// clean returns a shortened text of a server, or "" if it repeats a secret.
func clean(text string, form url.Values) string {
	for _, name := range secrets {
		if v := form.Get(name); v != "" && strings.Contains(text, v) {
			return ""
		}
	}
	return excerpt.Of(text)
}
