package front

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webguard"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Read reads the body of a POST, and parses the message. An invalid message is for the caller to refuse.
func (f *Front) Read(w http.ResponseWriter, in *Incoming) bool {
	switch r := in.R; {
	case !webguard.IsPlain(r):
		w.Header().Set("Accept-Encoding", "identity")
		f.TurnAway(w, r, http.StatusUnsupportedMediaType, Invalid("the body must not be encoded: no Content-Encoding but identity"))
		return false
	case !webguard.IsJSON(r):
		f.TurnAway(w, r, http.StatusUnsupportedMediaType, Invalid("the body must be JSON in UTF-8: Content-Type: application/json"))
		return false
	}
	rc := http.NewResponseController(w)
	if d := f.opts.ReadTimeout; d > 0 {
		rc.SetReadDeadline(time.Now().Add(d))
	}
	switch err := f.read(in); err {
	case nil:
		if f.opts.ReadTimeout > 0 {
			rc.SetReadDeadline(time.Time{}) // or package net/http would take the client for gone
		}
		in.Msg, in.Err = jsonrpc.Parse(in.Body)
		return true
	case errTooLarge:
		w.Header().Set("Connection", "close")
		f.TurnAway(w, in.R, http.StatusRequestEntityTooLarge, Invalid("the body is larger than the "+strconv.Itoa(f.opts.MaxMessage)+" bytes allowed"))
	case errNoRoom:
		w.Header().Set("Connection", "close")
		f.TurnAway(w, in.R, http.StatusServiceUnavailable, Unavailable(err.Error()))
	default:
		// Nothing more can be read, and a client that sends so slowly may also read slowly.
		w.Header().Set("Connection", "close")
		f.Refuse(w, http.StatusRequestTimeout, wire.ID{}, Invalid("the body did not arrive, or not in time"))
	}
	return false
}

var (
	errTooLarge = errors.New("front: body too large")
	errNoRoom   = errors.New("the current requests are too large together; try again later")
)

// firstRead is the size of the buffer for a body before any of it has arrived.
const firstRead = 16 << 10

// read reads a body. It makes room for what has arrived, not for what is announced.
func (f *Front) read(in *Incoming) error {
	most, length := int64(f.opts.MaxMessage), in.R.ContentLength
	size := int64(512)
	switch {
	case length > most:
		return errTooLarge
	case length >= 0:
		size = min(length, firstRead)
	}
	if !f.hold(in, int(size)) {
		return errNoRoom
	}
	buf := make([]byte, 0, size)
	for length < 0 || int64(len(buf)) < length {
		if n := len(buf); n == cap(buf) {
			next := 2 * n
			if length >= 0 {
				next = int(min(int64(next), length))
			}
			if !f.hold(in, next) {
				return errNoRoom
			}
			buf = append(make([]byte, 0, next), buf...)
		}
		n, err := in.R.Body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case int64(len(buf)) > most:
			return errTooLarge
		case err == io.EOF && length < 0:
			in.Body = buf
			return nil
		case err == io.EOF && int64(len(buf)) < length:
			return io.ErrUnexpectedEOF
		case err != nil && err != io.EOF:
			return err
		}
	}
	if length > 0 {
		in.R.Body.Close() // so that package net/http does not look whether there is more
	}
	in.Body = buf
	return nil
}

// hold makes room for a body of so many bytes, and reports whether there is room.
func (f *Front) hold(in *Incoming, size int) bool {
	more := size - f.opts.Free - in.Held
	if more <= 0 {
		return true
	}
	if !f.bodies.Take(in.Owner, more) {
		return false
	}
	in.Held += more
	return true
}

// LeaveBody is called when the body of a request will not be read. Over HTTP/1 it makes the connection end with the
// response, since otherwise package net/http would wait for the body before it responds. Over other versions
// net/http may wait, but not for long.
func (f *Front) LeaveBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 {
		return
	}
	if r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
	if d := f.opts.ReadTimeout; d > 0 {
		http.NewResponseController(w).SetReadDeadline(time.Now().Add(d))
	}
}
