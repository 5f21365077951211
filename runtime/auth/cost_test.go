package auth

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/limits"
)

var size = limits.Flags()

// TestCost is the table of what hostile challenges, tokens and responses about tokens cost. Those of a request are
// bounded by the length of a token, too.
func TestCost(t *testing.T) {
	var cases []limits.Case
	add := func(name string, than limits.Parser, input func(n int) string, run func(in string) error) {
		cases = append(cases, limits.Case{Name: "auth: " + name, Than: than, Input: input, Run: func(in string) string {
			if err := run(in); err != nil {
				return err.Error()
			}
			return ""
		}})
	}
	repeat := func(before, s, after string) func(n int) string {
		return func(n int) string { return before + strings.Repeat(s, n/len(s)) + after }
	}
	list := func(before, after, format string) func(n int) string {
		return func(n int) string {
			return limits.List(n, before, after, func(i int) string { return strings.ReplaceAll(format, "#", fmt.Sprint(i)) })
		}
	}
	parse := func(in string) error {
		challenges, err := ParseChallenges(http.Header{"Www-Authenticate": strings.SplitAfter(in, "\n")})
		for _, c := range challenges {
			_, _ = c.String(), c.Scopes()
		}
		return err
	}
	add("challenges without anything", limits.Text, repeat("", ",", ""), parse)
	add("white space in a challenge", limits.Text, repeat("Bearer a=b", " ", "c"), parse)
	add("many schemes", limits.Text, repeat("", "a,", ""), parse)
	add("many parameters", limits.Text, list("Bearer ", "", "p#=v"), parse)
	add("escapes without an end", limits.Text, repeat(`Bearer a="`, `\"`, ""), parse)
	add("many scopes of a challenge", limits.Text, repeat(`Bearer scope="`, "a ", `"`), parse)
	claims := func(in string) error {
		c, err := decodeClaims([]byte(in))
		if err != nil {
			return err
		}
		_, err = c.token([]byte(in), 0, nil)
		return err
	}
	add("many claims", limits.JSON, list(`{`, `}`, `"#":0`), claims)
	add("many audiences", limits.JSON, list(`{"aud":[`, `]}`, `"#"`), func(in string) error {
		c, err := decodeClaims([]byte(in))
		if err == nil && forAudience(c.Audience, []string{testResource}) {
			t.Error("the token is for this resource")
		}
		return err
	})
	add("audiences that are URIs", limits.JSON, list(`{"aud":[`, `]}`, `"HTTPS://MCP.example.com:443/#"`), func(in string) error {
		c, err := decodeClaims([]byte(in))
		if err == nil && forAudience(c.Audience, []string{testResource}) {
			t.Error("the token is for this resource")
		}
		return err
	})
	add("many scopes of a token", limits.JSON, repeat(`{"scope":"`, "a ", `"}`), claims)
	add("many scopes in an array", limits.JSON, list(`{"scp":[`, `]}`, `"#"`), claims)
	add("many confirmations", limits.JSON, list(`{"cnf":{`, `}}`, `"#":"x"`), claims)
	add("deep claims", limits.JSON, func(n int) string { return `{"a":` + strings.Repeat("[", n) }, claims)
	v := parsed(t)
	header := func(in string) error { _, err := v.parse(segment(in) + ".e30.AA"); return err }
	add("a header with many members", limits.JSON, list(`{`, `}`, `"#":0`), header)
	add("a header with a long algorithm", limits.JSON, repeat(`{"alg":"`, "x", `"}`), header)
	add("parts of a token", limits.Text, repeat("", ".", ""), func(in string) error { _, err := v.parse(in); return err })
	limits.Check(t, *size, cases)
}
