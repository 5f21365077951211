package as

import (
	"net/http"
	"time"
)

// The cookies. Over https each has the prefix __Host-, which makes browsers accept it from this host alone.
const (
	browserCookie = "as-browser" // a random name of the browser, to which consent is bound
	loginCookie   = "as-login"   // who is logged in, by a page of ours
	stateCookie   = "as-state-"  // an upstream flow; the start of its state follows
)

func (s *Server) cookieName(name string) string {
	if s.secure {
		return "__Host-" + name
	}
	return name // over http, which is allowed on loopback alone, browsers do not accept it otherwise
}

// setCookie sets a cookie that scripts cannot read. Of the requests that other sites start, only links to this site
// carry it.
func (s *Server) setCookie(w http.ResponseWriter, name, value string, lifetime time.Duration) {
	maxAge := int(lifetime / time.Second)
	if value == "" {
		maxAge = -1
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(name), Value: value, Path: "/", MaxAge: maxAge,
		Secure: s.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// cookie returns the value of a cookie, empty if it is not there.
func (s *Server) cookie(r *http.Request, name string) string {
	c, err := r.Cookie(s.cookieName(name))
	if err != nil {
		return ""
	}
	return c.Value
}

// browser returns the name of the browser. If the browser has none, it gets one.
func (s *Server) browser(w http.ResponseWriter, r *http.Request) string {
	if name := s.cookie(r, browserCookie); len(name) >= minCookie {
		return name
	}
	name := newSecret()
	s.setCookie(w, browserCookie, name, browserTime)
	return name
}

const (
	browserTime = 24 * time.Hour
	minCookie   = 43 // the length of a secret
)
