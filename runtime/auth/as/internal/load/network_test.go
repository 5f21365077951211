package load

import (
	"fmt"
	"net/http"

	"github.com/mcpgen/mcpgen/internal/testenv"
)

// A loadNetwork has HTTP servers by their hosts. It is no real one, so that it works with fake clocks.
type loadNetwork struct {
	hosts map[string]http.Handler
}

// from returns the way into the network from an address.
func (n *loadNetwork) from(address string) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		h := n.hosts[r.URL.Host]
		if h == nil {
			return nil, fmt.Errorf("there is no host %s", r.URL.Host)
		}
		return testenv.Wireless{Handler: http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
			in.RequestURI, in.RemoteAddr, in.Host = in.URL.RequestURI(), address, in.URL.Host
			if in.Body == nil {
				in.Body = http.NoBody
			}
			h.ServeHTTP(w, in)
		})}.RoundTrip(r)
	}
}

// A roundTripper is a function that sends requests.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
