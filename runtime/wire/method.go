package wire

import (
	"context"
	"errors"
)

// A Method describes a request or a notification of the protocol. Generated code has a variable for each method, so
// that a program links only what it uses.
type Method struct {
	Name         string // as in messages: "tools/call"
	Notification bool   // there is no response to it

	// The revisions in which a client sends it, in which a server sends it, and in which a server includes it in
	// an input-required result.
	ToServer, ToClient, AsInput []Span

	// The revisions in which its result may be an input-required result, and those in which its result says how
	// long it may be cached.
	MayAsk, Cacheable []Span

	// NameParam is the member of the params that HTTP requests repeat in a header: the name of the tool, prompt or
	// resource. It is empty if there is none.
	NameParam string

	// The capability that it requires, as a path such as "tools.listChanged"; empty if there is none.
	ServerCapability, ClientCapability string

	// Uncovered are the revisions in which a client sends it, but which do not have ServerCapability.
	Uncovered []Span

	// Deprecated says what to do instead if the newest revision that has the method deprecates it, and who says so.
	Deprecated string

	NewParams func() Value // nil if it has no params
	Optional  bool         // the params may be absent
	NewResult func() Value // nil for a notification
}

// HasRevision reports whether r is in one of the spans.
func HasRevision(spans []Span, r Revision) bool {
	for _, s := range spans {
		if s.Has(r) {
			return true
		}
	}
	return false
}

// ErrUnknownMethod is the error for a method that the revision does not have.
var ErrUnknownMethod = errors.New("wire: unknown method")

// A Caller sends requests and notifications to the other side. Generated typed calls use it. Params may be nil.
type Caller interface {
	// Call sends a request, and decodes its result into result.
	Call(ctx context.Context, m *Method, params Encodable, result Decodable) error
	// Notify sends a notification.
	Notify(ctx context.Context, m *Method, params Encodable) error
}

// An UnexpectedResultError is the error of a typed call whose result has another of the types that the method may
// return: an input-required result, or a task.
type UnexpectedResultError struct {
	Method string    // the method that was called
	Want   string    // the type that the call returns
	Result Encodable // what the response has
}

func (e *UnexpectedResultError) Error() string {
	return e.Method + ": want " + e.Want + ", got another type of result"
}
