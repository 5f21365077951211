package httpclient

// This file sends HTTP requests: to the origin of the endpoint alone, with redirects that stay there, and with bodies that
// are read up to a limit. Both transports use it.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	maxRedirects  = 5
	excerptLength = 1 << 10
)

// useHTTP sets the endpoint and the HTTP client of c. Given may be nil. The Timeout of given is not used: it would end
// streams.
func (c *Client) useHTTP(endpoint string, given *http.Client) error {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil:
		return err
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("endpoint %q: want http:// or https:// and a host", u.Redacted())
	}
	u.Fragment = ""
	c.url = u
	if given != nil {
		c.http = *given
		c.http.Timeout = 0
	} else {
		c.ownHTTP = web.NewTransport()
		c.http.Transport = c.ownHTTP
	}
	check := c.http.CheckRedirect
	c.http.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		switch first := via[0]; {
		case len(via) > maxRedirects:
			return fmt.Errorf("more than %d redirects", maxRedirects)
		case !web.SameOrigin(first.URL, next.URL):
			// What the request carries is meant for the origin that it was addressed to.
			return fmt.Errorf("redirect to another origin, %s", next.URL.Redacted())
		case first.Method != next.Method:
			return errors.New("redirect that makes a GET of a " + first.Method)
		case check != nil:
			return check(next, via)
		}
		return nil
	}
	return nil
}

// do sends a request, without a body if body is nil. The caller closes the body of the response. If ctx has ended,
// the error is its cause.
func (c *Client) do(ctx context.Context, method string, to *url.URL, h http.Header, body []byte) (*http.Response, error) {
	var r io.Reader
	if body != nil {
		r = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, to.String(), r)
	if err != nil {
		return nil, err
	}
	req.Header = h
	resp, err := c.http.Do(req)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return resp, err
}

// mediaType returns the media type of a body, without its parameters, in lower case.
func mediaType(h http.Header) string {
	t, _, _ := mime.ParseMediaType(h.Get("Content-Type")) // empty if it is not valid
	return t
}

// readBody reads a body to its end. If it has more than limit bytes, the error is a *[transport.MessageError].
func readBody(body io.Reader, limit int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, int64(limit)+1))
	if len(data) > limit {
		return nil, &transport.MessageError{Limit: int64(limit), Head: data[:min(len(data), excerptLength)]}
	}
	return data, err
}

// discard closes the body of a response that is not needed. It first reads a small body to its end, so that the
// connection can be used again.
func discard(r *http.Response) {
	if r.ContentLength <= excerptLength { // it is -1 if it is not known
		io.CopyN(io.Discard, r.Body, r.ContentLength)
	}
	r.Body.Close()
}

// oneLine removes the line breaks between the tokens of a message. It changes data in place, unless data is not
// JSON.
func oneLine(data []byte) []byte {
	if !bytes.ContainsAny(data, "\r\n") || wire.Raw(data).Check() != nil {
		return data
	}
	for i, b := range data {
		if b == '\r' || b == '\n' {
			data[i] = ' '
		}
	}
	return data
}

// statusError returns the error for a response with an unexpected status. Method is that of the HTTP request, and body
// the beginning of the response's body.
func statusError(method string, r *http.Response, body []byte) *transport.StatusError {
	e := &transport.StatusError{Method: method, Status: r.StatusCode, Challenges: r.Header.Values("WWW-Authenticate")}
	switch mediaType(r.Header) {
	case "text/plain", "text/html", "application/json", "application/problem+json", "":
		e.Text = string(body[:min(len(body), excerptLength)])
	}
	return e
}
