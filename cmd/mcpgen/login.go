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

// checkLogin returns an error for flags that have no effect.
func (f *consoleFlags) checkLogin(c *cobra.Command) error {
	authorized := slices.ContainsFunc(f.headers, func(h string) bool {
		name, _, _ := strings.Cut(h, ":")
		return strings.EqualFold(strings.TrimSpace(name), "Authorization")
	})
	if len(f.headers) > 0 && f.url == "" {
		return usageError(c, "flag -header is for servers over HTTP")
	}
	for _, name := range []string{"scope", "client-id", "audience", "redirect"} {
		switch {
		case !c.Flags().Changed(name):
		case f.url == "":
			return usageError(c, "flag -%s is for servers over HTTP", name)
		case f.noLogin, authorized:
			return usageError(c, "flag -%s is for a login, which there is not with -no-login, or with a token in -header", name)
		}
	}
	return nil
}

// deniedText returns what a person can do after a server has refused a request for the lack of a token or of scopes, ""
// if it has not.
func deniedText(err error) string {
	denied, ok := errors.AsType[*transport.StatusError](err)
	if !ok || denied.Status != http.StatusUnauthorized && denied.Status != http.StatusForbidden {
		return ""
	}
	challenges, err := auth.ParseChallenges(http.Header{"Www-Authenticate": denied.Challenges})
	if err != nil {
		challenges = nil
	}
	for _, c := range challenges {
		switch code := c.Params["error"]; {
		case code == "insufficient_scope" && len(c.Scopes()) > 0:
			return fmt.Sprintf("the token lacks a scope: the request needs %.100q (HTTP status %d); without -header, a login asks for that", c.Scopes(), denied.Status)
		case code != "" && denied.Status == http.StatusUnauthorized:
			return fmt.Sprintf("the server does not accept the token: %.100q, %.200q (HTTP status 401)", code, c.Params["error_description"])
		}
	}
	if denied.Status == http.StatusForbidden {
		return ""
	}
	return "the server wants a login (HTTP status 401): without -no-login, a browser shows it; or send a token with -header 'Authorization: Bearer TOKEN'"
}
