package as

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// consentTime is how long a user has to submit a consent page.
const consentTime = 10 * time.Minute

// A consent is an authorization that waits for the user. It is in the form, encrypted, so that nothing is stored before
// somebody has decided, and belongs to the browser that sent the request.
type consent struct {
	ID            string         `json:"id"`
	Expires       time.Time      `json:"expires"`
	Authorization *authorization `json:"authorization"`
	Subject       string         `json:"subject,omitempty"` // empty if users log in upstream
	Browser       digest         `json:"browser"`
}

// showConsent shows a page that says which client asks for what.
func (s *Server) showConsent(w http.ResponseWriter, r *http.Request, a *authorization, user *User) {
	c := consent{ID: newID(), Expires: time.Now().Add(consentTime), Authorization: a, Browser: digestOf(s.browser(w, r))}
	data := pageData{Title: "Allow access?", Client: a.Name, Resource: a.Resource, RedirectHost: redirectHost(a.Redirect),
		Loopback: isLoopbackRedirect(a.Redirect), Verified: a.client.configured, Action: s.path + "/consent"}
	if user != nil {
		c.Subject = user.Subject
		data.User = user.displayName()
		data.Switch = s.opts.Password != nil
	}
	if s.opts.Upstream != nil {
		data.Upstream = redirectHost(s.opts.Upstream.Config.Endpoint.AuthURL)
	}
	if isDocumentURL(a.Client) {
		data.DocumentHost = redirectHost(a.Client)
	}
	for _, name := range a.Scopes {
		data.Scopes = append(data.Scopes, s.describeScope(name))
	}
	text, err := json.Marshal(c)
	if err != nil {
		s.writeAuthorizationError(w, r, a, err)
		return
	}
	data.Request = base64.RawURLEncoding.EncodeToString(s.sealer.seal("consent", text))
	data.formTargets = s.formTargets(a)
	s.writePage(w, http.StatusOK, "consent", data)
}

func (s *Server) describeScope(name string) Scope {
	for _, scope := range s.opts.Scopes {
		if scope.Name == name && scope.Description != "" {
			return scope
		}
	}
	return Scope{Name: name, Description: name}
}

// formTargets returns the targets that the form of a consent page may have, which include those of redirects after
// it.
func (s *Server) formTargets(a *authorization) string {
	targets := "'self' " + origin(a.Redirect)
	if s.opts.Upstream != nil {
		targets += " https: " + origin(s.opts.Upstream.Config.Endpoint.AuthURL) // and wherever that redirects to
	}
	return targets
}

func origin(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// redirectHost returns the part of a URL that identifies the receiver.
func redirectHost(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return text
	}
	return u.Host
}

// serveConsent handles what a user has decided.
func (s *Server) serveConsent(w http.ResponseWriter, r *http.Request) {
	if err := s.origins.Check(r); err != nil {
		s.writeError(w, http.StatusForbidden, "This page came from another site", "Start again from the application.")
		return
	}
	p, err := readForm(w, r)
	if err != nil {
		s.writeError(w, http.StatusBadRequest, "The form is not valid", "Start again from the application.")
		return
	}
	c, err := s.openConsent(r, p.get("request"))
	if err != nil {
		s.writeConsentError(w, r, err)
		return
	}
	if !s.sameUser(w, r, c) {
		return
	}
	// The first record decides, so a form that is sent twice decides once.
	who := share.From(r.Context())
	if c.Subject != "" {
		who = of(c.Subject)
	}
	if err := s.put(r.Context(), who, kindDecided, c.ID, true, 0, c.Expires); err != nil {
		s.writeConsentError(w, r, err)
		return
	}
	if err := s.decide(w, r, c, p.get("decision")); err != nil {
		s.writeConsentError(w, r, err)
	}
}

// errOtherBrowser is the error of a form that was shown in another browser.
var errOtherBrowser = errors.New("as: the form belongs to another browser")

// openConsent returns the consent in a form. The error is [store.ErrNotFound] if there is none, or it has expired.
func (s *Server) openConsent(r *http.Request, sealed string) (*consent, error) {
	text, err := base64.RawURLEncoding.DecodeString(sealed)
	if err == nil {
		text, err = s.sealer.open("consent", text)
	}
	if err != nil {
		return nil, store.ErrNotFound
	}
	c := &consent{}
	switch err := json.Unmarshal(text, c); {
	case err != nil:
		return nil, err
	case !time.Now().Before(c.Expires):
		return nil, store.ErrNotFound
	case !c.Browser.matches(s.cookie(r, browserCookie)):
		return nil, errOtherBrowser
	}
	return c, nil
}

// sameUser reports whether the user to whom the page was shown is still logged in. If not, it writes the response.
func (s *Server) sameUser(w http.ResponseWriter, r *http.Request, c *consent) bool {
	if s.opts.Upstream != nil {
		return true
	}
	again := r.Clone(r.Context())
	again.Method, again.Body, again.ContentLength = http.MethodGet, http.NoBody, 0
	again.RequestURI = c.Authorization.URI
	var err error
	if again.URL, err = url.ParseRequestURI(c.Authorization.URI); err != nil {
		s.writeConsentError(w, r, err)
		return false
	}
	user, ok := s.user(w, again)
	if !ok {
		return false
	}
	if user.Subject != c.Subject {
		s.writeError(w, http.StatusForbidden, "Another user is logged in now", "Start again from the application.")
		return false
	}
	return true
}

// decide does what the user has decided.
func (s *Server) decide(w http.ResponseWriter, r *http.Request, c *consent, decision string) error {
	a := c.Authorization
	switch {
	case decision == "switch" && s.opts.Password != nil:
		if err := s.logOut(w, r); err != nil {
			return err
		}
		redirectTo(w, a.URI)
		return nil
	case decision != "allow":
		redirectTo(w, s.responseURL(a, url.Values{"error": {"access_denied"}, "error_description": {"the user did not allow it"}}))
		return nil
	case s.opts.Upstream != nil:
		return s.startUpstream(w, r, a)
	}
	return s.grantCode(w, r, a, &grant{Subject: c.Subject}, newID())
}

func (s *Server) writeConsentError(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrConflict):
		s.writeError(w, http.StatusConflict, "This page was already used", "It can be used once, within ten minutes. Start again from the application.")
	case errors.Is(err, errOtherBrowser):
		s.writeError(w, http.StatusForbidden, "This page belongs to another browser", "Start again from the application.")
	default:
		e := s.asRefusal(r, err)
		s.writeError(w, e.status, "Something went wrong", "The authorization server could not finish this: "+e.description+".")
	}
}
