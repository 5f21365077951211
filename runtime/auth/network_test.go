package auth_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
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
		ctx, cancel := context.WithCancel(r.Context())
		in := r.Clone(ctx)
		in.RequestURI, in.RemoteAddr, in.Host = r.URL.RequestURI(), address, r.URL.Host
		if in.Body == nil {
			in.Body = http.NoBody
		}
		body, out := io.Pipe()
		w := &response{header: http.Header{}, body: out, began: make(chan struct{})}
		go func() {
			defer cancel()
			defer in.Body.Close()
			defer func() {
				if recover() != nil { // as net/http does
					out.CloseWithError(io.ErrUnexpectedEOF)
				}
				w.WriteHeader(http.StatusOK)
				out.Close()
			}()
			h.ServeHTTP(w, in)
		}()
		select {
		case <-w.began:
			return &http.Response{
				Status: fmt.Sprint(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
				Header: w.sent, Body: &responseBody{body, cancel}, ContentLength: -1, Request: r,
			}, nil
		case <-r.Context().Done():
			body.CloseWithError(r.Context().Err())
			return nil, context.Cause(r.Context())
		}
	}
}

// A roundTripper is a function that sends requests.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A response is what a handler writes to.
type response struct {
	header, sent http.Header
	status       int
	body         *io.PipeWriter
	once         sync.Once
	began        chan struct{}
}

func (w *response) Header() http.Header { return w.header }

func (w *response) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.began)
	})
}

func (w *response) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

func (w *response) Flush() { w.WriteHeader(http.StatusOK) }

// A responseBody ends the request when it is closed.
type responseBody struct {
	*io.PipeReader
	cancel context.CancelFunc
}

func (b *responseBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}
