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
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Encode returns the JSON text of what a function returned. The error says where it cannot be
// written, and why.
func Encode[T any](v *T, put func(*T, *wire.Encoder)) (wire.Raw, error) {
	raw, err := wire.MarshalFunc(wire.Any, v, put)
	if e, ok := err.(*wire.EncodeError); ok {
		return nil, &ResultError{e.Path, e.Msg}
	}
	return raw, err
}

// A ResultError says that a function did not return what its schema promises. That is a mistake of
// the function, and not of those who call it.
type ResultError struct {
	Path string // the place in the result, "days[2].high"; empty for the result itself
	Msg  string
}

func (e *ResultError) Error() string {
	return "the result cannot be encoded: " + cmp.Or(e.Path, "it") + ": " + e.Msg
}

// ErrNoResult is the error of a function that returns nil, and no error, where it promises a value.
var ErrNoResult = errors.New("the tool returned no result")

// PutTime writes a time as RFC 3339 has it.
func PutTime(t time.Time, e *wire.Encoder) {
	text, err := t.MarshalText()
	if err != nil {
		e.Fail(err.Error())
		return
	}
	e.String(string(text))
}

// PutDuration writes a duration in Go's syntax.
func PutDuration(t time.Duration, e *wire.Encoder) { e.String(t.String()) }

// PutURL writes a URL.
func PutURL(u *url.URL, e *wire.Encoder) { e.String(u.String()) }

// PutBytes writes bytes in base64.
func PutBytes(b []byte, e *wire.Encoder) {
	text := make([]byte, 0, base64.StdEncoding.EncodedLen(len(b))+2)
	text = append(text, '"')
	text = base64.StdEncoding.AppendEncode(text, b)
	e.Raw(append(text, '"'))
}

// PutBigInt writes an integer.
func PutBigInt(n *big.Int, e *wire.Encoder) { e.Raw(n.Append(nil, 10)) }

// PutNumber writes a number that is given by its text; no text is 0, as in encoding/json.
func PutNumber(text string, e *wire.Encoder) {
	token := []byte(cmp.Or(text, "0"))
	if !isNumber(token) {
		e.Fail(quote(text) + " is not a number")
		return
	}
	e.Raw(token)
}

// PutRaw writes a value that is given by its JSON text; no text is null.
func PutRaw(raw []byte, e *wire.Encoder) {
	if len(raw) == 0 {
		e.Null()
		return
	}
	if err := wire.Raw(raw).Check(); err != nil {
		e.Fail("it is no valid JSON: " + message(err))
		return
	}
	e.Raw(raw)
}

// message returns what an error of package wire says, without the place.
func message(err error) string {
	if e, ok := err.(*wire.DecodeError); ok {
		return e.Msg
	}
	return err.Error()
}

// PutText writes the text that v makes of itself. An error or a panic of v is an error.
func PutText(v encoding.TextMarshaler, e *wire.Encoder) {
	if text, ok := marshal(v.MarshalText, e); ok {
		e.String(string(text))
	}
}

// PutJSON writes the JSON text that v makes of itself. An error or a panic of v is an error.
func PutJSON(v json.Marshaler, e *wire.Encoder) {
	if raw, ok := marshal(v.MarshalJSON, e); ok {
		PutRaw(raw, e)
	}
}

// marshal calls a method that is not ours.
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

// PutAny writes a value of a type that is known only now: those that [Decoder.Any] makes, and
// whatever else encoding/json takes.
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

// putOther writes what only encoding/json can.
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

// PutMap writes an object, its members in the order of their names; a nil map is an empty one. Name
// makes the name of a member from its key; two keys of the same name are an error.
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
			e.Fail("two members have the name " + quote(k.name))
		}
		e.Name(k.name)
		v := m[k.key]
		elem(&v, e)
	}
	e.EndObject()
}

// TextName returns the text that a key of a map makes of itself. See [PutText].
func TextName(key encoding.TextMarshaler, e *wire.Encoder) string {
	text, _ := marshal(key.MarshalText, e)
	return string(text)
}
