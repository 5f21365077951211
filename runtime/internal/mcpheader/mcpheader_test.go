package mcpheader_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ HDR-09, HDR-10, HDR-13
func TestEncode(t *testing.T) {
	for value, want := range map[string]string{
		"":                     "",
		"us-west1":             "us-west1",
		"a b":                  "a b",
		"Hello, 世界":            "=?base64?SGVsbG8sIOS4lueVjA==?=",
		" padded ":             "=?base64?IHBhZGRlZCA=?=",
		"line1\nline2":         "=?base64?bGluZTEKbGluZTI=?=",
		" leading":             "=?base64?IGxlYWRpbmc=?=",
		"trailing ":            "=?base64?dHJhaWxpbmcg?=",
		"\ttab":                "=?base64?CXRhYg==?=",
		"tab\t":                "=?base64?dGFiCQ==?=",
		"\x1f":                 "=?base64?Hw==?=",
		"!~":                   "!~",
		"=?base64?literal?=":   "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
		"=?base64?no end":      "=?base64?no end",
		"=?BASE64?upper?=":     "=?BASE64?upper?=",
		"\x7f":                 "=?base64?fw==?=",
		"file:///a%20file.txt": "file:///a%20file.txt",
	} {
		got := mcpheader.Encode(value)
		if got != want {
			t.Errorf("Encode(%q) = %q, want %q", value, got, want)
		}
		if back, err := mcpheader.Decode(got); err != nil || back != value {
			t.Errorf("Decode(%q) = %q, %v", got, back, err)
		}
	}
}

// REQ HDR-06, HDR-11, HDR-12
func TestDecode(t *testing.T) {
	const noBase64 = "want standard Base64 with padding between the sentinels"
	tests := []struct{ header, want, err string }{
		{"=?base64?SGVsbG8=?=", "Hello", ""},
		{"=?base64??=", "", ""},
		{"=?base64?=", "=?base64?=", ""}, // the sentinels do not overlap
		{"=?Base64?SGVsbG8=?=", "=?Base64?SGVsbG8=?=", ""},
		{"=?base64?SGVsbG8=", "=?base64?SGVsbG8=", ""},
		{"SGVsbG8=?=", "SGVsbG8=?=", ""},
		{"=?base64?SGVsbG8?=", "", noBase64},
		{"=?base64?SGVs!!!bG8=?=", "", noBase64},
		{"=?base64?SGVsbG9=?=", "", noBase64}, // bits behind the end
		{"=?base64?SGVs\nbG8=?=", "", noBase64},
		{"=?base64?SGVs bG8=?=", "", noBase64},
		{"=?base64?-_-_?=", "", noBase64}, // the alphabet for URLs
		{"=?base64?/w==?=", "", "the encoded value is not UTF-8"},
		{"a\tb", "a\tb", ""},
		{"é", "", "the byte 0xc3 must be encoded in Base64"},
		{"a\x00", "", "the byte 0x00 must be encoded in Base64"},
	}
	for _, test := range tests {
		got, err := mcpheader.Decode(test.header)
		if got != test.want || text(err) != test.err {
			t.Errorf("Decode(%q) = %q, %v; want %q, %q", test.header, got, err, test.want, test.err)
		}
	}
}

func FuzzCoding(f *testing.F) {
	f.Add("=?base64?SGVsbG8=?=")
	f.Add(" \x00é")
	f.Fuzz(func(t *testing.T, value string) {
		if back, err := mcpheader.Decode(value); err == nil && !utf8.ValidString(back) {
			t.Errorf("Decode(%q) = %q, which is no UTF-8", value, back)
		}
		if !utf8.ValidString(value) {
			return
		}
		header := mcpheader.Encode(value)
		for i := range len(header) {
			if header[i] < ' ' || header[i] > '~' {
				t.Fatalf("Encode(%q) = %q", value, header)
			}
		}
		if strings.TrimSpace(header) != header {
			t.Errorf("Encode(%q) = %q, which HTTP would trim", value, header)
		}
		if back, err := mcpheader.Decode(header); err != nil || back != value {
			t.Errorf("%q became %q, %v", value, back, err)
		}
	})
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// REQ HDR-02, HDR-03, HDR-04, HDR-06, HDR-08, HDR-11, AMB-16
func TestCheck(t *testing.T) {
	const call, read = "tools/call", "resources/read"
	tests := []struct {
		name     string
		headers  http.Header
		method   string
		params   string
		required bool
		want     string
	}{
		{"all well", http.Header{"Mcp-Method": {call}, "Mcp-Name": {"add"}}, call, `{"name":"add"}`, true, ""},
		{"coded", http.Header{"Mcp-Method": {read}, "Mcp-Name": {"=?base64?w6k6YQ==?="}}, read, `{"uri":"é:a"}`, true, ""},
		{"task", http.Header{"Mcp-Method": {"tasks/get"}, "Mcp-Name": {"7"}}, "tasks/get", `{"taskId":"7"}`, true, ""},
		{"no name needed", http.Header{"Mcp-Method": {"tools/list"}}, "tools/list", ``, true, ""},
		{"none, required", nil, call, `{"name":"add"}`, true, `the header Mcp-Method is missing, want "tools/call"`},
		{"none", nil, call, `{"name":"add"}`, false, ""},
		{"other method", http.Header{"Mcp-Method": {"tools/list"}}, call, `{}`, false, `the header Mcp-Method is "tools/list", but the method of the request is "tools/call"`},
		{"other case", http.Header{"Mcp-Method": {"TOOLS/CALL"}}, call, `{}`, false, `the header Mcp-Method is "TOOLS/CALL", but the method of the request is "tools/call"`},
		{"method is never coded", http.Header{"Mcp-Method": {"=?base64?dG9vbHMvY2FsbA==?="}}, call, `{}`, false, `the header Mcp-Method is "=?base64?dG9vbHMvY2FsbA==?=", but the method of the request is "tools/call"`},
		{"twice the same", http.Header{"Mcp-Method": {call, call}}, call, `{}`, false, `the header Mcp-Method is given 2 times`},
		{"name missing", http.Header{"Mcp-Method": {call}}, call, `{"name":"é"}`, true, `the header Mcp-Name is missing, want "=?base64?w6k=?="`},
		{"name twice", http.Header{"Mcp-Name": {"a", "b"}}, call, `{"name":"a"}`, false, `the header Mcp-Name is given 2 times`},
		{"name in another case", http.Header{"Mcp-Name": {"Add"}}, call, `{"name":"add"}`, false, `the header Mcp-Name is "Add", but params.name is "add"`},
		{"other name", http.Header{"Mcp-Name": {"b"}}, call, `{"name":"a"}`, false, `the header Mcp-Name is "b", but params.name is "a"`},
		{"bad name", http.Header{"Mcp-Name": {"=?base64?a?="}}, call, `{"name":"a"}`, false, `the header Mcp-Name: want standard Base64 with padding between the sentinels`},
		{"name beyond ASCII", http.Header{"Mcp-Name": {"é"}}, call, `{"name":"é"}`, false, `the header Mcp-Name: the byte 0xc3 must be encoded in Base64`},
		{"name with DEL", http.Header{"Mcp-Name": {"\x7f"}}, call, `{"name":"\u007f"}`, false, `the header Mcp-Name: the byte 0x7f must be encoded in Base64`},
		{"name of nothing", http.Header{"Mcp-Name": {"b"}}, call, ``, false, `the header Mcp-Name is "b", but the request has no params.name`},
		{"neither name", http.Header{"Mcp-Method": {call}}, call, `{}`, true, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := mcpheader.Check(test.headers, test.method, wire.Raw(test.params), test.required)
			if text(err) != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

const schema = `{"type":"object","properties":{
	"region":{"type":"string","x-mcp-header":"Region"},
	"deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"},"b":{"type":"boolean","x-mcp-header":"b"}}},
	"other":{"type":"string"}}}`

// REQ XHDR-01, XHDR-02
func TestParams(t *testing.T) {
	got, err := mcpheader.Params(wire.Raw(schema))
	if err != nil {
		t.Fatal(err)
	}
	want := []mcpheader.Param{
		{Header: "Mcp-Param-b", Path: []string{"deep", "b"}, Type: "boolean"},
		{Header: "Mcp-Param-N", Path: []string{"deep", "n"}, Type: "integer"},
		{Header: "Mcp-Param-Region", Path: []string{"region"}, Type: "string"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// REQ XHDR-03, XHDR-04, XHDR-05
func TestParamsWrong(t *testing.T) {
	tests := []struct{ schema, want string }{
		{`{"type":"object"}`, ""},
		{`{"properties":{"x":{"type":"string","x-mcp-header":""}}}`, `/x: x-mcp-header: want a header name, got `},
		{`{"properties":{"x":{"type":"string","x-mcp-header":"a b"}}}`, `/x: x-mcp-header: want a header name, got a b`},
		{`{"properties":{"x":{"type":"string","x-mcp-header":"a:"}}}`, `/x: x-mcp-header: want a header name, got a:`},
		{`{"properties":{"x":{"type":"string","x-mcp-header":"é"}}}`, `/x: x-mcp-header: want a header name, got é`},
		{`{"properties":{"x":{"type":"string","x-mcp-header":1}}}`, `/x: x-mcp-header: want a header name, got 1`},
		{`{"properties":{"x":{"type":"string","x-mcp-\u0068eader":"a b"}}}`, `/x: x-mcp-header: want a header name, got a b`},
		{`{"properties":{"x":{"type":"number","x-mcp-header":"a"}}}`, `/x: x-mcp-header: want a property of type string, integer or boolean, got number`},
		{`{"properties":{"x":{"type":"string","x-mcp-header":"a"},"y":{"type":"string","x-mcp-header":"A"}}}`, `/y: x-mcp-header: the header "A" is also that of /x`},
		{`{"properties":{"x":{"items":{"type":"string","x-mcp-header":"a"}}}}`, `/x/items: x-mcp-header: want it on a property that only properties lead to`},
		{`{"anyOf":[{"properties":{"x":{"type":"string","x-mcp-header":"a"}}}]}`, `/anyOf/x: x-mcp-header: want it on a property that only properties lead to`},
		{`{"x-mcp-header":"a"}`, `: x-mcp-header: want it on a property that only properties lead to`},
	}
	for _, test := range tests {
		if _, err := mcpheader.Params(wire.Raw(test.schema)); text(err) != test.want {
			t.Errorf("%s: got %v, want %s", test.schema, err, test.want)
		}
	}
}

// A schema from a hostile server, with long names above many others, costs no more than its size,
// and so does what is said about it.
//
// REQ HDR-15
func TestParamsHostile(t *testing.T) {
	long := strings.Repeat("n", 1<<20)
	below := func(keyword string) string {
		var b strings.Builder
		b.WriteString(`{"properties":{"` + long + `":{"` + keyword + `":{`)
		for i := range 2000 {
			fmt.Fprintf(&b, `"p%d":{"items":{}},`, i)
		}
		return b.String() + `"z":{"type":"string","x-mcp-header":"` + long + ` "}}}}}`
	}
	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"p%03d":{"type":"string","x-mcp-header":"P%d"}`, i, i)
		}
		return `{"properties":{` + b.String()[1:] + `}}`
	}
	for _, test := range []struct{ schema, want string }{
		{below("properties"), "/" + long[:99] + "…: x-mcp-header: want a header name, got " + long[:100] + "…"},
		{below("$defs"), "/" + long[:99] + "…: x-mcp-header: want it on a property that only properties lead to"},
		{many(256), ""},
		{many(257), "/p256: x-mcp-header: more than 256 properties have it"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := mcpheader.Params(wire.Raw(test.schema))
		runtime.ReadMemStats(&after)
		if text(err) != test.want {
			t.Errorf("got %.300s\nwant %s", text(err), test.want)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 200<<20 {
			t.Errorf("%d bytes for a schema of %d", got, len(test.schema))
		}
	}
}

// REQ XHDR-08, XHDR-09
func TestValue(t *testing.T) {
	params, err := mcpheader.Params(wire.Raw(schema))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		arguments string
		want      string
	}{
		{`{"region":"a b","deep":{"n":42,"b":true},"other":"x"}`, `Mcp-Param-b=true Mcp-Param-N=42 Mcp-Param-Region=a b`},
		{`{"region":null,"deep":{"n":null}}`, ``},
		{`{}`, ``},
		{``, ``},
		{`{"region":"","deep":7}`, `Mcp-Param-Region=`},
		{`{"region":["a"]}`, ``},
		{`{"region":"a","region":"b"}`, ``},
	}
	for _, test := range tests {
		var got []string
		for i := range params {
			if value, ok := params[i].Value(wire.Raw(test.arguments)); ok {
				got = append(got, params[i].Header+"="+value)
			}
		}
		if joined := strings.Join(got, " "); joined != test.want {
			t.Errorf("%s: got %q, want %q", test.arguments, joined, test.want)
		}
	}
}

// REQ XHDR-04, XHDR-10, XHDR-11, HDR-06, HDR-08, HDR-11
func TestCheckParams(t *testing.T) {
	params, err := mcpheader.Params(wire.Raw(schema))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		headers   http.Header
		arguments string
		want      string
	}{
		{http.Header{"Mcp-Param-Region": {"eu"}}, `{"region":"eu"}`, ""},
		{http.Header{"Mcp-Param-Region": {"=?base64?ZXU=?="}}, `{"region":"eu"}`, ""},
		{http.Header{"Mcp-Param-Region": {""}}, `{"region":""}`, ""},
		{nil, `{"region":null}`, ""},
		{http.Header{"Mcp-Param-Other": {"x"}}, `{}`, ""},
		{nil, `{"region":"eu"}`, `the header Mcp-Param-Region is missing, want "eu"`},
		{http.Header{"Mcp-Param-Region": {"EU"}}, `{"region":"eu"}`, `the header Mcp-Param-Region is "EU", but the argument region is "eu"`},
		{http.Header{"Mcp-Param-Region": {"eu", "us"}}, `{"region":"eu"}`, `the header Mcp-Param-Region is given 2 times`},
		{http.Header{"Mcp-Param-Region": {"eu"}}, `{}`, `the header Mcp-Param-Region is "eu", but the call has no such argument`},
		{http.Header{"Mcp-Param-Region": {"eu"}}, `{"region":null}`, `the header Mcp-Param-Region is "eu", but the call has no such argument`},
		{http.Header{"Mcp-Param-Region": {"eu"}}, `{"region":"eu","region":"us"}`, `the argument region is given twice`},
		{http.Header{"Mcp-Param-Region": {"=?base64?ZXU?="}}, `{"region":"eu"}`, `the header Mcp-Param-Region: want standard Base64 with padding between the sentinels`},
		{http.Header{"Mcp-Param-N": {"42"}}, `{"deep":{"n":42.0}}`, ""},
		{http.Header{"Mcp-Param-N": {"4.2e1"}}, `{"deep":{"n":42}}`, ""},
		{http.Header{"Mcp-Param-N": {"43"}}, `{"deep":{"n":42}}`, `the header Mcp-Param-N is "43", but the argument deep.n is "42"`},
		{http.Header{"Mcp-Param-N": {"0x2A"}}, `{"deep":{"n":42}}`, `the header Mcp-Param-N is "0x2A", but the argument deep.n is "42"`},
		{http.Header{"Mcp-Param-N": {"42.0000000000000000000001"}}, `{"deep":{"n":42}}`, `the header Mcp-Param-N is "42.0000000000000000000001", but the argument deep.n is "42"`},
		{http.Header{"Mcp-Param-N": {"9007199254740991"}}, `{"deep":{"n":9007199254740991}}`, ""},
		{http.Header{"Mcp-Param-N": {"-9007199254740991"}}, `{"deep":{"n":-9007199254740991}}`, ""},
		{http.Header{"Mcp-Param-N": {"1e15"}}, `{"deep":{"n":1000000000000000.0}}`, ""},
		{http.Header{"Mcp-Param-N": {"9007199254740992"}}, `{"deep":{"n":9007199254740992}}`, `the argument deep.n must be an integer within ±(2^53-1), because a header repeats it; got 9007199254740992`},
		{http.Header{"Mcp-Param-N": {"-9007199254740992"}}, `{"deep":{"n":-9007199254740992}}`, `the argument deep.n must be an integer within ±(2^53-1), because a header repeats it; got -9007199254740992`},
		{http.Header{"Mcp-Param-N": {"1e16"}}, `{"deep":{"n":1e16}}`, `the argument deep.n must be an integer within ±(2^53-1), because a header repeats it; got 1e16`},
		{http.Header{"Mcp-Param-N": {"1.5"}}, `{"deep":{"n":1.5}}`, `the argument deep.n must be an integer within ±(2^53-1), because a header repeats it; got 1.5`},
		{http.Header{"Mcp-Param-N": {"1e999999999"}}, `{"deep":{"n":1e999999999}}`, `the argument deep.n must be an integer within ±(2^53-1), because a header repeats it; got 1e999999999`},
		{nil, `{"deep":{"n":{"a":1}}}`, `the argument deep.n must be an integer, because a header repeats it; got object`},
		{nil, `{"region":["eu"]}`, `the argument region must be a string, because a header repeats it; got array`},
		{http.Header{"Mcp-Param-Region": {"eu"}}, `{"region":{}}`, `the argument region must be a string, because a header repeats it; got object`},
		{nil, `{"deep":[{"n":1}]}`, ""},
		{nil, `{"deep":{"n":null,"b":null}}`, ""},
		{nil, `{"deep":{"b":false}}`, `the header Mcp-Param-b is missing, want "false"`},
		{nil, `{"region":""}`, `the header Mcp-Param-Region is missing, want ""`},
		{http.Header{"Mcp-Param-N": {"0"}}, `{"deep":{"n":-0.0e5}}`, ""},
		{http.Header{"Mcp-Param-N": {"100"}}, `{"deep":{"n":1e2}}`, ""},
		{http.Header{"Mcp-Param-N": {"x"}}, `{"deep":{"n":0}}`, `the header Mcp-Param-N is "x", but the argument deep.n is "0"`},
		{http.Header{"Mcp-Param-N": {"1/"}}, `{"deep":{"n":1}}`, `the header Mcp-Param-N is "1/", but the argument deep.n is "1"`},
		{http.Header{"Mcp-Param-N": {"1e"}}, `{"deep":{"n":1}}`, `the header Mcp-Param-N is "1e", but the argument deep.n is "1"`},
		{http.Header{"Mcp-Param-N": {"1e+-2"}}, `{"deep":{"n":100}}`, `the header Mcp-Param-N is "1e+-2", but the argument deep.n is "100"`},
		{http.Header{"Mcp-Param-N": {"1e2x"}}, `{"deep":{"n":100}}`, `the header Mcp-Param-N is "1e2x", but the argument deep.n is "100"`},
		{http.Header{"Mcp-Param-N": {"1e0000002"}}, `{"deep":{"n":100}}`, ""},
		{http.Header{"Mcp-Param-N": {"01"}}, `{"deep":{"n":1}}`, `the header Mcp-Param-N is "01", but the argument deep.n is "1"`},
		{http.Header{"Mcp-Param-N": {"1."}}, `{"deep":{"n":1}}`, `the header Mcp-Param-N is "1.", but the argument deep.n is "1"`},
		{http.Header{"Mcp-Param-N": {""}}, `{"deep":{"n":0}}`, `the header Mcp-Param-N is "", but the argument deep.n is "0"`},
		{http.Header{"Mcp-Param-N": {"-1"}}, `{"deep":{"n":1}}`, `the header Mcp-Param-N is "-1", but the argument deep.n is "1"`},
		{http.Header{"Mcp-Param-N": {"1e000002"}}, `{"deep":{"n":100}}`, ""},
		{http.Header{"Mcp-Param-N": {"1e+-2"}}, `{"deep":{"n":1}}`, `the header Mcp-Param-N is "1e+-2", but the argument deep.n is "1"`},
		{http.Header{"Mcp-Param-N": {"-0.0"}}, `{"deep":{"n":0}}`, ""},
		{http.Header{"Mcp-Param-N": {"0.1e1"}}, `{"deep":{"n":1}}`, ""},
		{http.Header{"Mcp-Param-N": {"10"}}, `{"deep":{"n":1e2}}`, `the header Mcp-Param-N is "10", but the argument deep.n is "1e2"`},
		{http.Header{"Mcp-Param-B": {"true"}}, `{"deep":{"b":true}}`, ""},
		{http.Header{"Mcp-Param-B": {"TRUE"}}, `{"deep":{"b":true}}`, `the header Mcp-Param-b is "TRUE", but the argument deep.b is "true"`},
	}
	for _, test := range tests {
		if err := mcpheader.CheckParams(test.headers, params, wire.Raw(test.arguments)); text(err) != test.want {
			t.Errorf("%v, %s: got %v, want %s", test.headers, test.arguments, err, test.want)
		}
	}
}

// What has no name ignores the header that repeats names.
func TestCheckWithoutName(t *testing.T) {
	h := http.Header{mcpheader.Method: {"tools/list"}, mcpheader.Name: {"x"}}
	if err := mcpheader.Check(h, "tools/list", wire.Raw(`{"name":"y"}`), true); err != nil {
		t.Error(err)
	}
}
