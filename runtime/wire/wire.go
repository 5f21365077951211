// Package wire is the runtime of generated bindings: a JSON encoder and decoder without reflection, raw
// values, request ids, and protocol revisions.
//
// Decoding is strict. Member names match by exact case, and an object has no duplicate members; text must be
// valid UTF-8, nesting is bounded by [MaxDepth], and nothing may follow the value. Whatever a type does not
// declare is kept (see [Extra]) and written again when the value is encoded. Errors name the place:
// "CallToolResult: content[2].text: want string, got number".
//
// Encoding takes a [Revision] and writes what that revision of the protocol has; [Any] writes everything. The
// text never contains a line break, so that messages can be framed by lines.
//
// Programs use what the types of generated packages are made of, such as [Raw], [Base64], [ID] and [Extra], and
// [Marshal] and [Decode]. The rest, above all the methods of [Encoder] and [Decoder], is for generated code and
// changes together with it: a generated file compiles only with a version of this package that supports it
// (see [GeneratedForVersion2_RunGoGenerate]).
package wire

import (
	"bytes"
	"sync"
)

// MaxDepth is how deep arrays and objects may nest in what is decoded.
const MaxDepth = 128

// An Encodable can write itself. Errors are kept by the encoder.
type Encodable interface{ EncodeWire(*Encoder) }

// A Decodable can read itself, and discards what it held before. Errors are kept by the decoder.
type Decodable interface{ DecodeWire(*Decoder) }

// A Value is both an [Encodable] and a [Decodable].
type Value interface {
	Encodable
	Decodable
}

// encoders are reused: an encoder that is passed to an interface method escapes to the heap, so that every encoding
// would allocate.
var encoders = sync.Pool{New: func() any { return new(Encoder) }}

// maxScratch is how large a buffer may be that an encoder keeps for the next [Marshal].
const maxScratch = 1 << 20

// Append appends the JSON text of v, as revision rev has it, to dst and returns the extended
// buffer. After an error, an *[EncodeError], the buffer is dst as it was.
func Append(dst []byte, rev Revision, v Encodable) ([]byte, error) {
	return appendTo(dst, rev, v, false)
}

// AppendChecked is [Append] for a value whose raw values may be invalid, which is an error.
func AppendChecked(dst []byte, rev Revision, v Encodable) ([]byte, error) {
	return appendTo(dst, rev, v, true)
}

func appendTo(dst []byte, rev Revision, v Encodable, checked bool) ([]byte, error) {
	e := encoders.Get().(*Encoder)
	e.checks = checked
	out, err := e.encode(dst, rev, v)
	e.release()
	if err != nil {
		return dst, err
	}
	return out, nil
}

// Marshal returns the JSON text of v as revision rev has it. See [Append].
func Marshal(rev Revision, v Encodable) ([]byte, error) { return marshal(rev, v, false) }

// MarshalChecked is [Marshal] for a value whose raw values may be invalid, which is an error.
func MarshalChecked(rev Revision, v Encodable) ([]byte, error) { return marshal(rev, v, true) }

func marshal(rev Revision, v Encodable, checked bool) ([]byte, error) {
	e := encoders.Get().(*Encoder)
	e.checks = checked
	out, err := e.encode(e.scratch[:0], rev, v)
	if cap(out) <= maxScratch {
		e.scratch = out
	}
	defer e.release()
	if err != nil {
		return nil, err
	}
	return bytes.Clone(out), nil // one allocation of the right size, where growing takes many
}

func (e *Encoder) encode(dst []byte, rev Revision, v Encodable) ([]byte, error) {
	e.buf, e.start, e.rev = dst, len(dst), rev
	if v == nil {
		e.fail("nothing to encode: the value is nil")
	} else {
		v.EncodeWire(e)
	}
	return e.buf, e.finish()
}

// release returns the encoder to the pool.
func (e *Encoder) release() {
	*e = Encoder{scratch: e.scratch}
	encoders.Put(e)
}

// Decode decodes data, which must be exactly one JSON value, into v. It copies data once, and the strings and raw values
// of v share that copy: a string that is kept keeps the whole message in memory, unless it is cloned. The error is a
// *[DecodeError].
func Decode(data []byte, v Decodable) error {
	return DecodeAlias(bytes.Clone(data), v)
}

// DecodeAlias decodes a JSON value without copying it: the strings and raw values of v share the memory of data, which must
// not change as long as v or anything from it is in use. The error is that of [Decode].
func DecodeAlias(data []byte, v Decodable) error {
	d := decoders.Get().(*Decoder)
	d.data = data
	v.DecodeWire(d)
	err := d.finish()
	*d = Decoder{}
	decoders.Put(d)
	return err
}

// decoders are reused for the same reason as encoders.
var decoders = sync.Pool{New: func() any { return new(Decoder) }}
