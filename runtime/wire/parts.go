package wire

import "strconv"

// The functions here are for code that parses and assembles messages by hand, such as the envelopes of JSON-RPC.
// None of them allocates.

// NewDecoder returns a decoder of data for a caller that uses its methods directly, and calls [Decoder.Finish] at
// the end; [DecodeAlias] does both for a [Decodable]. Strings and raw values share the memory of data.
func NewDecoder(data []byte) Decoder { return Decoder{data: data} }

// Finish checks that nothing follows the value that was read, and returns the first error, a
// *[DecodeError].
func (d *Decoder) Finish() error { return d.finish() }

// Offset returns how many bytes have been read. It is meaningless after an error. White space counts as read once
// the value after it was looked at, for instance by [Decoder.Kind].
func (d *Decoder) Offset() int { return d.pos }

// AppendString appends s as a JSON string to dst. Invalid UTF-8 is replaced by U+FFFD.
func AppendString(dst []byte, s string) []byte {
	e := Encoder{buf: dst}
	e.String(s)
	return e.buf
}

// AppendID appends the JSON text of id to dst, null if the id is absent.
func AppendID(dst []byte, id ID) []byte {
	switch id.kind {
	case KindNumber:
		return strconv.AppendInt(dst, id.num, 10)
	case KindString:
		return AppendString(dst, id.str)
	}
	return append(dst, "null"...)
}
