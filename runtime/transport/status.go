package transport

import (
	"strconv"
	"strings"
)

// A StatusError says that an HTTP server refused a message by a status, without a JSON-RPC response to it.
type StatusError struct {
	Method string // of the HTTP request: "POST"
	Status int    // of the response: 403
	Text   string // the beginning of the response's body, if it is text

	// Challenges are the values of WWW-Authenticate: how to get access.
	Challenges []string

	// Err is the *[jsonrpc.Error] in the body, if there is one; else nil.
	Err error
}

func (e *StatusError) Error() string {
	s := "the server answered " + e.Method + " with HTTP status " + strconv.Itoa(e.Status)
	if e.Text != "" {
		s += ": " + strings.ToValidUTF8(strings.Join(strings.Fields(e.Text), " "), "\uFFFD")
	}
	return s
}

func (e *StatusError) Unwrap() error { return e.Err }

// Denied reports whether the server understood the message, but did not permit this client to send it.
func (e *StatusError) Denied() bool { return e.Status == 401 || e.Status == 403 || e.Status == 407 }
