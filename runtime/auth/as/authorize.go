package as

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const (
	challengeLength = 43 // of a SHA-256 in base64url
	maxScopes       = 100
)

// An authorization is an authorization request; see OAuth 2.1, section 4.1.1.
type authorization struct {
	Client    string   `json:"client"`
	Name      string   `json:"name"` // of the client
	Redirect  string   `json:"redirect"`
	State     string   `json:"state,omitempty"`
	Scopes    []string `json:"scopes,omitempty"`
	Resource  string   `json:"resource"`
	Challenge string   `json:"challenge"`
	Key       string   `json:"jkt,omitempty"`
	URI       string   `json:"uri"` // of the request, to return to it after the login

	client *client
}

// serveAuthorize shows the consent page to a user who is logged in.
func (s *Server) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	a, err := s.parseAuthorization(r)
	if err != nil {
		s.writeAuthorizationError(w, r, a, err)
		return
	}
	user, ok := s.user(w, r)
	if ok {
		s.showConsent(w, r, a, user)
	}
}

// parseAuthorization parses an authorization request. If there is an error and the client may receive it,
// parseAuthorization returns the authorization as well.
func (s *Server) parseAuthorization(r *http.Request) (*authorization, error) {
	p, err := readQuery(r)
	if err != nil {
		return nil, refuse("invalid_request", err.Error())
	}
	if p.get("client_id") == "" {
		return nil, refuse("invalid_request", "client_id is missing")
	}
	c, err := s.client(r.Context(), p.get("client_id"))
	if err != nil {
		return nil, err
	}
	redirect := p.get("redirect_uri")
	if redirect == "" {
		return nil, refuse("invalid_request", "redirect_uri is missing")
	}
	if !c.matchRedirect(redirect) {
		return nil, refuse("invalid_request", "redirect_uri is not one of the client's")
	}
	a := &authorization{Client: c.ID, Name: c.displayName(), Redirect: redirect, State: p.get("state"), URI: r.URL.RequestURI(), client: c}
	return a, s.fill(a, p)
}

// fill reads the rest of a request, once it is known where to send errors.
func (s *Server) fill(a *authorization, p params) (err error) {
	switch {
	case p.get("request") != "":
		return refuse("request_not_supported", "want the parameters themselves, not a request object")
	case p.get("request_uri") != "":
		return refuse("request_uri_not_supported", "want the parameters themselves, not a URL of a request object")
	case p.get("response_type") == "":
		return refuse("invalid_request", "response_type is missing")
	case p.get("response_type") != "code":
		return refuse("unsupported_response_type", "want the response_type code")
	case p.get("response_mode") != "" && p.get("response_mode") != "query":
		return refuse("invalid_request", "want the response_mode query")
	case !a.client.may(grantCode):
		return refuse("unauthorized_client", "the client may not use authorization codes")
	case p.get("prompt") == "none":
		return refuse("interaction_required", "a user must always consent")
	}
	if a.Challenge = p.get("code_challenge"); a.Challenge == "" {
		return refuse("invalid_request", "code_challenge is missing")
	}
	if p.get("code_challenge_method") != "S256" {
		return refuse("invalid_request", "want the code_challenge_method S256")
	}
	if !isHash(a.Challenge) {
		return refuse("invalid_request", "want a code_challenge that is a SHA-256 in base64url, without padding")
	}
	if a.Key = p.get("dpop_jkt"); a.Key != "" && !isHash(a.Key) {
		return refuse("invalid_request", "want a dpop_jkt that is a SHA-256 in base64url, without padding")
	}
	if a.Resource, err = s.resource(p); err != nil {
		return err
	}
	a.Scopes, err = s.scopes(a.client, p.get("scope"))
	return err
}

func isHash(text string) bool {
	_, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(text) == challengeLength
}

// resource returns the resource that a request names; see RFC 8707, section 2.
func (s *Server) resource(p params) (string, error) {
	named := p["resource"]
	if len(named) == 0 {
		return s.opts.Resources[0], nil
	}
	if len(named) > 1 {
		return "", refuse("invalid_target", "want one resource, since a token is for one")
	}
	i := slices.IndexFunc(s.opts.Resources, func(have string) bool { return sameResource(have, named[0]) })
	if i < 0 {
		return "", refuse("invalid_target", "this server issues no tokens for the resource")
	}
	return s.opts.Resources[i], nil
}

// sameResource reports whether two URLs name the same resource: they are equal, but for the slash that some write
// where there is no path.
func sameResource(a, b string) bool { return withPath(a) == withPath(b) }

func withPath(text string) string {
	if u, err := url.Parse(text); err == nil && u.Host != "" && u.Path == "" && u.RawQuery == "" {
		return text + "/"
	}
	return text
}

// scopes returns the scopes that a client asks for, each once.
func (s *Server) scopes(c *client, text string) ([]string, error) {
	asked := strings.Fields(text)
	if len(asked) > maxScopes {
		return nil, refuse("invalid_scope", "there are too many scopes")
	}
	if len(asked) == 0 {
		asked = slices.DeleteFunc(slices.Clone(s.opts.DefaultScopes), func(name string) bool { return !c.mayHave(name) })
	}
	var scopes []string
	for _, name := range asked {
		if !slices.ContainsFunc(s.opts.Scopes, func(have Scope) bool { return have.Name == name }) || !c.mayHave(name) {
			return nil, refuse("invalid_scope", "a scope is unknown, or the client may not have it")
		}
		if !slices.Contains(scopes, name) {
			scopes = append(scopes, name)
		}
	}
	return scopes, nil
}

func (c *client) mayHave(scope string) bool {
	return c.scopes == nil || slices.Contains(c.scopes, scope)
}

// writeAuthorizationError sends the browser back to the client with an error, or shows the error. It does not
// redirect to a client that anybody could have registered: otherwise a link to this server could lead anywhere.
func (s *Server) writeAuthorizationError(w http.ResponseWriter, r *http.Request, a *authorization, err error) {
	e := s.asRefusal(r, err)
	if a == nil {
		s.writeError(w, e.status, "This link does not work", "The application sent a request that is not valid: "+e.description+".")
		return
	}
	back := s.responseURL(a, url.Values{"error": {e.code}, "error_description": {e.description}})
	if a.client.configured || isLoopbackRedirect(a.Redirect) {
		redirectTo(w, back)
		return
	}
	s.writePage(w, e.status, "error", pageData{
		Title: "This request is not valid", Text: a.Name + " sent a request that is not valid: " + e.description + ".",
		Back: back, RedirectHost: redirectHost(a.Redirect),
	})
}

// responseURL returns the redirect URI with an authorization response; see OAuth 2.1, section 4.1.2, and RFC 9207.
func (s *Server) responseURL(a *authorization, response url.Values) string {
	response.Set("iss", s.opts.Issuer)
	if a.State != "" {
		response.Set("state", a.State)
	}
	return withParams(a.Redirect, response)
}

// redirectTo sends a browser to a URL that may have secrets.
func redirectTo(w http.ResponseWriter, url string) {
	h := w.Header()
	h.Set("Location", url)
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusSeeOther)
}

// grantCode grants what a client asked for, and sends the browser back to it with a code.
func (s *Server) grantCode(w http.ResponseWriter, r *http.Request, a *authorization, g *grant, id string) error {
	g.Client, g.Scopes, g.Resource, g.Redirect, g.Challenge, g.Key = a.Client, a.Scopes, a.Resource, a.Redirect, a.Challenge, a.Key
	code, err := s.createGrant(r.Context(), g, id)
	if err != nil {
		return err
	}
	c, err := s.client(r.Context(), a.Client)
	if err != nil {
		return err
	}
	if err := s.keepClient(r.Context(), c, g.Subject); err != nil {
		return err
	}
	s.logger.InfoContext(r.Context(), "a user has granted access", "client", a.Client, "subject", g.Subject, "scopes", a.Scopes, "resource", a.Resource)
	redirectTo(w, s.responseURL(a, url.Values{"code": {code}}))
	return nil
}
