package wire

import (
	"encoding/base64"
	"errors"
	"strings"
)

// A Base64 holds bytes as JSON does: as a string in Base64, such as the data of an image. It keeps the text as it
// was received, so that passing it on changes nothing. Comparing with == compares the texts. [EncodeBase64] makes a
// Base64 from bytes.
//
// See RFC 4648.
type Base64 struct {
	Text string // in Base64; it is not checked
}

// EncodeBase64 returns bytes in standard Base64 with padding.
func EncodeBase64(b []byte) Base64 { return Base64{base64.StdEncoding.EncodeToString(b)} }

// Bytes returns the bytes. It accepts the standard alphabet and the one for URLs, with and without padding, and
// ignores line breaks, because peers send all of these.
func (b Base64) Bytes() ([]byte, error) {
	standard, raw := base64.StdEncoding, base64.RawStdEncoding
	if strings.ContainsAny(b.Text, "-_") {
		standard, raw = base64.URLEncoding, base64.RawURLEncoding
	}
	encoding := raw
	if strings.HasSuffix(strings.TrimRight(b.Text, "\r\n"), "=") {
		encoding = standard
	}
	data, err := encoding.DecodeString(b.Text)
	if err != nil {
		return nil, errors.New("wire: want Base64, got " + quote(b.Text) + ": " + err.Error())
	}
	return data, nil
}

// IsZero reports whether there are no bytes.
func (b Base64) IsZero() bool { return b.Text == "" }

// EncodeWire writes the text.
func (b Base64) EncodeWire(e *Encoder) { e.String(b.Text) }

// DecodeWire reads a string and keeps it, whether or not it is valid Base64.
func (b *Base64) DecodeWire(d *Decoder) { b.Text = d.String() }

// MarshalJSON returns the JSON string.
func (b Base64) MarshalJSON() ([]byte, error) { return Marshal(Any, b) }

// UnmarshalJSON reads a string and keeps it, whether or not it is valid Base64.
func (b *Base64) UnmarshalJSON(data []byte) error { return Decode(data, b) }
