package args

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Encode returns the JSON text of what a function has returned. The error says which part cannot be encoded, and
// why.
func Encode[T any](v *T, put func(*T, *wire.Encoder)) (wire.Raw, error) {
	raw, err := wire.MarshalFunc(wire.Any, v, put)
	if e, ok := err.(*wire.EncodeError); ok {
		return nil, &ResultError{e.Path, e.Msg}
	}
	return raw, err
}

// EncodeOutput is [Encode] for a function that returns both an output and whether it failed. Output that is nil or
// cannot be encoded is an error, unless the function failed: then it is left out.
func EncodeOutput[T any](v *T, put func(*T, *wire.Encoder), failed bool) (wire.Raw, error) {
	raw, err := wire.Raw(nil), ErrNoResult
	if v != nil {
		raw, err = Encode(v, put)
	}
	if err != nil && failed {
		return nil, nil
	}
	return raw, err
}

// A ResultError says that a function has not returned what its schema promises. That is a mistake of the function,
// not of its caller.
type ResultError struct {
	Path string // the place in the result, "days[2].high"; empty for the result itself
	Msg  string
}

func (e *ResultError) Error() string {
	if e.Path == "" {
		return "the result cannot be encoded: " + e.Msg
	}
	return "the result cannot be encoded: " + e.Path + ": " + e.Msg
}

// ErrNoResult is the error of a function that returns neither an error nor the value that it promises.
var ErrNoResult = errors.New("the tool returned no result")

// PutTime writes a time in the format of RFC 3339.
func PutTime(t time.Time, e *wire.Encoder) {
	text, err := t.MarshalText()
	if err != nil {
		e.Fail(err.Error())
		return
	}
	e.String(string(text))
}

// PutDate writes the date of a time in its own time zone, without the time of day.
func PutDate(t time.Time, e *wire.Encoder) {
	if y := t.Year(); y < 0 || y > 9999 {
		e.Fail("want a year from 0 to 9999, got " + strconv.Itoa(y))
		return
	}
	e.String(t.Format(time.DateOnly))
}

// PutDuration writes a duration in Go's syntax.
func PutDuration(t time.Duration, e *wire.Encoder) { e.String(t.String()) }

// PutURL writes a URL.
func PutURL(u *url.URL, e *wire.Encoder) { e.String(u.String()) }

// PutBytes writes bytes in Base64.
func PutBytes(b []byte, e *wire.Encoder) {
	text := make([]byte, 0, base64.StdEncoding.EncodedLen(len(b))+2)
	text = append(text, '"')
	text = base64.StdEncoding.AppendEncode(text, b)
	e.Raw(append(text, '"'))
}

// PutBigInt writes an integer.
func PutBigInt(n *big.Int, e *wire.Encoder) { e.Raw(n.Append(nil, 10)) }

// PutNumber writes a number given as text. The empty text is 0, as in encoding/json.
func PutNumber(text string, e *wire.Encoder) {
	token := []byte(cmp.Or(text, "0"))
	if !isNumber(token) {
		e.Fail("want a number, got " + quote(text))
		return
	}
	e.Raw(token)
}

// PutRaw writes a value given as JSON text. The empty text is null.
func PutRaw(raw []byte, e *wire.Encoder) {
	if len(raw) == 0 {
		e.Null()
		return
	}
	if err := wire.Raw(raw).Check(); err != nil {
		e.Fail("invalid JSON: " + message(err))
		return
	}
	e.Raw(raw)
}

// message returns the message of an error of package wire, without the place.
func message(err error) string {
	if e, ok := err.(*wire.DecodeError); ok {
		return e.Msg
	}
	return err.Error()
}

// PutText writes the text of v. If MarshalText fails or panics, encoding fails.
func PutText(v encoding.TextMarshaler, e *wire.Encoder) {
	if text, ok := marshal(v.MarshalText, e); ok {
		e.String(string(text))
	}
}

// PutJSON writes the JSON text of v. If MarshalJSON fails or panics, encoding fails.
func PutJSON(v json.Marshaler, e *wire.Encoder) {
	if raw, ok := marshal(v.MarshalJSON, e); ok {
		PutRaw(raw, e)
	}
}

// marshal calls a method of the user's type.
func marshal(method func() ([]byte, error), e *wire.Encoder) (out []byte, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			e.Fail(fmt.Sprintf("it panicked: %v", r))
		}
	}()
	out, err := method()
	if err != nil {
		e.Fail(err.Error())
		return nil, false
	}
	return out, true
}

// PutAny writes a value of a type that is known only at run time: a type that [Decoder.Any] returns, or any other
// that encoding/json can encode.
func PutAny(v any, e *wire.Encoder) {
	switch v := v.(type) {
	case nil:
		e.Null()
	case bool:
		e.Bool(v)
	case string:
		e.String(v)
	case int:
		e.Int(int64(v))
	case int64:
		e.Int(v)
	case float64:
		e.Float(v)
	case []any:
		if e.Enter() {
			wire.PutSlice(e, v, func(v *any, e *wire.Encoder) { PutAny(*v, e) })
			e.Leave()
		}
	case map[string]any:
		if e.Enter() {
			wire.PutMap(e, v, func(v *any, e *wire.Encoder) { PutAny(*v, e) })
			e.Leave()
		}
	default:
		putOther(v, e)
	}
}

// putOther writes a value with encoding/json.
func putOther(v any, e *wire.Encoder) {
	raw, ok := marshal(func() ([]byte, error) {
		var b bytes.Buffer
		to := json.NewEncoder(&b)
		to.SetEscapeHTML(false)
		err := to.Encode(v)
		return bytes.TrimSpace(b.Bytes()), err
	}, e)
	if ok {
		PutRaw(raw, e)
	}
}

// PutMap writes an object with its members sorted by name. A nil map becomes an empty object. Name returns the name of
// a member for its key. Two keys with the same name are an error.
func PutMap[K comparable, V any](e *wire.Encoder, m map[K]V, name func(K, *wire.Encoder) string, elem func(*V, *wire.Encoder)) {
	type member struct {
		name string
		key  K
	}
	members := make([]member, 0, len(m))
	for k := range m {
		members = append(members, member{name(k, e), k})
	}
	slices.SortFunc(members, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	if !e.BeginObject() {
		return
	}
	for i, k := range members {
		if i > 0 && members[i-1].name == k.name {
			e.Fail("duplicate member " + quote(k.name))
		}
		e.Name(k.name)
		v := m[k.key]
		elem(&v, e)
	}
	e.EndObject()
}

// TextName returns the text of a key of a map. See [PutText].
func TextName(key encoding.TextMarshaler, e *wire.Encoder) string {
	text, _ := marshal(key.MarshalText, e)
	return string(text)
}
