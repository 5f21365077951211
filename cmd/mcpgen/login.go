package main

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// addLogin adds the flags that say how to log in.
func (f *consoleFlags) addLogin(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.login.Scopes, "scope", nil, "log in for the `SCOPE`, beyond those that the server asks for; may be repeated")
	flags.StringVar(&f.login.ClientID, "client-id", "", "log in as the client with this `ID`, where clients cannot register themselves")
	flags.StringVar(&f.login.Audience, "audience", "", "log in for the audience `NAME`, where the authorization server does not know the server by its URL")
	flags.StringVar(&f.login.Redirect, "redirect", "", "log in with the redirect `URI` on this machine (default http://127.0.0.1/callback, with any port)")
}

// authorized reports whether the command line has a token.
func (f *consoleFlags) authorized() bool {
	return slices.ContainsFunc(f.headers, func(h string) bool {
		name, _, _ := strings.Cut(h, ":")
		return strings.EqualFold(strings.TrimSpace(name), "Authorization")
	})
}

// checkLogin returns an error for flags that have no effect.
func (f *consoleFlags) checkLogin(c *cobra.Command) error {
	if len(f.headers) > 0 && f.url == "" {
		return usageError(c, "flag -header is for servers over HTTP")
	}
	for _, name := range []string{"scope", "redirect", "client-id", "audience"} {
		refreshes := name == "client-id" || name == "audience" // which there may be without a login
		switch {
		case !c.Flags().Changed(name):
		case f.url == "":
			return usageError(c, "flag -%s is for servers over HTTP", name)
		case f.noLogin && !refreshes, f.authorized():
			return usageError(c, "flag -%s is for a login, which there is not with -no-login, or with a token in -header", name)
		}
	}
	return nil
}

// A deniedError says what a person can do after a server has refused a request for the lack of a token or of scopes.
type deniedError struct {
	error
	text string
}

func (e deniedError) Error() string { return e.text }
func (e deniedError) Unwrap() error { return e.error }

// denied returns err, as a deniedError if it is about a token.
func (f *consoleFlags) denied(err error) error {
	denied, ok := errors.AsType[*transport.StatusError](err)
	if !ok || denied.Status != http.StatusUnauthorized && denied.Status != http.StatusForbidden {
		return err
	}
	without := f.withoutLogin()
	challenges, parseErr := auth.ParseChallenges(http.Header{"Www-Authenticate": denied.Challenges})
	if parseErr != nil {
		challenges = nil
	}
	for _, c := range challenges {
		switch code := c.Params["error"]; {
		case code == "insufficient_scope" && len(c.Scopes()) > 0:
			text := fmt.Sprintf("the request needs a token with the scopes %.100q (HTTP status %d)", c.Scopes(), denied.Status)
			if without != "" {
				text += "; " + without + ", a login asks for them"
			}
			return deniedError{err, text}
		case code != "" && denied.Status == http.StatusUnauthorized:
			text := fmt.Sprintf("the server does not accept the token: %.100q, %.200q (HTTP status 401)", code, c.Params["error_description"])
			if without != "" {
				text += "; " + without + ", a browser shows a login"
			}
			return deniedError{err, text}
		}
	}
	if denied.Status == http.StatusForbidden {
		return err
	}
	var ways []string
	if without != "" {
		ways = append(ways, without+", a browser shows it")
	}
	if !f.authorized() {
		ways = append(ways, "send a token with -header 'Authorization: Bearer TOKEN'")
	}
	return deniedError{err, "the server wants a login (HTTP status 401): " + strings.Join(ways, "; or ")}
}

// withoutLogin says which flags keep a browser from showing a login, "" if none does.
func (f *consoleFlags) withoutLogin() string {
	switch {
	case f.authorized() && f.noLogin:
		return "without -header and -no-login"
	case f.authorized():
		return "without -header"
	case f.noLogin:
		return "without -no-login"
	}
	return ""
}
