// Package gotype decodes JSON into Go types of any kind, and encodes it from them: what typed tools and custom methods of
// servers and clients share.
package gotype

import (
	"encoding/json"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Decoder decodes values of type T as encoding/json does, except that the names of members must be exactly those of
// the fields, and duplicate members are errors. Types with methods of their own decode as these do.
type Decoder[T any] struct{ names *shape }

// NewDecoder returns a Decoder.
func NewDecoder[T any]() Decoder[T] { return Decoder[T]{shapeOf[T]()} }

// Decode decodes a value.
func (d Decoder[T]) Decode(text wire.Raw) (v T, err error) {
	if err = d.names.check(text); err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err == nil {
		return v, nil
	}
	problem := err.Error()
	if e, ok := err.(*wire.DecodeError); ok { // about the names
		problem = e.Path + ": " + e.Msg
	}
	return v, errors.New(excerpt.Cut(problem, 1000))
}

// Params decodes params, which are {} if they are absent. The error is one of the protocol.
func (d Decoder[T]) Params(params wire.Raw) (v T, err error) {
	if len(params) == 0 {
		params = wire.Raw("{}")
	}
	if p, ok := any(&v).(wire.Decodable); ok {
		err = wire.Decode(params, p)
		return v, err
	}
	if v, err = d.Decode(params); err != nil {
		return v, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "params: " + err.Error()}
	}
	return v, nil
}

// Encodable returns what encodes the value that v points to. It is nil for a nil interface.
func Encodable[T any](v *T) (wire.Encodable, error) {
	switch e := any(*v).(type) {
	case nil:
		return nil, nil
	case wire.Encodable:
		return e, nil
	}
	if e, ok := any(v).(wire.Encodable); ok {
		return e, nil
	}
	raw, err := json.Marshal(*v)
	return wire.Raw(raw), err
}
