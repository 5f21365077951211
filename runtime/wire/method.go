package wire

import (
	"context"
	"errors"
)

// A Method describes a request or a notification of the protocol. Generated code keeps one
// variable per method, so that a program links only what it uses.
type Method struct {
	Name         string // on the wire: "tools/call"
	Notification bool   // a notification has no answer

	// The revisions in which a client sends it, in which a server sends it, and in which a server
	// asks it inside of a result that requires input.
	ToServer, ToClient, AsInput []Span

	// The revisions in which a request for input may answer it, and those in which its result says how
	// long it may be kept.
	MayAsk, Cacheable []Span

	// NameParam is the member of the params that HTTP requests repeat in a header, as the name of what they
	// are about; empty if there is none.
	NameParam string

	// The capability that covers it, as a path such as "tools.listChanged"; empty if none does.
	ServerCapability, ClientCapability string

	// Uncovered are the revisions in which a client sends it and that do not have ServerCapability.
	Uncovered []Span

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

// A Caller sends requests and notifications to the other side. Generated code makes typed calls
// of it. Params may be nil.
type Caller interface {
	// Call sends a request and decodes the answer into result.
	Call(ctx context.Context, m *Method, params Encodable, result Decodable) error
	// Notify sends a notification.
	Notify(ctx context.Context, m *Method, params Encodable) error
}

// An UnexpectedResultError is the error of a typed call that was answered by another of the types
// that may answer its method: by a request for input, or by a task.
type UnexpectedResultError struct {
	Method string    // the method that was called
	Want   string    // the type that the call returns
	Result Encodable // what the answer was
}

func (e *UnexpectedResultError) Error() string {
	return e.Method + ": the answer is another result than " + e.Want
}
