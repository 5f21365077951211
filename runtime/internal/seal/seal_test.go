package seal

import (
	"bytes"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Values that are the same to every reader have the same text.
func TestCanonical(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":[2,{"c":{},"d":"x"}]}`, ` { "b" : [2, {"d":"\u0078", "c":{ }}], "a" : 1 } `, true},
		{`[{"a":{"b":{"c":1,"d":2}}}]`, `[{"a":{"b":{"d":2,"c":1}}}]`, true},
		{`[9007199254740993]`, `[9007199254740992]`, false},
		{`{"a:b":"\":"}`, `{"\u0061:b":"\u0022:"}`, true},
		{`{"a":"\u003a"}`, `{"a":":"}`, true},
		{`{"a":{"b":1},"c":2}`, `{"a":{"b":1,"c":2}}`, false},
		{`{"a":{"b":{}}}`, `{"a":{"b":[]}}`, false},
		{`[[],{}]`, `[[{}]]`, false},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{`{"a":"1"}`, `{"a":1}`, false},
		{`{"":{"a":1}}`, `{"a":{"":1}}`, false},
		{`{"a":1,"a":2}`, `{"a":2,"a":1}`, false},       // which of the two counts is the reader's choice
		{`{"a":{"x":1,"x":1}}`, `{"a":{"x":1}}`, false}, // in whatever depth
	} {
		if same := bytes.Equal(Canonical(wire.Raw(c.a)), Canonical(wire.Raw(c.b))); same != c.same {
			t.Errorf("%s and %s: same is %v", c.a, c.b, same)
		}
	}
}

// What is sealed is opened by the same key and binding alone, and as it was.
func TestSeal(t *testing.T) {
	old, now := []byte("old"), []byte("now")
	plain, binding := []byte("state"), []byte("call")
	sealed := New([][]byte{nil, old}).Seal(plain, binding)
	if again := New([][]byte{old}).Seal(plain, binding); again == sealed || len(again) != len(sealed) {
		t.Errorf("sealed twice: %s and %s", sealed, again)
	}
	for name, test := range map[string]struct {
		keys    [][]byte
		sealed  string
		binding string
		opens   bool
	}{
		"the same key":     {[][]byte{old}, sealed, "call", true},
		"broken lines":     {[][]byte{old}, "\n" + sealed[:9] + "\r\n" + sealed[9:], "call", true},
		"a second key":     {[][]byte{now, nil, old}, sealed, "call", true},
		"another key":      {[][]byte{now}, sealed, "call", false},
		"a key of its own": {nil, sealed, "call", false},
		"the empty key":    {[][]byte{{}}, sealed, "call", false},
		"another binding":  {[][]byte{old}, sealed, "Call", false},
		"changed":          {[][]byte{old}, "AAAA" + sealed[4:], "call", false},
		"its last changed": {[][]byte{old}, sealed[:len(sealed)-4] + "AAAA", "call", false},
		"cut":              {[][]byte{old}, sealed[:20], "call", false},
		"the nonce alone":  {[][]byte{old}, sealed[:16], "call", false},
		"less than that":   {[][]byte{old}, sealed[:12], "call", false},
		"nothing":          {[][]byte{old}, "", "call", false},
		"with more behind": {[][]byte{old}, sealed + "?", "call", false},
		"no Base64":        {[][]byte{old}, "?", "call", false},
	} {
		got, id, err := New(test.keys).Open(test.sealed, []byte(test.binding))
		switch {
		case test.opens && (string(got) != "state" || id != sealed[:16] || err != nil):
			t.Errorf("%s: %q, %q, %v", name, got, id, err)
		case !test.opens && (got != nil || id != "" || err != ErrForeign):
			t.Errorf("%s: %q, %q, %v, want ErrForeign", name, got, id, err)
		}
	}
}

// An empty key, such as that of an environment variable that is not set, does not count: anybody can seal with it.
func TestEmptyKeys(t *testing.T) {
	for _, forger := range []Sealer{{newAEAD(nil)}, {newAEAD(make([]byte, 32))}, New(nil)} {
		forged := forger.Seal([]byte("state"), nil)
		for _, keys := range [][][]byte{nil, {nil, {}}, {nil, []byte("key")}} {
			if _, _, err := New(keys).Open(forged, nil); err != ErrForeign {
				t.Errorf("keys %q: %v, want ErrForeign", keys, err)
			}
		}
	}
}
