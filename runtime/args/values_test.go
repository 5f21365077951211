package args_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/server/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestAny(t *testing.T) {
	d := args.New(wire.Raw(`{"a":[1,-9223372036854775808,9223372036854775808,1.0,1e2,"x",true,null],"b":{}}`), false)
	got := d.Any()
	if err := d.Finish(); err != nil {
		t.Fatal(err)
	}
	large, _ := new(big.Int).SetString("9223372036854775808", 10)
	want := map[string]any{
		"a": []any{int64(1), int64(math.MinInt64), large, 1.0, 100.0, "x", true, nil},
		"b": map[string]any{},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })); diff != "" {
		t.Error(diff)
	}
	text, err := args.Encode(&got, func(v *any, e *wire.Encoder) { args.PutAny(*v, e) })
	if string(text) != `{"a":[1,-9223372036854775808,9223372036854775808,1,100,"x",true,null],"b":{}}` || err != nil {
		t.Errorf("written: %s, %v", text, err)
	}
	for text, want := range map[string]string{
		`1e999`:                   "arguments: want a number in the range of double precision, got 1e999",
		strings.Repeat("1", 5000): "arguments: want an integer of at most 4096 digits, got " + strings.Repeat("1", 42) + "…",
		`{"a":{"b":1,"b":2}}`:     "a.b: given twice",
		`{"a":1,"b":2,"a":3}`:     "a: given twice",
		strings.Repeat("1", 4097): "arguments: want an integer of at most 4096 digits, got " + strings.Repeat("1", 42) + "…",
		strings.Repeat("[", 200):  "…" + strings.Repeat("[0]", 128)[184:] + ": nesting is deeper than 128 levels",
		`[1,`:                     "[1]: want a value, got the end of the input at offset 3",
	} {
		d := args.New(wire.Raw(text), false)
		d.Any()
		if err := d.Finish(); err == nil || err.Error() != want {
			t.Errorf("%.40s: got %v, want %s", text, err, want)
		}
	}
}

// TestAnyNumber reads numbers at the bounds of the types that they become.
func TestAnyNumber(t *testing.T) {
	long := strings.Repeat("1", 4096)
	for text, want := range map[string]string{
		"9223372036854775807": "int64 9223372036854775807", "-9223372036854775809": "*big.Int -9223372036854775809",
		"0": "int64 0", "-0": "float64 -0", "-0.0": "float64 -0", "1e2": "float64 100", "1E2": "float64 100", long: "*big.Int " + long,
		"1e308": "float64 1e+308", "0.1": "float64 0.1", "1e999": "<nil> <nil>", long + "1": "<nil> <nil>",
	} {
		v := args.New(wire.Raw(text), false).Any()
		if got := fmt.Sprintf("%T %v", v, v); got != want {
			t.Errorf("%.40s: got %s, want %s", text, got, want)
		}
	}
}

// TestEncodeFails has values that cannot be written at some depth, among good ones.
func TestEncodeFails(t *testing.T) {
	leave := []any{}
	for range 200 { // each leaves what it enters
		leave = append(leave, []any{}, map[string]any{"a": 1})
	}
	if _, err := args.Encode(&leave, func(v *[]any, e *wire.Encoder) { args.PutAny(*v, e) }); err != nil {
		t.Errorf("many short lists: %v", err)
	}
	for _, tt := range []struct {
		v    any
		want args.ResultError
	}{
		{map[string]any{"a": []any{1, badText{}}}, args.ResultError{Path: "a[1]", Msg: "json: error calling MarshalText for type args_test.badText: no text"}},
		{badText{"panic"}, args.ResultError{Msg: "it panicked: boom"}},
		{math.NaN(), args.ResultError{Msg: "NaN is not a JSON number"}},
	} {
		raw, err := args.Encode(&tt.v, func(v *any, e *wire.Encoder) { args.PutAny(*v, e) })
		var e *args.ResultError
		if raw != nil || !errors.As(err, &e) || *e != tt.want {
			t.Errorf("%v: got %s, %#v", tt.v, raw, err)
		}
	}
	many := map[int]string{}
	for i := range 50 {
		many[i] = fmt.Sprintf("%02d", 49-i)
	}
	raw, err := args.Encode(&many, func(v *map[int]string, e *wire.Encoder) {
		args.PutMap(e, *v, func(i int, _ *wire.Encoder) string { return many[i] }, wire.PutString[string])
	})
	var names []string
	for i := range 50 {
		names = append(names, fmt.Sprintf(`"%02d":"%02d"`, i, i))
	}
	if want := "{" + strings.Join(names, ",") + "}"; string(raw) != want || err != nil {
		t.Errorf("got %s, %v; want %s", raw, err, want)
	}
}

type badText struct{ how string }

func (b badText) MarshalText() ([]byte, error) {
	if b.how == "panic" {
		panic(errors.New("boom"))
	}
	if b.how == "" {
		return nil, errors.New("no text")
	}
	return []byte(b.how), nil
}

func TestEncode(t *testing.T) {
	u, err := url.Parse("https://a.b/c?d=e&f")
	if err != nil {
		t.Fatal(err)
	}
	loop := []any{nil}
	loop[0] = loop
	table := map[string]any{}
	table["t"] = table
	byText := func(m map[badText]int) func(e *wire.Encoder) {
		return func(e *wire.Encoder) {
			args.PutMap(e, m, func(k badText, e *wire.Encoder) string { return args.TextName(k, e) }, func(v *int, e *wire.Encoder) { e.Int(int64(*v)) })
		}
	}
	for _, tt := range []struct {
		name string
		put  func(e *wire.Encoder)
		want string // or error
	}{
		{"time", func(e *wire.Encoder) {
			args.PutTime(time.Date(2024, 2, 29, 1, 2, 3, 4000, time.FixedZone("", 3600)), e)
		}, `"2024-02-29T01:02:03.000004+01:00"`},
		{"late time", func(e *wire.Encoder) { args.PutTime(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), e) }, "error: the result cannot be encoded: Time.MarshalText: year outside of range [0,9999]"},
		{"date", func(e *wire.Encoder) {
			args.PutDate(time.Date(2024, 2, 29, 23, 0, 0, 0, time.FixedZone("", -3600)), e)
		}, `"2024-02-29"`},
		{"first date", func(e *wire.Encoder) { args.PutDate(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), e) }, `"0000-01-01"`},
		{"last date", func(e *wire.Encoder) { args.PutDate(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), e) }, `"9999-12-31"`},
		{"early date", func(e *wire.Encoder) { args.PutDate(time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), e) }, "error: the result cannot be encoded: want a year from 0 to 9999, got -1"},
		{"late date", func(e *wire.Encoder) { args.PutDate(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), e) }, "error: the result cannot be encoded: want a year from 0 to 9999, got 10000"},
		{"duration", func(e *wire.Encoder) { args.PutDuration(90*time.Second, e) }, `"1m30s"`},
		{"url", func(e *wire.Encoder) { args.PutURL(u, e) }, `"https://a.b/c?d=e&f"`},
		{"bytes", func(e *wire.Encoder) { args.PutBytes([]byte{0, 1, 255, 254}, e) }, `"AAH//g=="`},
		{"no bytes", func(e *wire.Encoder) { args.PutBytes(nil, e) }, `""`},
		{"big", func(e *wire.Encoder) { args.PutBigInt(new(big.Int).Lsh(big.NewInt(-1), 70), e) }, `-1180591620717411303424`},
		{"number", func(e *wire.Encoder) { args.PutNumber("1.50", e) }, `1.50`},
		{"no number", func(e *wire.Encoder) { args.PutNumber("", e) }, `0`},
		{"bad number", func(e *wire.Encoder) { args.PutNumber("1x", e) }, `error: the result cannot be encoded: want a number, got "1x"`},
		{"raw", func(e *wire.Encoder) { args.PutRaw([]byte("[1,\n2]"), e) }, `[1,2]`},
		{"no raw", func(e *wire.Encoder) { args.PutRaw(nil, e) }, `null`},
		{"bad raw", func(e *wire.Encoder) { args.PutRaw([]byte("[1"), e) },
			"error: the result cannot be encoded: invalid JSON: want ',' or ']' after an element, got the end of the input at offset 2"},
		{"text", func(e *wire.Encoder) { args.PutText(netip.MustParseAddr("::1"), e) }, `"::1"`},
		{"text that fails", func(e *wire.Encoder) { args.PutText(badText{}, e) }, "error: the result cannot be encoded: no text"},
		{"text that panics", func(e *wire.Encoder) { args.PutText(badText{"panic"}, e) }, "error: the result cannot be encoded: it panicked: boom"},
		{"text of nil", func(e *wire.Encoder) { args.PutText((*badText)(nil), e) },
			"error: the result cannot be encoded: it panicked: value method github.com/mcpgen/mcpgen/runtime/args_test.badText.MarshalText called using nil *badText pointer"},
		{"JSON", func(e *wire.Encoder) { args.PutJSON(json.RawMessage(`{"a": 1}`), e) }, `{"a": 1}`},
		{"any", func(e *wire.Encoder) {
			args.PutAny([]any{1, int64(2), 2.5, "<", nil, uint8(3), time.Minute, map[string]int{"&": 1}, badText{"x"}}, e)
		}, `[1,2,2.5,"<",null,3,60000000000,{"&":1},"x"]`},
		{"any that cannot be", func(e *wire.Encoder) { args.PutAny([]any{1, make(chan int)}, e) }, "error: the result cannot be encoded: [1]: json: unsupported type: chan int"},
		{"any that contains itself", func(e *wire.Encoder) { args.PutAny(loop, e) },
			"error: the result cannot be encoded: …" + strings.Repeat("[0]", 128)[184:] + ": nesting is deeper than 128 levels; does the value contain itself?"},
		{"map that contains itself", func(e *wire.Encoder) { args.PutAny(table, e) },
			"error: the result cannot be encoded: …" + strings.Repeat(".t", 128)[56:] + ": nesting is deeper than 128 levels; does the value contain itself?"},
		{"map by text", byText(map[badText]int{{"b"}: 1, {"a\""}: 2}), `{"a\"":2,"b":1}`},
		{"no map", byText(nil), `{}`},
		{"map with a bad key", byText(map[badText]int{{""}: 1}), "error: the result cannot be encoded: no text"},
	} {
		text, err := args.Encode(&tt, func(v *struct {
			name string
			put  func(e *wire.Encoder)
			want string
		}, e *wire.Encoder) {
			v.put(e)
		})
		got := string(text)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestPutMapTwice(t *testing.T) {
	m := map[int]bool{1: true, 2: true}
	_, err := args.Encode(&m, func(v *map[int]bool, e *wire.Encoder) {
		args.PutMap(e, *v, func(int, *wire.Encoder) string { return "same" }, func(v *bool, e *wire.Encoder) { e.Bool(*v) })
	})
	if err == nil || err.Error() != `the result cannot be encoded: duplicate member "same"` {
		t.Errorf("got %v", err)
	}
}

// TestMatchURI compares with the library for all of RFC 6570.
func TestMatchURI(t *testing.T) {
	parts := []string{"note://", "id", "/pages/", "page", "?x"}
	library, err := uritemplate.New("note://{id}/pages/{page}?x")
	if err != nil {
		t.Fatal(err)
	}
	for uri, want := range map[string]string{
		"note://1/pages/2?x":              "1 2",
		"note://a%20b%2Fc/pages/%C3%A9?x": "a b/c é",
		"note://~-._/pages/0?x":           "~-._ 0",
		"note:///pages/?x":                " ",
		"note://1/pages/2":                "no",
		"note://1/2/pages/3?x":            "no",
		"note://1/pages/2?x=1":            "no",
		"note://1,2/pages/2?x":            "1,2 2",
		"note://%2/pages/2?x":             "no",
		"note://ä/pages/2?x":              "no",
		"Note://1/pages/2?x":              "no",
		"note://%aF%Af/pages/%09?x":       "\xaf\xaf \t",
		"note://%fa%FA/pages/%90?x":       "\xfa\xfa \x90",
		"note://%g0/pages/2?x":            "no",
		"note://%0g/pages/2?x":            "no",
		"note://%G0/pages/2?x":            "no",
		"note://%/0/pages/2?x":            "no",
		"note://%:0/pages/2?x":            "no",
		"note://%`0/pages/2?x":            "no",
		"note://%":                        "no",
		"note://AZaz09/pages/%41?x":       "AZaz09 A",
		"note://-./pages/_~?x":            "-. _~",
		"note://@/pages/2?x":              "no",
		"note://[/pages/2?x":              "no",
		"note://{/pages/2?x":              "no",
		"note://1/pages/2?x/":             "no",
		"":                                "no",
	} {
		got, theirs := "no", "no"
		if vars, ok := args.MatchURI(uri, parts...); ok {
			got = vars["id"] + " " + vars["page"]
		}
		if vars, ok := library(uri); ok {
			theirs = vars["id"] + " " + vars["page"]
		}
		if got != want || got != theirs {
			t.Errorf("%s: got %q, the library %q, want %q", uri, got, theirs, want)
		}
	}
	for uri, want := range map[string]map[string]string{
		"a:": {}, "a:x": {"v": "x"}, "a:x%41": {"v": "xA"}, "a:%4": nil, "a:%": nil, "a:x%41b": {"v": "xAb"}, "a": nil, "a:/": nil, "a:x/41": nil, "a:/41": nil,
	} {
		vars, ok := args.MatchURI(uri, "a:", "v")
		if diff := cmp.Diff(want, vars); ok != (want != nil) || want != nil && diff != "" {
			t.Errorf("%s: %t, %s", uri, ok, diff)
		}
	}
}
