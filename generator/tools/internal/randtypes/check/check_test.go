package check

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestDiffer compares texts, of which some are the same.
func TestDiffer(t *testing.T) {
	for _, tt := range []struct {
		ours, std, want string
		notes           []string
	}{
		{`{"a":1,"b":[true,"x",null]}`, `{"a":1,"b":[true,"x",null]}`, "", nil},
		{`{"a":1e2}`, `{"a":100}`, "", nil},
		{`{"a":-0}`, `{"a":0}`, "v.a: -0, and encoding/json has 0", nil},
		{`{"a":1}`, `{"a":"1"}`, `v.a: 1, and encoding/json has "1"`, nil},
		{`{"a":"x"}`, `{"a":"y"}`, `v.a: "x", and encoding/json has "y"`, nil},
		{`[1,2]`, `[1]`, "v: 2 elements, and encoding/json has 1", nil},
		{`{"b":1,"a":2}`, `{"a":2,"b":1}`, "v: no member a here, which encoding/json has", nil},
		{`{"a":1,"b":2}`, `{"a":1}`, "v: a member b, which encoding/json has not", nil},
		{`{"a":[],"b":{},"c":""}`, `{"a":null,"b":null,"c":null}`, "", []string{"nil containers are empty", "nil containers are empty", "nil bytes are empty"}},
		{`{"a":[1]}`, `{"a":null}`, "v.a: [1], and encoding/json has null", nil},
		{`{}`, `{"a":null}`, "", []string{"nil pointers are left out"}},
	} {
		ours, err := parse([]byte(tt.ours))
		if err != nil {
			t.Fatal(err)
		}
		std, err := parse([]byte(tt.std))
		if err != nil {
			t.Fatal(err)
		}
		var notes []string
		if got := differ(ours, std, "v", func(name string) { notes = append(notes, name) }); got != tt.want || !slices.Equal(notes, tt.notes) {
			t.Errorf("%s and %s: %s %q, want %s %q", tt.ours, tt.std, got, notes, tt.want, tt.notes)
		}
	}
}

// TestUnlike compares values that differ in one place.
func TestUnlike(t *testing.T) {
	type inner struct{ N int }
	type value struct {
		inner
		S    []string
		M    map[string]float64
		P    *int
		T    time.Time
		Any  any
		Gone int `json:"-"`
		own  int
	}
	full := func() *value {
		n := 1
		return &value{inner{1}, []string{"x"}, map[string]float64{"a": 0}, &n, time.Unix(0, 0), []any{1.5}, 1, 1}
	}
	for where, change := range map[string]func(*value){
		"":         func(v *value) { v.Gone, v.own, v.T = 2, 2, v.T.Add(0) },
		".inner.N": func(v *value) { v.N = 2 },
		".S":       func(v *value) { v.S = nil },
		".S[0]":    func(v *value) { v.S[0] = "y" },
		".M[a]":    func(v *value) { v.M["a"] = 1 },
		".P":       func(v *value) { *v.P = 2 },
		".T":       func(v *value) { v.T = v.T.Add(1) },
		".Any":     func(v *value) { v.Any = []any{1.5, nil} },
	} {
		a, b := full(), full()
		change(b)
		got, _, _ := strings.Cut(unlike(reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem(), ""), ": ")
		if got != where {
			t.Errorf("found %q, want %q", got, where)
		}
	}
}

// TestMutate changes values in many ways. All are JSON.
func TestMutate(t *testing.T) {
	n, err := parse([]byte(`{"a":[1,"x",{"b":null}],"c":1.5}`))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	seen := make(map[string]bool)
	for range 1000 {
		text := mutate(r, n).write()
		seen[string(text)] = true
		if !json.Valid(text) {
			t.Fatalf("%s is no JSON", text)
		}
	}
	if len(seen) < 200 {
		t.Errorf("there are %d different ones", len(seen))
	}
}

// TestShrink leaves what fails.
func TestShrink(t *testing.T) {
	n, err := parse([]byte(`{"a":[1,"x",{"b":null,"bad":["y","z"]}],"c":1.5,"d":{"e":"f"}}`))
	if err != nil {
		t.Fatal(err)
	}
	got := shrink(n, func(n *node) bool { return strings.Contains(string(n.write()), "bad") }).write()
	if want := `{"a":[{"bad":[]}]}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAllExplained(t *testing.T) {
	for message, want := range map[string]bool{
		"":                 false,
		"v.G: given twice": true,
		"v.G.a: want an object, got 0\nv.G: given twice":    true,
		"v.G[0].b: want an object, got 0\nv.G: given twice": true,
		"v.G: given twice\nv.Ga: want an object, got 0":     false,
		"v.G.a: want an object, got 0":                      false,
	} {
		if got := allExplained(beyondSchema, message); got != want {
			t.Errorf("%q: got %v", message, got)
		}
	}
}
