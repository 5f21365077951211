package server

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// A handler whose request differs in each run never finds the response, and its user would be asked again and
// again. Such a handler is recognized by the place in its code: a request for input was made there in the last run,
// its response has arrived and was not used, and the place now makes another request.

// A site is a place in the code of a handler.
type site struct {
	id   string // of the place and its callers; empty if they are not known
	text string // "main.book (main.go:17)", for logs
}

// ours matches functions of this package, and of packages that make requests for input through it.
func ours(function string) bool {
	const path = "github.com/mcpgen/mcpgen/runtime/server"
	rest, ok := strings.CutPrefix(function, path)
	return ok && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "/typed."))
}

// maxSite is how many calls on the stack make a site.
const maxSite = 32

// callSite returns the place in the handler that makes the current request for input.
func callSite() site {
	var s site
	var counters [2 * maxSite]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(2, counters[:])])
	hash := sha256.New()
	for n := 0; n < maxSite; {
		f, more := frames.Next()
		switch {
		case !ours(f.Function):
			if n == 0 {
				s.text = place(f)
			}
			n++
			fmt.Fprintf(hash, "%s:%d\n", f.Function, f.Line)
		case n > 0: // what has called the handler
			more = false
		}
		if !more {
			break
		}
	}
	if s.text != "" {
		s.id = base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:9])
	}
	return s
}

var errFresh = errors.New("the handler's request for input differs from one run to the next, so its response is not found: " +
	"identify it by Call.WithKey, or compute what differs by Call.Once or OnceValue")

// checkSites returns an error if a place makes a new request for input although a response for that place arrived
// and was not used. The caller holds mu.
func (c *Call) checkSites(ctx context.Context) error {
	a := &c.input
	came, taken := make(map[string]bool), make(map[string]bool) // places with responses, and those whose response was used
	for key, found := range a.arrived {
		came[a.asked[key]] = true
		taken[a.asked[key]] = taken[a.asked[key]] || found
	}
	for _, s := range a.sites {
		if came[s.id] && !taken[s.id] {
			c.server.log().ErrorContext(ctx, "mcp: a handler does not find the response to its request for input", "method", c.req.Method, "name", a.name, "at", s.text, "error", errFresh)
			return errFresh
		}
	}
	return nil
}

// note records where a request without a key of the handler's choice was made. The caller holds mu.
func (a *inputState) note(key string, s site) {
	if s.id == "" {
		return
	}
	if a.sites == nil {
		a.sites = make(map[string]site)
	}
	a.sites[key] = s
}
