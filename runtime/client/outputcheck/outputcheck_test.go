package outputcheck

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ TOOL-07 TOOL-08 TOOL-09 TOOL-11 JSCH-01 JSCH-02 JSCH-03 JSCH-05 JSCH-06 JSCH-07 JSCH-08 JSCH-09
func TestCheck(t *testing.T) {
	t.Parallel()
	// Each level applies the next one twice.
	var doubling strings.Builder
	for i := range 40 {
		fmt.Fprintf(&doubling, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	for name, test := range map[string]struct{ schema, value, want string }{
		"fits":                     {`{"type":"object","properties":{"a":{"type":"integer"}}}`, `{"a":1.0}`, ""},
		"array":                    {`{"type":"array"}`, `[]`, ""},
		"null":                     {`{"type":"null"}`, `null`, ""},
		"all problems":             {`{"properties":{"a":{"type":"integer"},"b":{"maximum":3}},"required":["c"]}`, `{"a":"x","b":4}`, "a: got string, want integer; b: maximum: got 4, want 3; missing property 'c'"},
		"2020-12":                  {`{"prefixItems":[{"type":"string"}]}`, `[1]`, "[0]: got number, want string"},
		"draft 7":                  {`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}`, `[1]`, "[0]: got number, want string"},
		"2020-12, dependent":       {`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, "properties 'b' required, if 'a' exists"},
		"draft 7, not 2020-12":     {`{"$schema":"http://json-schema.org/draft-07/schema#","prefixItems":[{"type":"string"}]}`, `[1]`, ""},
		"2020-12, items of a list": {`{"items":[{"type":"string"}]}`, `[1]`, "the schema cannot be used: …"},
		"unknown dialect":          {`{"$schema":"https://example.com/dialect"}`, `1`, `the schema cannot be used: failing loading "https://example.com/dialect": references to other documents are not followed`},
		"reference inside":         {`{"$ref":"#/$defs/a","$defs":{"a":{"const":1}}}`, `1`, ""},
		"reference to the network": {`{"$ref":"https://example.com/x"}`, `1`,
			`the schema cannot be used: failing loading "https://example.com/x": references to other documents are not followed`},
		"reference to a file": {`{"$ref":"file:///etc/passwd"}`, `1`,
			`the schema cannot be used: failing loading "file:///etc/passwd": references to other documents are not followed`},
		"reference to a neighbour": {`{"$id":"https://example.com/a","$ref":"b"}`, `1`,
			`the schema cannot be used: failing loading "https://example.com/b": references to other documents are not followed`},
		"invalid schema":   {`{"type":7}`, `1`, "the schema cannot be used: type: got number, want array; type: value must be one of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string'"},
		"no JSON":          {`{"type":`, `1`, "the schema cannot be used: …"},
		"too deep":         {strings.Repeat(`{"not":`, 200) + `{}` + strings.Repeat(`}`, 200), `1`, "the schema cannot be used: …"},
		"too large":        {`{"description":"` + strings.Repeat("x", 2000) + `"}`, `1`, "the schema cannot be used: want at most 2000 bytes, got 2018"},
		"cycle":            {`{"$ref":"#"}`, `1`, "the schema refers to itself without end"},
		"recursion":        {`{"properties":{"a":{"$ref":"#"}},"additionalProperties":false}`, `{"a":{"a":{"b":1}}}`, "a.a: additional properties 'b' not allowed"},
		"too many steps":   {`{"$ref":"#/$defs/d0","$defs":{` + doubling.String() + `"d40":{}}}`, `1`, "validation against the schema takes too many steps"},
		"formats are free": {`{"format":"email"}`, `"x"`, ""},
		"large numbers":    {`{"const":12345678901234567890}`, `12345678901234567891`, "value must be 12345678901234567890"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &Checker{MaxSteps: 100_000}
			if name == "too large" {
				c.MaxSchema = 2000
			}
			start := limits.CPUTime()
			for range 2 { // the second time, the schema is known
				got := ""
				if err := c.Check(t.Context(), wire.Raw(test.schema), wire.Raw(test.value)); err != nil {
					got = err.Error()
				}
				want, begins := strings.CutSuffix(test.want, "…")
				if got != want && !(begins && strings.HasPrefix(got, want)) {
					t.Errorf("got  %s\nwant %s", got, test.want)
				}
			}
			if took := limits.CPUTime() - start; took > 20*time.Second { // with the tests beside it
				t.Errorf("it took %v of the processors", took)
			}
		})
	}
}

func TestCheckValue(t *testing.T) {
	t.Parallel()
	if err := new(Checker).Check(t.Context(), wire.Raw(`{}`), wire.Raw(`{`)); err == nil {
		t.Error("a value that is no JSON is no error")
	}
}

// The schemas that are kept are bounded.
func TestCheckerBound(t *testing.T) {
	t.Parallel()
	c := new(Checker)
	for i := range maxCompiled + 10 {
		schema := wire.Raw(fmt.Sprintf(`{"const":%d}`, i))
		if err := c.Check(t.Context(), schema, wire.Raw(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
		if c.Check(t.Context(), schema, wire.Raw("-1")) == nil {
			t.Fatal("fits")
		}
	}
	if n := c.compiled.Len(); n != maxCompiled {
		t.Errorf("%d schemas are kept, want %d", n, maxCompiled)
	}
}

// So is the length of their texts, and one that is too long for that is used all the same.
func TestCheckerBytes(t *testing.T) {
	t.Parallel()
	c := &Checker{MaxSchema: maxBytes + 1}
	for i, n := range []int{maxBytes, 1 << 20, 1 << 20, 1 << 20, 1<<20 - 1, 2, maxBytes + 1} {
		schema := wire.Raw(fmt.Sprintf(`{"const":%d}`, i) + strings.Repeat(" ", n))[:max(n, 2)]
		if n == 2 {
			schema = wire.Raw(`{}`)
		}
		if err := c.Check(t.Context(), schema, wire.Raw(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
		if _, kept := c.compiled.Get(string(schema)); kept != (len(schema) <= maxBytes) || c.compiled.Size() > maxBytes {
			t.Errorf("%d schemas of %d bytes are kept, the last one: %t", c.compiled.Len(), c.compiled.Size(), kept)
		}
		if i == 4 && c.compiled.Len() != 4 {
			t.Errorf("%d schemas are kept, want the four that there is room for", c.compiled.Len())
		}
	}
	if err := c.Check(t.Context(), wire.Raw(`{}`+strings.Repeat(" ", maxBytes)), wire.Raw("1")); err == nil {
		t.Error("a schema is longer than it may be")
	}
}

// A negative option is no limit.
func TestNoLimits(t *testing.T) {
	t.Parallel()
	large := wire.Raw(`{"items":{"const":1},"description":"` + strings.Repeat("x", 1<<20) + `"}`)
	value := wire.Raw("[1" + strings.Repeat(",1", 200) + "]")
	if err := (&Checker{MaxSteps: 100}).Check(t.Context(), wire.Raw(`{"items":{"const":1}}`), value); err == nil {
		t.Error("a check of more steps than it may take is no error")
	}
	if err := new(Checker).Check(t.Context(), large, value); err == nil {
		t.Error("a schema of more than 1 MiB is no error")
	}
	if err := (&Checker{MaxSchema: -1, MaxSteps: -1}).Check(t.Context(), large, value); err != nil {
		t.Error(err)
	}
}
