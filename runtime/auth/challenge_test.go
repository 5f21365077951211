package auth

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func header(values ...string) http.Header { return http.Header{"Www-Authenticate": values} }

func TestParseChallenges(t *testing.T) {
	bearer := func(params ...string) Challenge {
		c := Challenge{Scheme: "Bearer"}
		for i := 0; i < len(params); i += 2 {
			if c.Params == nil {
				c.Params = map[string]string{}
			}
			c.Params[params[i]] = params[i+1]
		}
		return c
	}
	basic := Challenge{Scheme: "Basic", Params: map[string]string{"realm": "a, b"}}
	for _, test := range []struct {
		name   string
		values []string
		want   []Challenge
	}{
		{"none", nil, nil},
		{"empty", []string{"", " ,\t, "}, nil},
		{"a scheme", []string{"Bearer"}, []Challenge{bearer()}},
		{"a parameter", []string{`Bearer error="invalid_token"`}, []Challenge{bearer("error", "invalid_token")}},
		{"white space", []string{"\tBearer  error = \"invalid_token\" ,\t scope=a\t"}, []Challenge{bearer("error", "invalid_token", "scope", "a")}},
		{"no white space", []string{`Bearer error=x,scope="a b"`}, []Challenge{bearer("error", "x", "scope", "a b")}},
		{"empty elements", []string{`,Bearer ,,error=x,, scope=a,`}, []Challenge{bearer("error", "x", "scope", "a")}},
		{"a comma after the scheme", []string{`Bearer,error=x`}, []Challenge{bearer("error", "x")}},
		{"names in upper case", []string{`Bearer ERROR=x`}, []Challenge{bearer("error", "x")}},
		{"escapes", []string{`Bearer realm="a\"b\\c\d,\="`}, []Challenge{bearer("realm", `a"b\cd,=`)}},
		{"a tab in quotes", []string{"Bearer realm=\"a\tb\""}, []Challenge{bearer("realm", "a\tb")}},
		{"an escape at the end", []string{`Bearer realm="\""`}, []Challenge{bearer("realm", `"`)}},
		{"an empty value", []string{`Bearer realm=""`}, []Challenge{bearer("realm", "")}},
		{"UTF-8", []string{`Bearer realm="é"`}, []Challenge{bearer("realm", "é")}},
		{"a second scheme", []string{`Basic realm="a, b", Bearer scope="x y", error=z`}, []Challenge{basic, bearer("scope", "x y", "error", "z")}},
		{"two schemes without parameters", []string{`Bearer, Negotiate`}, []Challenge{bearer(), {Scheme: "Negotiate"}}},
		{"two headers", []string{`Basic realm="a, b"`, `Bearer error=x`}, []Challenge{basic, bearer("error", "x")}},
		{"a token68", []string{`Negotiate a-._~+/9==, Bearer error=x`}, []Challenge{{Scheme: "Negotiate"}, bearer("error", "x")}},
		{"a scheme in a value", []string{`Bearer realm="x, Basic realm=y"`}, []Challenge{bearer("realm", "x, Basic realm=y")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := ParseChallenges(header(test.values...))
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}

func manyParams(n int) string {
	var b strings.Builder
	b.WriteString("Bearer ")
	for i := range n {
		fmt.Fprintf(&b, "p%d=v,", i)
	}
	return b.String()
}

func TestParseInvalidChallenges(t *testing.T) {
	for value, want := range map[string]string{
		`"Bearer"`:                        "byte 0: want a scheme",
		`Bearer=x`:                        "byte 6: want a space after the scheme",
		`Bearer error="x`:                 "byte 15: want a closing quote",
		`Bearer error="x\`:                "byte 16: want a closing quote",
		`Bearer error=`:                   "", // a token68
		`Bearer error=, scope=x`:          "byte 20: want a space after the scheme",
		`Bearer a=b, error= , scope=x`:    "byte 19: want a value of error",
		`Bearer a=b, error=`:              "byte 18: want a value of error",
		`Bearer a=b, error="`:             "byte 19: want a closing quote",
		`Bearer a=b, =x`:                  "byte 12: want a scheme",
		"Bearer error=\"x\x7f\"":          "byte 15: want no control character",
		`Bearer error="x" scope="y"`:      "byte 16: want a comma",
		`Bearer error=x error=x`:          "byte 14: want a comma",
		`Bearer error=x, ERROR="x"`:       "the parameter error is duplicated",
		"Bearer error=\"x\r\n y\"":        "byte 15: want no control character",
		"Bearer error=\"x\\\ny\"":         "byte 16: want no control character",
		`Bearer ` + "\x00":                "byte 7: want a scheme",
		strings.Repeat("a,", 51):          "byte 100: want at most 50 challenges",
		manyParams(51):                    "want at most 50 parameters",
		strings.Repeat("a", 64<<10) + "a": "want at most 65536 bytes",
	} {
		got, err := ParseChallenges(header(value))
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", value, err)
			}
		} else if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: want an error that ends with %q, got %q and %v", value, want, got, err)
		}
	}
	// What is valid is returned beside the error.
	got, err := ParseChallenges(header(`Basic realm=a, "`, `Bearer error=b`))
	want := []Challenge{{Scheme: "Basic", Params: map[string]string{"realm": "a"}}, {Scheme: "Bearer", Params: map[string]string{"error": "b"}}}
	if diff := cmp.Diff(want, got); err == nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

func TestChallengeString(t *testing.T) {
	for _, test := range []struct {
		c    Challenge
		want string
	}{
		{Challenge{}, ""},
		{Challenge{Scheme: "Bearer"}, "Bearer"},
		{Challenge{Scheme: "Bearer", Params: map[string]string{"scope": "b a", "error": "x", "a": ""}}, `Bearer a="", error="x", scope="b a"`},
		{Challenge{Scheme: "Bearer", Params: map[string]string{"realm": `a"b\c`}}, `Bearer realm="a\"b\\c"`},
		{Challenge{Scheme: "Bearer\r\nX-Evil: 1", Params: map[string]string{"error": "x"}}, ""},
		{Challenge{Scheme: "Bearer", Params: map[string]string{"x\r\nX-Evil": "1", "": "2", "a b": "3"}}, "Bearer"},
		{Challenge{Scheme: "Bearer", Params: map[string]string{"scope": "a\r\nX-Evil: 1\x00\x7f\t"}}, `Bearer scope="a  X-Evil: 1   "`},
		{Challenge{Scheme: "Bearer", Params: map[string]string{"scope": `a", error="b`}}, `Bearer scope="a\", error=\"b"`},
		{Challenge{Scheme: "Bearer", Params: map[string]string{"scope": "a\xab\xc3\xa9"}}, "Bearer scope=\"a\xab\xc3\xa9\""},
	} {
		if got := test.c.String(); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

func TestChallengeScopes(t *testing.T) {
	c := Challenge{Scheme: "bearer", Params: map[string]string{"scope": " a  b\"c d\\ é files:read "}}
	if diff := cmp.Diff([]string{"a", "files:read"}, c.Scopes()); diff != "" {
		t.Error(diff)
	}
	if !c.Is("Bearer") || c.Is("DPoP") {
		t.Error("the scheme is compared wrongly")
	}
}

// Whatever is parsed, its String is parsed to the same, and no String has a line break.
func FuzzParseChallenges(f *testing.F) {
	for _, s := range []string{
		`Bearer error="invalid_token", scope="a b"`, `Basic realm="a\"b", Negotiate abc==, DPoP algs="ES256"`, `,Bearer ,a=b`, `Bearer a=`, `Bearer a="` + "\r\n", "r or=\"invali\xab_token\"",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		challenges, _ := ParseChallenges(header(s))
		for _, c := range challenges {
			text := c.String()
			if strings.ContainsAny(text, "\r\n\x00") {
				t.Fatalf("%q has a control character", text)
			}
			again, err := ParseChallenges(header(text))
			if err != nil || len(again) != 1 || strings.Contains(s, "\t") {
				if err != nil || len(again) != 1 {
					t.Fatalf("%q is parsed to %q: %v", text, again, err)
				}
				continue // a tab becomes a space
			}
			if diff := cmp.Diff(c, again[0]); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
