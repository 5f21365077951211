package wire

import "strconv"

// The functions here are for code that takes messages apart and puts them together by hand, as
// the envelope around generated types is. None of them allocates.

// NewDecoder returns a decoder of data for a caller that uses its methods itself; [DecodeAlias] is
// the same for a [Decodable]. Strings and raw values are parts of data. At the end the caller asks
// [Decoder.Finish].
func NewDecoder(data []byte) Decoder { return Decoder{data: data} }

// Finish checks that nothing follows the value that was read, and returns the first error, a
// *[DecodeError].
func (d *Decoder) Finish() error { return d.finish() }

// Offset returns how many bytes have been read; after an error it means nothing. White space
// counts as read once something was asked about the value behind it, such as its [Decoder.Kind].
func (d *Decoder) Offset() int { return d.pos }

// AppendString appends s as a JSON string to dst. What is not valid UTF-8 in s is written as
// U+FFFD.
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
