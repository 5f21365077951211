package as

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

const (
	passwordsPerMinute = 10 // of one address, and for one name
	maxPassword        = 1024
)

// user returns the user who is logged in. If nobody is, it writes the response. If users log in upstream, there is
// no user, and ok is true.
func (s *Server) user(w http.ResponseWriter, r *http.Request) (user *User, ok bool) {
	switch {
	case s.opts.Upstream != nil:
		return nil, true
	case s.opts.Login != nil:
		if user = s.opts.Login(w, r); user == nil {
			return nil, false
		}
	default:
		var err error
		if user, err = s.loggedIn(r); err != nil {
			s.writeConsentError(w, r, err)
			return nil, false
		}
		if user == nil {
			s.showLogin(w, r, http.StatusOK, "", "")
			return nil, false
		}
	}
	if err := user.check(); err != nil {
		s.writeConsentError(w, r, err)
		return nil, false
	}
	return user, true
}

// serveLogin handles the POST of a login page to the URL of an authorization request.
func (s *Server) serveLogin(w http.ResponseWriter, r *http.Request) {
	switch {
	case s.opts.Upstream != nil:
		w.Header().Set("Allow", "GET, HEAD")
		s.writeError(w, http.StatusMethodNotAllowed, "This link does not work", "An authorization request must be a GET request.")
	case s.opts.Login != nil:
		if s.opts.Login(w, r) != nil {
			redirectTo(w, r.URL.RequestURI())
		}
	default:
		s.logIn(w, r)
	}
}

// loggedIn returns the user who is logged in through our own page, nil if nobody is.
func (s *Server) loggedIn(r *http.Request) (*User, error) {
	user := &User{}
	_, err := s.load(r.Context(), kindLogin, hashOf(s.cookie(r, loginCookie)), user)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return user, err
}

// showLogin shows the login page. Its form belongs to the browser, so that nobody can log another browser in.
func (s *Server) showLogin(w http.ResponseWriter, r *http.Request, status int, name, problem string) {
	s.writePage(w, status, "login", pageData{Title: "Log in", Text: problem, Host: redirectHost(s.opts.Issuer), Name: name, Failed: problem != "",
		Action: r.URL.RequestURI(), Request: s.loginSecret(s.browser(w, r)), formTargets: "'self'"})
}

// loginSecret returns the secret in the login form, which only this server can make, for one browser.
func (s *Server) loginSecret(browser string) string { return s.sealer.mac("login", browser) }

// logIn handles our own login form.
func (s *Server) logIn(w http.ResponseWriter, r *http.Request) {
	if err := s.origins.Check(r); err != nil {
		s.writeError(w, http.StatusForbidden, "This page came from another site", "Start again from the application.")
		return
	}
	if a, err := s.parseAuthorization(r); err != nil {
		s.writeAuthorizationError(w, r, a, err)
		return
	}
	p, err := readFormBody(w, r)
	if err != nil {
		s.writeError(w, http.StatusBadRequest, "The form is not valid", "Start again from the application.")
		return
	}
	if browser := s.cookie(r, browserCookie); browser == "" || !digestOf(s.loginSecret(browser)).matches(p.get("request")) {
		s.showLogin(w, r, http.StatusForbidden, "", "The page had expired. Please try again.")
		return
	}
	name, password := p.get("name"), p.get("password")
	if !s.passwords.Allow(share.From(r.Context())) || !s.passwords.Allow(named(name)) {
		w.Header().Set("Retry-After", "60")
		s.showLogin(w, r, http.StatusTooManyRequests, name, "Too many attempts. Wait a minute, then try again.")
		return
	}
	var user *User
	if len(password) <= maxPassword {
		user, err = s.opts.Password(r.Context(), name, password)
	}
	switch {
	case err != nil:
		s.writeConsentError(w, r, err)
	case user == nil:
		s.logger.InfoContext(r.Context(), "a login failed")
		s.showLogin(w, r, http.StatusForbidden, name, "The name or the password is wrong.")
	default:
		s.startLogin(w, r, user)
	}
}

// named returns who a name from a login form is for the limit of attempts: however it is written, since what checks the
// password may fold case, and leave out white space.
func named(name string) share.Owner {
	return share.Of(hashOf(strings.ToLower(strings.ToUpper(strings.TrimSpace(name)))), "", nil)
}

// startLogin logs the browser in, and sends it back to the authorization request.
func (s *Server) startLogin(w http.ResponseWriter, r *http.Request, user *User) {
	if err := user.check(); err != nil {
		s.writeConsentError(w, r, err)
		return
	}
	cookie := newSecret()
	if err := s.put(r.Context(), of(user.Subject), kindLogin, hashOf(cookie), user, 0, time.Now().Add(s.opts.LoginLifetime)); err != nil {
		s.writeConsentError(w, r, err)
		return
	}
	s.setCookie(w, loginCookie, cookie, s.opts.LoginLifetime)
	redirectTo(w, r.URL.RequestURI())
}

// logOut ends the login of a browser.
func (s *Server) logOut(w http.ResponseWriter, r *http.Request) error {
	cookie := s.cookie(r, loginCookie)
	s.setCookie(w, loginCookie, "", 0)
	return s.delete(r.Context(), kindLogin, hashOf(cookie), 0)
}
