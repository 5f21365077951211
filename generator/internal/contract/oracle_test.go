package contract

import (
	"fmt"
	"strings"
	"testing"
)

// TestOracleIsCautious: where the oracle does not know, it does not say that all values are in the larger schema.
func TestOracleIsCautious(t *testing.T) {
	const foreign = `"(?!x)"` // a pattern that is not known here
	for name, tt := range map[string]struct {
		small, large string
		want         bool
	}{
		"a foreign pattern of names may not apply": {
			small: `{"type":"object","patternProperties":{` + foreign + `:{"type":"string"}}}`,
			large: `{"type":"object","properties":{"a":{"type":"string"}}}`,
		},
		"a foreign pattern of names may apply": {
			small: `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`,
			large: `{"type":"object","patternProperties":{` + foreign + `:{"type":"number"}}}`,
		},
		"names may not match a foreign pattern": {
			small: `{"type":"object","properties":{"a":{}},"additionalProperties":false}`,
			large: `{"type":"object","propertyNames":{"pattern":` + foreign + `}}`,
		},
		"values may not match a foreign pattern": {
			small: `{"enum":["a","b"]}`,
			large: `{"type":"string","pattern":` + foreign + `}`,
		},
		"values are in an encoding": {
			small: `{"enum":["idle","busy","QUI=",""]}`,
			large: `{"type":"string","contentEncoding":"base64"}`,
			want:  true,
		},
		"values are not in an encoding": {
			small: `{"enum":["idle","QUI"]}`,
			large: `{"type":"string","contentEncoding":"base64"}`,
		},
		"values may be in an encoding": {
			small: `{"enum":["QU\nI=","QUJ="]}`, // which some decoders take
			large: `{"contentEncoding":"base64"}`,
		},
		"values may be in a foreign encoding": {small: `{"enum":["idle"]}`, large: `{"contentEncoding":"base32"}`},
		"equal numbers are written in several ways": {
			small: `{"enum":[1.50,[2e1],{"a":0.1,"b":1}]}`,
			large: `{"enum":[{"b":1.0,"a":1e-1},[20],1.5]}`,
			want:  true,
		},
		"items with parts are not counted": {
			small: `{"type":"array","uniqueItems":true,"items":{"type":"array","items":{"type":"boolean"},"minItems":1,"maxItems":1}}`,
			large: `{"maxItems":2}`,
		},
		"a definition that applies to itself, which some validators refuse": {
			small: `{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}`,
			large: `{"$ref":"#/$defs/a","$defs":{"a":{"type":"string","allOf":[{"$ref":"#/$defs/a"}]}}}`,
		},
		"a definition that has itself as an arm": {
			small: `{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}`,
			large: `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}}`,
		},
		"a definition with itself in its members": {
			small: `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","properties":{"b":{"$ref":"#/$defs/a"}}}}}`,
			large: `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","properties":{"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}}}`,
			want:  true,
		},
		"a pattern may be within another": {small: `{"type":"string","pattern":"^[a-f]*$"}`, large: `{"pattern":"^[a-z]*$"}`},
		"a format may have a length":      {small: `{"type":"string","format":"date"}`, large: `{"minLength":1}`},
		"values may be divided among arms": {
			small: `{"type":"integer"}`,
			large: `{"anyOf":[{"maximum":0},{"minimum":1}]}`,
		},
		"what is not evaluated": {
			small: `{"type":"object","properties":{"a":{"type":"string"}},"unevaluatedProperties":false}`,
			large: `{"properties":{"a":{"type":"string"}},"unevaluatedProperties":false}`,
		},
		"no item need be contained": {
			small: `{"type":"array","contains":{"type":"string"},"minContains":0}`,
			large: `{"type":"array","contains":{"type":"string"}}`,
		},
		"conditions of two parts": {
			small: `{"allOf":[{"if":{"type":"string"},"then":{"minLength":1}},{"if":{"type":"number"},"then":{"minimum":1}}]}`,
			large: `{"if":{"type":"string"},"then":{"minimum":1}}`,
		},
		"an unknown keyword weakens another": {
			small: `{"type":"string","lacks":1,"unlessEmpty":true}`,
			large: `{"lacks":1}`,
		},
		"conditions, and more": {
			small: `{"if":{"type":"string"},"then":{"minLength":1},"maxLength":4}`,
			large: `{"if":{"type":"string"},"then":{"minLength":1}}`,
			want:  true,
		},
		"an unknown keyword, in another order": {
			small: `{"type":"string","maxLength":1,"hint":{"a":1,"b":[2]}}`,
			large: `{"type":"string","hint":{"b":[2.0],"a":1}}`,
			want:  true,
		},
		"what must not be, and more": {
			small: `{"not":{"const":1},"dependentRequired":{"a":["b"]}}`,
			large: `{"not":{"const":1}}`,
			want:  true,
		},
		"a keyword of an older dialect refers to what has changed": {
			small: `{"dependencies":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"object"}}}`,
			large: `{"dependencies":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"required":["b"]}}}`,
		},
		"an anchor is somewhere": {
			small: `{"properties":{"a":{"$ref":"#d"}},"$defs":{"d":{"$anchor":"d","type":"string"}}}`,
			large: `{"properties":{"a":{"$ref":"#d"}},"$defs":{"d":{"$anchor":"d","type":"number"}}}`,
		},
		"an anchor is somewhere, in all of several": {
			small: `{"anyOf":[{"$ref":"#d"},{"type":"null"}],"$defs":{"d":{"$anchor":"d","type":"string"}}}`,
			large: `{"anyOf":[{"$ref":"#d"},{"type":"null"}],"$defs":{"d":{"$anchor":"d","type":"number"}}}`,
		},
		"a reference by a URL may lead into the schema": {
			small: `{"properties":{"a":{"$ref":"https://example.com/s#/$defs/d"}},"$defs":{"d":{"type":"string"}}}`,
			large: `{"properties":{"a":{"$ref":"https://example.com/s#/$defs/d"}},"$defs":{"d":{"type":"number"}}}`,
		},
		"a reference inside of a part with a URL": {
			small: `{"$ref":"#/$defs/p","$defs":{"d":{"type":"string"},"p":{"$id":"https://example.com/p","properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"string"}}}}}`,
			large: `{"$ref":"#/$defs/p","$defs":{"d":{"type":"string"},"p":{"$id":"https://example.com/p","properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"number"}}}}}`,
		},
		"a dynamic reference": {
			small: `{"properties":{"a":{"$dynamicRef":"#d"}},"$defs":{"d":{"$dynamicAnchor":"d","type":"string"}}}`,
			large: `{"properties":{"a":{"$dynamicRef":"#d"}},"$defs":{"d":{"$dynamicAnchor":"d","type":"number"}}}`,
		},
		"arms, one of which is null": {
			small: `{"oneOf":[{"const":null},{"minLength":2},{"maxLength":4}],"maxLength":9}`,
			large: `{"oneOf":[{"const":null},{"minLength":2},{"maxLength":4}]}`,
			want:  true,
		},
		"no name is an array": {
			small: `{"type":"object","propertyNames":{"type":"array"},"additionalProperties":{"type":"string"}}`,
			large: `{"type":"object","additionalProperties":false}`,
			want:  true,
		},
		"no name is an object": {
			small: `{"type":"object","propertyNames":{"oneOf":[{"type":"object"},{"type":"array"}]},"additionalProperties":{"type":"string"}}`,
			large: `{"type":"object","additionalProperties":false}`,
			want:  true,
		},
		"names of two lists": {
			small: `{"allOf":[{"propertyNames":{"enum":["a","b"]}},{"propertyNames":{"enum":["b","c"]}}],"type":"object"}`,
			large: `{"type":"object","properties":{"b":{}},"additionalProperties":false}`,
			want:  true,
		},
		"a foreign pattern of names may apply to what is listed": {
			small: `{"enum":[{"a":1}]}`,
			large: `{"type":"object","patternProperties":{` + foreign + `:{"type":"string"}}}`,
		},
		"a foreign pattern of names may not apply to what is listed": {
			small: `{"enum":[{"a":1}]}`,
			large: `{"type":"object","patternProperties":{` + foreign + `:{"type":"string"}},"additionalProperties":{"type":"string"}}`,
		},
		"names that are listed may not match a foreign pattern": {
			small: `{"enum":[{"a":1}]}`,
			large: `{"propertyNames":{"pattern":` + foreign + `}}`,
		},
		"what is listed may match a foreign pattern in one of several": {
			small: `{"enum":[["a"]]}`,
			large: `{"items":{"allOf":[{"type":"string"},{"pattern":` + foreign + `}]}}`,
		},
		"what is listed matches another of several": {
			small: `{"enum":[["a"]]}`,
			large: `{"items":{"anyOf":[{"pattern":` + foreign + `},{"type":"string"}]}}`,
			want:  true,
		},
		"what is listed may match two of several": {
			small: `{"enum":[["a"]]}`,
			large: `{"items":{"oneOf":[{"pattern":` + foreign + `},{"type":"string"}]}}`,
		},
		"what is listed is not in a circle": {
			small: `{"enum":[[1]]}`,
			large: `{"items":{"$ref":"#/$defs/a"},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`,
		},
		"what is listed is not elsewhere": {
			small: `{"enum":[[1]]}`,
			large: `{"items":{"$ref":"https://example.com/s"}}`,
		},
		"circles of the same references": {
			small: `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}`,
			large: `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}`,
			want:  true,
		},
		"circles of other references": {
			small: `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}`,
			large: `{"$ref":"#/$defs/b","$defs":{"b":{"$ref":"#/$defs/b"}}}`,
		},
		"more numbers than are looked at": {
			small: `{"type":"integer","minimum":1,"maximum":5000}`,
			large: `{"anyOf":[{"maximum":2500},{"minimum":2501}]}`,
		},
		"a definition that has itself under dependentSchemas, as before": {
			small: `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","dependentSchemas":{"b":{"$ref":"#/$defs/a"}}}}}`,
			large: `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","dependentSchemas":{"b":{"$ref":"#/$defs/a"}}}}}`,
		},
		"a definition that has itself under not, as before": {
			small: `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","not":{"$ref":"#/$defs/a"}}}}`,
			large: `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","not":{"$ref":"#/$defs/a"}}}}`,
		},
		"a definition that has itself under if, as before": {
			small: `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","if":{"$ref":"#/$defs/a"}}}}`,
			large: `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","if":{"$ref":"#/$defs/a"}}}}`,
		},
		"a definition that has itself under allOf, as before": {
			small: `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","allOf":[{"$ref":"#/$defs/a"}]}}}`,
			large: `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","allOf":[{"$ref":"#/$defs/a"}]}}}`,
		},
		"what must not be has another name": {
			small: `{"type":"string","not":{"$ref":"#/$defs/d"},"$defs":{"d":{"const":"x"}}}`,
			large: `{"not":{"$ref":"#/$defs/e"},"$defs":{"e":{"const":"x"}}}`,
			want:  true,
		},
		"what must not be is something else": {
			small: `{"type":"string","not":{"$ref":"#/$defs/d"},"$defs":{"d":{"const":"x"}}}`,
			large: `{"not":{"$ref":"#/$defs/d"},"$defs":{"d":{"const":"y"}}}`,
		},
		"what must not be is nowhere": {
			small: `{"type":"string","not":{"$ref":"#/$defs/d"},"$defs":{"d":{}}}`,
			large: `{"not":{"$ref":"#/$defs/d"}}`,
		},
		"what must not be was nowhere": {
			small: `{"type":"string","not":{"$ref":"#/$defs/d"}}`,
			large: `{"not":{"$ref":"#/$defs/d"},"$defs":{"d":{}}}`,
		},
		"what must not be is an object without a member": {
			small: `{"not":{"properties":{"a":{}}}}`,
			large: `{"not":{"properties":{"a":false}}}`,
		},
		"nothing is listed": {small: `{"enum":[[1]]}`, large: `{"items":{"enum":[]}}`},
		"a multiple of nothing": {
			small: `{"type":"number","multipleOf":0,"minimum":1}`,
			large: `{"minimum":0.5}`,
			want:  true,
		},
		"what is listed is a multiple of nothing": {small: `{"enum":[[1]]}`, large: `{"items":{"multipleOf":0}}`, want: true},
		"fewer than there can be":                 {small: `{"type":"array","maxItems":3}`, large: `{"maxItems":18446744073709551616}`, want: true},
		"more than there can be":                  {small: `{"type":"array","minItems":18446744073709551616}`, large: `{"minItems":3}`, want: true},
		"members whose names may not match a foreign pattern are others": {
			small: `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`,
			large: `{"type":"object","patternProperties":{` + foreign + `:{}},"additionalProperties":{"type":"number"}}`,
		},
		"a text is no number": {small: `{"enum":["1"]}`, large: `{"enum":[1]}`},
		"the names of an object are no text of it": {
			small: `{"enum":[{"a":1,"b":2}]}`,
			large: `{"enum":[{"a\":1,\"b":2}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			small, large := reduced(tt.small), reduced(tt.large)
			o := newOracle(small, large)
			if got := o.contained([]any{small}, large); got != tt.want {
				t.Errorf("contained: %v, want %v", got, tt.want)
			}
			if hurried(small, large, 0, 0).contained([]any{small}, large) {
				t.Error("contained, without steps left")
			}
			for n := range 100 {
				if !tt.want && (hurried(small, large, n, 0).contained([]any{small}, large) || hurried(small, large, baseSteps, maxCompared-n).contained([]any{small}, large)) {
					t.Errorf("contained, with %d steps or levels left", n)
				}
			}
		})
	}
}

// TestOracleOfManyParts: what an answer may cost grows with the schemas.
func TestOracleOfManyParts(t *testing.T) {
	of := func(least int) *object {
		var members []string
		for i := range 4000 {
			members = append(members, fmt.Sprintf(`"m%d":{"type":"array","items":{"type":"string","minLength":%d}}`, i, least))
		}
		return reduced(`{"type":"object","properties":{` + strings.Join(members, ",") + `}}`)
	}
	small, large := of(2), of(1)
	if o := newOracle(small, large); !o.contained([]any{small}, large) || o.left > partSteps*(parts(small)+parts(large)) {
		t.Errorf("it is not known, or costs little: %d steps are left", o.left)
	}
}
