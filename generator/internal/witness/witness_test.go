package witness

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// TestFind has pairs of schemas between which there is a value, and pairs between which there is none.
func TestFind(t *testing.T) {
	for _, tt := range []struct {
		name, small, large string
		want               bool
	}{
		{"types", `{"type":["string","null"]}`, `{"type":"string"}`, true},
		{"the same", `{"type":"object","properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"array","items":{"$ref":"#"}}}}`, `{"type":"object","properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"array","items":{"$ref":"#"}}}}`, false},
		{"a bound", `{"type":"integer","minimum":3}`, `{"exclusiveMinimum":3}`, true},
		{"a bound between", `{"type":"integer","exclusiveMinimum":2}`, `{"minimum":3}`, false},
		{"multiples", `{"type":"number","multipleOf":0.5,"maximum":1000}`, `{"multipleOf":2.5}`, true},
		{"a pattern", `{"pattern":"^(0|-?[1-9][0-9]{3,})$","type":"string"}`, `{"maxLength":3}`, true},
		{"a format", `{"type":"string"}`, `{"format":"date-time"}`, true},
		{"a format beyond a length", `{"type":"string","format":"date"}`, `{"maxLength":9}`, true},
		{"an encoding", `{"type":"string","minLength":5}`, `{"contentEncoding":"base64"}`, true},
		{"many items that differ", `{"items":{"type":"integer"},"uniqueItems":true,"type":"array"}`, `{"maxItems":13}`, true},
		{"items of a format that differ", `{"items":{"format":"date-time","type":"string"},"minItems":2,"uniqueItems":true,"type":"array"}`, `{"items":{"format":"uri"}}`, true},
		{"an item of a tuple", `{"type":"array","prefixItems":[{},{"type":"boolean"}],"items":false}`, `{"prefixItems":[{},{"const":true}]}`, true},
		{"a long name", `{"type":"object","propertyNames":{"pattern":"^[a-z]+$"},"additionalProperties":{}}`, `{"propertyNames":{"maxLength":12}}`, true},
		{"a name by a pattern", `{"type":"object","patternProperties":{"^q[0-9]x$":{"type":"string"}},"additionalProperties":false}`, `{"additionalProperties":{"type":"integer"}}`, true},
		{"many members", `{"type":"object","additionalProperties":{"type":"integer"}}`, `{"maxProperties":4}`, true},
		{"an arm", `{"oneOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"b"},"n":{"type":"integer"}},"required":["k"]}]}`, `{"properties":{"n":{"minimum":5}}}`, true},
		{"an anchor", `{"$ref":"#a","$defs":{"d":{"$anchor":"a","type":"integer"}}}`, `{"type":"integer","minimum":0}`, true},
		{"a condition", `{"type":"integer","if":{"minimum":10},"then":{"multipleOf":5}}`, `{"maximum":9}`, true},
		{"one place of many", `{"$ref":"#/$defs/d0","$defs":{` + large(5) + `"d5":{"type":"object","properties":{"a":{"type":"string"}}}}}`,
			`{"$ref":"#/$defs/d0","$defs":{` + large(5) + `"d5":{"type":"object","properties":{"a":{"type":"string"},"zz":{"type":"string"}}}}}`, true},
		{"nothing", `false`, `false`, false},
		{"a value that always has a part of its kind", `{"$ref":"#/$defs/d","$defs":{"d":{"type":"object","properties":{"d":{"$ref":"#/$defs/d"}},"required":["d"]}}}`, `false`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			small, err := Compile(tt.small)
			if err != nil {
				t.Fatal(err)
			}
			large, err := Compile(tt.large)
			if err != nil {
				t.Fatal(err)
			}
			if got := Find(rand.New(rand.NewPCG(1, 1)), small, large, 3000); (got != "") != tt.want {
				t.Errorf("found %q, want one: %v", got, tt.want)
			}
		})
	}
	if _, err := Compile(`{"type":1}`); err == nil {
		t.Error("compiled what is no schema")
	}
}

// large returns definitions, each of an object with a list and a map of the next, and more.
func large(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"type":"object","properties":{"list":{"type":"array","items":{"type":"string"}},"map":{"type":"object","additionalProperties":{"type":"integer"}},
			"one":{"type":"object","oneOf":[{"properties":{"k":{"const":1}},"required":["k"]},{"properties":{"k":{"const":2},"next":{"$ref":"#/$defs/d%d"}},"required":["k"]}]}},"required":["list","map","one"]},`, i, i+1)
	}
	return b.String()
}

func TestMatching(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, pattern := range []string{`^[a-z]*$`, `^[-+]?(0|(([0-9]+([.][0-9]*)?|[.][0-9]+)(ns|ms|h))+)$`, `a.b|c{2,4}d?`, `^(?:x|yz)+\d{3}$`, ``} {
		for range 100 {
			if s := matching(r, pattern); !regexp.MustCompile(pattern).MatchString(s) {
				t.Errorf("%q does not match %s", s, pattern)
			}
		}
	}
}
