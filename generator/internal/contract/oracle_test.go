package contract

import "testing"

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
		"equal numbers are written in several ways": {
			small: `{"enum":[1.50,[2e1],{"a":0.1,"b":1}]}`,
			large: `{"enum":[{"b":1.0,"a":1e-1},[20],1.5]}`,
			want:  true,
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
			o = newOracle(small, large)
			if o.left = 0; o.contained([]any{small}, large) {
				t.Error("contained, without steps left")
			}
		})
	}
}
