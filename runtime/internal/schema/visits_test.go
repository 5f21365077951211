package schema_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	draft4 = `"$schema":"http://json-schema.org/draft-04/schema#",`
	draft7 = `"$schema":"http://json-schema.org/draft-07/schema#",`
	d2019  = `"$schema":"https://json-schema.org/draft/2019-09/schema",`
)

// Whatever keyword applies a schema twice, to the same value or to what is in it, at each of many levels: it is counted
// before it happens, in every dialect, also where no problem is reported.
//
// REQ JSCH-09
func TestDoublings(t *testing.T) {
	const levels = 24
	nested := func(open, close string) string {
		return strings.Repeat(open, levels) + "1" + strings.Repeat(close, levels)
	}
	object, array := nested(`{"a":`, "}"), nested("[", "]")
	for name, test := range map[string]struct {
		dialect, twice string // NEXT is the schema of the next level
		value          string
		recurs         bool // the next level is the same schema
	}{
		"allOf":                 {"", `"allOf":[NEXT,NEXT]`, "1", false},
		"anyOf":                 {"", `"anyOf":[NEXT,NEXT]`, "1", false},
		"oneOf":                 {"", `"oneOf":[NEXT,NEXT]`, "1", false},
		"not":                   {"", `"not":{"allOf":[NEXT,NEXT]}`, "1", false},
		"if":                    {"", `"if":NEXT,"then":NEXT,"else":NEXT`, "1", false},
		"$ref beside others":    {"", `"allOf":[NEXT],"$ref":"#/$defs/NAME"`, "1", false},
		"dependentSchemas":      {"", `"dependentSchemas":{"a":NEXT},"allOf":[NEXT]`, `{"a":1}`, false},
		"dependencies":          {draft7, `"dependencies":{"a":NEXT},"allOf":[NEXT]`, `{"a":1}`, false},
		"draft 4":               {draft4, `"anyOf":[NEXT,NEXT]`, "1", false},
		"draft 7, all refused":  {draft7, `"not":{"anyOf":[NEXT,NEXT]}`, "1", false},
		"$recursiveRef":         {d2019, `"allOf":[NEXT,{"properties":{"a":{"$recursiveRef":"#"}}}]`, object, true},
		"$dynamicRef":           {"", `"allOf":[NEXT,{"properties":{"a":{"$dynamicRef":"#"}}}]`, object, true},
		"properties":            {"", `"allOf":[{"properties":{"a":NEXT}},{"properties":{"a":NEXT}}]`, object, true},
		"patternProperties":     {"", `"patternProperties":{"a":NEXT,"^a":NEXT}`, object, true},
		"additionalProperties":  {"", `"additionalProperties":NEXT,"allOf":[{"additionalProperties":NEXT}]`, object, true},
		"unevaluatedProperties": {"", `"anyOf":[{"unevaluatedProperties":NEXT,"not":{}}],"not":{"unevaluatedProperties":NEXT}`, object, true},
		"items":                 {"", `"items":NEXT,"contains":NEXT`, array, true},
		"items, draft 7":        {draft7, `"items":NEXT,"allOf":[{"items":[NEXT]}]`, array, true},
		"additionalItems":       {draft7, `"items":[{}],"additionalItems":NEXT,"contains":NEXT`, nested("[0,", "]"), true},
		"prefixItems":           {"", `"prefixItems":[NEXT],"contains":NEXT`, array, true},
		"unevaluatedItems":      {"", `"not":{"unevaluatedItems":NEXT},"allOf":[{"unevaluatedItems":NEXT}]`, array, true},
	} {
		t.Run(name, func(t *testing.T) {
			defs := ""
			for i := range levels {
				next := fmt.Sprintf("d%d", i+1)
				if test.recurs {
					next = "d0"
				}
				defs += fmt.Sprintf(`"d%d":{%s},`, i, strings.NewReplacer("NEXT", `{"$ref":"#/$defs/`+next+`"}`, "NAME", next).Replace(test.twice))
				if test.recurs {
					break
				}
			}
			text := `{` + test.dialect + `"$defs":{` + defs + fmt.Sprintf(`"d%d":{"minimum":2}}`, levels) + `,"allOf":[{"$ref":"#/$defs/d0"}]}`
			if test.recurs && strings.Contains(test.twice, `Ref":"#"`) {
				text = `{` + test.dialect + strings.ReplaceAll(test.twice, "NEXT", `{"properties":{"a":{"$ref":"#"}}}`) + `}`
			}
			s, err := schema.Compile(wire.Raw(text), schema.MaxParts)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Check(context.Background(), wire.Raw(test.value), 50_000); !errors.Is(err, schema.ErrSteps) {
				t.Errorf("got %v, want %v", err, schema.ErrSteps)
			}
		})
	}
}

// Names that are objects' are counted, too.
func TestNamesAreCounted(t *testing.T) {
	s, err := schema.Compile(wire.Raw(`{"propertyNames":{"allOf":[`+strings.TrimSuffix(strings.Repeat(`{"minLength":0},`, 1000), ",")+`]}}`), schema.MaxParts)
	if err != nil {
		t.Fatal(err)
	}
	var value strings.Builder
	for i := range 100 {
		fmt.Fprintf(&value, `,"%d":1`, i)
	}
	if err := s.Check(context.Background(), wire.Raw("{"+value.String()[1:]+"}"), 50_000); !errors.Is(err, schema.ErrSteps) {
		t.Errorf("got %v, want %v", err, schema.ErrSteps)
	}
}

// Where a dynamic reference of a foreign schema leads must be known before the validation.
func TestDynamicReferences(t *testing.T) {
	const several = `{"$id":"a:a","$dynamicAnchor":"x","$defs":{"b":{"$id":"a:b","$dynamicAnchor":"x","items":{"$dynamicRef":"#x"}}},"$ref":"a:b"}`
	if _, err := schema.Compile(wire.Raw(several), schema.MaxParts); err == nil || !strings.Contains(err.Error(), "another $id") {
		t.Errorf("got %v", err)
	}
	for text, parts := range map[string]int{several: 0, `{"$dynamicAnchor":"x","type":"array","items":{"$dynamicRef":"#x"}}`: schema.MaxParts} {
		s, err := schema.Compile(wire.Raw(text), parts)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(context.Background(), wire.Raw(`[[]]`), 0); err != nil {
			t.Error(err)
		}
	}
}

// What leads to other schemas than it seems to, or nowhere, is refused before the validation.
func TestReferencesThatAreRefused(t *testing.T) {
	const meta = "https://json-schema.org/draft/2020-12/"
	for text, want := range map[string]string{
		`{"$dynamicAnchor":"x","$defs":{"b":{"$id":"a:b","$dynamicAnchor":"x","items":{"$dynamicRef":"#x"}}},"$ref":"a:b"}`: "another $id",
		`{"$dynamicAnchor":"meta","allOf":[{"$ref":"` + meta + `schema"},{"$ref":"` + meta + `schema"}]}`:                   "metaschema",
		`{"$dynamicAnchor":"meta","allOf":[{"$dynamicRef":"` + meta + `meta/core#meta"}]}`:                                  "metaschema",
		`{` + d2019 + `"$recursiveAnchor":true,"allOf":[{"$ref":"https://json-schema.org/draft/2019-09/schema"}]}`:          "metaschema",
		`{"$ref":"#"}`: "without end",
		`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"properties":{"items":{"$ref":"#/$defs/a"}}},{"$ref":"#/$defs/b"}]},"b":{"$ref":"#/$defs/a"}}}`: "without end",
	} {
		s, err := schema.Compile(wire.Raw(text), schema.MaxParts)
		if err == nil {
			err = s.Check(context.Background(), wire.Raw(`{"items":[{}]}`), 50_000)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want ... %s", text, err, want)
		}
	}
}

// The steps are those of the validator: a schema that calls itself in two places, of which each value fits one, takes as
// many as the value has parts.
func TestRecursionIsCheap(t *testing.T) {
	const deep = 60
	for text, value := range map[string]string{
		`{"properties":{"a":{"$ref":"#"}},"additionalProperties":{"$ref":"#"}}`:                                 strings.Repeat(`{"a":`, deep) + "1" + strings.Repeat("}", deep),
		`{"patternProperties":{"a":{"$ref":"#"}},"unevaluatedProperties":{"$ref":"#"}}`:                         strings.Repeat(`{"a":`, deep) + "1" + strings.Repeat("}", deep),
		`{"dependentSchemas":{"b":{"properties":{"a":{"$ref":"#"}}}},"properties":{"a":{"$ref":"#"}}}`:          strings.Repeat(`{"a":`, deep) + "1" + strings.Repeat("}", deep),
		`{"prefixItems":[{"$ref":"#"}],"items":{"$ref":"#"}}`:                                                   strings.Repeat("[", deep) + "1" + strings.Repeat("]", deep),
		`{"anyOf":[{"type":"object","additionalProperties":{"$ref":"#"}},{"items":{"$ref":"#"}}]}`:              strings.Repeat("[", deep) + "1" + strings.Repeat("]", deep),
		`{` + draft7 + `"items":[{"$ref":"#"}],"additionalItems":{"$ref":"#"}}`:                                 strings.Repeat("[", deep) + "1" + strings.Repeat("]", deep),
		`{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"http://json-schema.org/draft-07/schema"}`: strings.Repeat(`{"items":`, deep) + "{}" + strings.Repeat("}", deep),
	} {
		s, err := schema.Compile(wire.Raw(text), schema.MaxParts)
		if err == nil {
			err = s.Check(context.Background(), wire.Raw(value), 2000)
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A schema is safe for concurrent use also where values are regular expressions.
func TestRegexFormat(t *testing.T) {
	s, err := schema.Compile(wire.Raw(`{`+draft7+`"items":{"format":"regex"}}`), 0)
	if err != nil {
		t.Fatal(err)
	}
	var checks sync.WaitGroup
	for i := range 8 {
		checks.Go(func() {
			for j := range 100 {
				if err := s.Check(context.Background(), wire.Raw(fmt.Sprintf(`["(?:a{31}){30}%d,%d"]`, i, j)), 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	checks.Wait()
	if err := s.Check(context.Background(), wire.Raw(`["("]`), 0); err == nil {
		t.Error("( is taken for a regular expression")
	}
}
