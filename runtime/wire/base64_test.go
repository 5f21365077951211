package wire_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Base64 is read in all forms that peers send.
func TestBase64Bytes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"aGk=", "hi"},
		{"aGk", "hi"},
		{"aGkh", "hi!"},
		{"aA==", "h"},
		{"aA", "h"},
		{"+/+/", "\xfb\xff\xbf"},
		{"-_-_", "\xfb\xff\xbf"},
		{"-_8=", "\xfb\xff"},
		{"-_8", "\xfb\xff"},
		{"aG\r\nkh\r\naGk=\r\n", "hi!hi"},
		{"aGkh\naGk\n", "hi!hi"},
	} {
		got, err := wire.Base64{Text: c.text}.Bytes()
		if err != nil || string(got) != c.want {
			t.Errorf("%q: %q, %v, want %q", c.text, got, err, c.want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"a", `wire: want Base64, got "a": illegal base64 data at input byte 0`},
		{"aGk==", `wire: want Base64, got "aGk==": illegal base64 data at input byte 4`},
		{"a=k=", `wire: want Base64, got "a=k=": illegal base64 data at input byte 1`},
		{"aGk=aGk=", `wire: want Base64, got "aGk=aGk=": illegal base64 data at input byte 4`},
		{"+_+_", `wire: want Base64, got "+_+_": illegal base64 data at input byte 0`}, // two alphabets
		{"aG k", `wire: want Base64, got "aG k": illegal base64 data at input byte 2`},
		{"\x89PNG", `wire: want Base64, got "\x89PNG": illegal base64 data at input byte 0`},
	} {
		if got, err := (wire.Base64{Text: c.text}).Bytes(); got != nil || err == nil || err.Error() != c.want {
			t.Errorf("%q: %q, %v, want %s", c.text, got, err, c.want)
		}
	}
}

// The text stays as it came, and any bytes come back from it.
func TestBase64RoundTrip(t *testing.T) {
	for _, text := range []string{`""`, `"aGk="`, `"aGk"`, `"-_-_"`, `"aG\nk="`, `"no Base64"`} {
		var v wire.Base64
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got, err := json.Marshal(v); err != nil || string(got) != text {
			t.Errorf("%s becomes %s, %v", text, got, err)
		}
		if v.IsZero() != (text == `""`) {
			t.Errorf("%s: IsZero is %t", text, v.IsZero())
		}
	}
	var v wire.Base64
	if err := json.Unmarshal([]byte(`7`), &v); err == nil || err.Error() != "wire: want string, got number" {
		t.Errorf("a number: %v", err)
	}
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for n := range len(all) {
		if got, err := wire.EncodeBase64(all[n:]).Bytes(); err != nil || !bytes.Equal(got, all[n:]) {
			t.Errorf("%x becomes %x, %v", all[n:], got, err)
		}
	}
}

// Neither a string nor bytes are taken for Base64 by an assignment or a conversion.
func TestBase64IsNoString(t *testing.T) {
	for _, from := range []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[[]byte](), reflect.TypeFor[wire.Raw]()} {
		if from.ConvertibleTo(reflect.TypeFor[wire.Base64]()) {
			t.Errorf("a %s converts to Base64", from)
		}
	}
}

// Holding a text in a struct costs nothing.
func TestBase64Allocations(t *testing.T) {
	data := []byte(`"aGk="`)
	var v wire.Base64
	buf := make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() {
		d := wire.NewDecoder(data)
		v.DecodeWire(&d)
	}); n != 0 {
		t.Errorf("decoding allocates %v times", n)
	}
	if n := testing.AllocsPerRun(100, func() {
		if out, err := wire.Append(buf, wire.Any, &v); err != nil || len(out) != len(data) {
			t.Errorf("%s, %v", out, err)
		}
	}); n != 0 {
		t.Errorf("encoding allocates %v times", n)
	}
}
