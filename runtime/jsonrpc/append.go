package jsonrpc

import (
	"bytes"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const head = `{"jsonrpc":"2.0",`

// AppendRequest appends a request to dst and returns the extended buffer. Params may be absent: nil or an empty
// [wire.Raw].
//
// Meta, unless empty, is an object whose members are added to the member _meta of the params, where they replace
// members of the same name.
//
// After an error, the buffer is dst unchanged.
//
// REQ JRPC-02
func AppendRequest(dst []byte, rev wire.Revision, id wire.ID, method string, params wire.Encodable, meta wire.Raw) ([]byte, error) {
	if id.IsZero() {
		return dst, errors.New("jsonrpc: a request needs an id")
	}
	out := append(dst, head+`"id":`...)
	out = wire.AppendID(out, id)
	out = append(out, ',')
	return appendCall(dst, out, rev, method, params, meta)
}

// AppendNotification appends a notification. See [AppendRequest].
func AppendNotification(dst []byte, rev wire.Revision, method string, params wire.Encodable, meta wire.Raw) ([]byte, error) {
	return appendCall(dst, append(dst, head...), rev, method, params, meta)
}

// appendCall appends the method and the params to out, which extends dst.
func appendCall(dst, out []byte, rev wire.Revision, method string, params wire.Encodable, meta wire.Raw) ([]byte, error) {
	out = append(out, `"method":`...)
	out = wire.AppendString(out, method)
	absent := isAbsent(params)
	if absent && len(meta) == 0 {
		return append(out, '}'), nil
	}
	out = append(out, `,"params":`...)
	at := len(out)
	if !absent {
		var err error
		if out, err = appendValue(out, rev, params); err != nil {
			return dst, err
		}
		if wire.Raw(out[at:]).Kind() != wire.KindObject {
			return dst, errors.New("jsonrpc: params of " + method + " must be an object, got " + wire.Raw(out[at:]).Kind().String())
		}
	}
	if len(meta) > 0 {
		var err error
		if out, err = appendMeta(out, at, meta); err != nil {
			return dst, err
		}
	}
	return append(out, '}'), nil
}

// appendValue appends params. A raw one has been encoded by us; raw values in others may come from
// anywhere, and are validated.
func appendValue(dst []byte, rev wire.Revision, v wire.Encodable) ([]byte, error) {
	switch v.(type) {
	case wire.Raw, *wire.Raw:
		return wire.Append(dst, rev, v)
	}
	return wire.AppendChecked(dst, rev, v)
}

func isAbsent(v wire.Encodable) bool {
	switch v := v.(type) {
	case nil:
		return true
	case wire.Raw:
		return len(v) == 0
	}
	return false
}

// BeginResult appends the beginning of the response to the request with that id. [EndResult] must follow.
//
// REQ JRPC-05
func BeginResult(dst []byte, id wire.ID) []byte {
	dst = append(dst, head+`"id":`...)
	dst = wire.AppendID(dst, id)
	return append(dst, `,"result":`...)
}

// EndResult appends the result and the end of a response, of which dst has the beginning. A result that is already
// there, because it was appended to dst[len(dst):], is not copied. An absent one becomes an empty object. After an
// error, the buffer is dst unchanged.
//
// REQ JRPC-09
func EndResult(dst []byte, result wire.Raw) ([]byte, error) {
	out := dst
	switch {
	case len(result) == 0:
		return append(dst, "{}}"...), nil
	case result.Kind() != wire.KindObject:
		return dst, errors.New("jsonrpc: a result must be an object, got " + result.Kind().String())
	case bytes.IndexByte(result, '\n') >= 0 || bytes.IndexByte(result, '\r') >= 0: // over stdio they would end the message
		var err error
		if out, err = wire.Append(dst, wire.Any, wire.Raw(bytes.Clone(result))); err != nil {
			return dst, err
		}
	case len(dst) < cap(dst) && &dst[:cap(dst)][len(dst)] == &result[0]:
		out = dst[:len(dst)+len(result)]
	default:
		out = append(dst, result...)
	}
	return append(out, '}'), nil
}

// AppendError appends an error response to the request with that id. An absent id, of a request whose id could not be
// read, is omitted, and so are data that are not a JSON value.
//
// REQ JRPC-06
func AppendError(dst []byte, id wire.ID, e *Error) []byte {
	dst = append(dst, head...)
	if !id.IsZero() {
		dst = append(dst, `"id":`...)
		dst = wire.AppendID(dst, id)
		dst = append(dst, ',')
	}
	dst = append(dst, `"error":`...)
	if len(e.Message) > excerpt.MaxMessage { // the other side knows what it repeats
		e = &Error{Code: e.Code, Message: excerpt.Cut(e.Message, excerpt.MaxMessage), Data: e.Data}
	}
	out, err := wire.Append(dst, wire.Any, e)
	if err != nil || len(e.Data) > 0 && e.Data.Check() != nil {
		out, _ = wire.Append(dst, wire.Any, &Error{Code: e.Code, Message: e.Message})
	}
	return append(out, '}')
}
