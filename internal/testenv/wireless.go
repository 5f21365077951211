package testenv

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
)

// A Wireless is an [http.RoundTripper] that serves requests without a network, so that it works in the bubbles of
// testing/synctest.
type Wireless struct{ http.Handler }

func (w Wireless) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	pr, pw := io.Pipe()
	rec := &recorder{body: pw, header: http.Header{}, ready: make(chan struct{})}
	inner := r.Clone(r.Context())
	if r.Body != nil {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body.Close()
		inner.Body = io.NopCloser(bytes.NewReader(data))
	}
	ctx, cancel := context.WithCancel(r.Context())
	inner = inner.WithContext(ctx)
	context.AfterFunc(ctx, func() { pr.CloseWithError(context.Canceled) })
	go func() {
		defer func() {
			if v := recover(); v != nil {
				pw.CloseWithError(io.ErrUnexpectedEOF)
				rec.abort()
			}
		}()
		w.ServeHTTP(rec, inner)
		rec.WriteHeader(http.StatusOK)
		pw.Close()
	}()
	select {
	case <-rec.ready:
	case <-ctx.Done():
		cancel()
		return nil, ctx.Err()
	}
	if rec.status == 0 {
		cancel()
		return nil, errors.New("connection reset")
	}
	return &http.Response{
		StatusCode: rec.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: rec.header.Clone(), Body: &hangUp{pr, cancel}, ContentLength: -1, Request: r,
	}, nil
}

// hangUp ends the context of the server when the client closes the body.
type hangUp struct {
	io.ReadCloser
	cancel func()
}

func (h *hangUp) Close() error {
	h.cancel()
	return h.ReadCloser.Close()
}

type recorder struct {
	body   *io.PipeWriter
	header http.Header
	status int
	once   sync.Once
	ready  chan struct{}
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	r.once.Do(func() {
		r.status = status
		close(r.ready)
	})
}

func (r *recorder) abort() { r.once.Do(func() { close(r.ready) }) }

func (r *recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(p)
}

// CutOff makes reading the body fail with err.
func (r *recorder) CutOff(err error) { r.body.CloseWithError(err) }

func (r *recorder) Flush() { r.WriteHeader(http.StatusOK) }
