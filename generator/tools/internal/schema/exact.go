package schema

import (
	"go/constant"
	"go/types"
	"strconv"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// The keywords of exact schemas, for which JSON Schema has no equivalent.
const (
	goType   = "x-go-type"  // the Go type that reads a string, or any value, as it likes
	goMin    = "x-go-min"   // of durations, and of numbers that strings spell
	goMax    = "x-go-max"   //
	goAbove  = "x-go-above" // the same without the bound itself
	goBelow  = "x-go-below" //
	goStep   = "x-go-multipleof"
	goOneOf  = "x-go-oneof"  // lists of members, of each of which exactly one is given
	goMinLen = "x-go-minlen" // in bytes, of base64
	goMaxLen = "x-go-maxlen" //

	known = "x-known" // the values of an enum beside which a result may have others
)

// ExactInput is [Input] with everything that generated code enforces. The keyword x-go-type names the Go type that
// reads a value, if it can refuse values that the schema accepts. The keywords x-go-min, x-go-max, x-go-minlen and
// x-go-maxlen bound durations, numbers in strings, and the bytes that base64 spells.
func ExactInput(t *ir.Tool) string { return (&writer{exact: true}).input(t) }

// ExactOutput is [Output] with the keywords of [ExactInput].
func ExactOutput(t *ir.Tool) string { return (&writer{exact: true, open: true}).output(t) }

// ExactOf is [Of] with the keywords of [ExactInput].
func ExactOf(t *ir.Type) string { return (&writer{exact: true, open: true}).of(t) }

// exactType adds what a type enforces.
func (w *writer) exactType(m *members, t *ir.Type) {
	if !w.exact {
		return
	}
	switch t.Kind {
	case ir.Time, ir.Duration, ir.URL, ir.Text, ir.JSON:
		m.set(goType, quote(types.TypeString(t.Go, nil)))
	}
}

// exactKeys adds what the keys of a map enforce.
func (w *writer) exactKeys(m *members, t *ir.Type) {
	if !w.exact || t.IsClosed() {
		return
	}
	w.exactType(m, t)
	if t.Kind == ir.Int || t.Kind == ir.Uint {
		exactBounds(m, t, nil)
	}
}

// exactQuoted adds what a number enforces that is written as a string.
func (w *writer) exactQuoted(m *members, t *ir.Type, c *ir.Constraints) {
	if !w.exact || t.Kind == ir.Bool || t.IsClosed() {
		return
	}
	exactBounds(m, t, c)
	if c != nil && c.Enum != nil {
		var values []string
		for _, l := range c.Enum {
			values = append(values, quote(l.JSON))
		}
		m.set("enum", list(values))
	}
}

// exactBounds adds the bounds of a number that a string spells: those of a directive, else those of
// its type.
func exactBounds(m *members, t *ir.Type, c *ir.Constraints) {
	for _, k := range bounds(t) {
		switch k.name {
		case "minimum":
			m.set(goMin, k.value)
		case "maximum":
			m.set(goMax, k.value)
		}
	}
	if c != nil && c.Min != nil {
		m.set(goMin, number(c.Min))
	}
	if c != nil && c.Max != nil {
		m.set(goMax, number(c.Max))
	}
	if c != nil && c.Above != nil {
		m.set(goAbove, number(c.Above))
	}
	if c != nil && c.Below != nil {
		m.set(goBelow, number(c.Below))
	}
	if c != nil && c.MultipleOf != "" {
		m.set(goStep, c.MultipleOf)
	}
}

// exactConstraints adds the constraints of durations and bytes in their own units.
func (w *writer) exactConstraints(m *members, t *ir.Type, c *ir.Constraints) {
	if !w.exact || c == nil {
		return
	}
	if c.MultipleOf != "" && !inBinary(c.MultipleOf) {
		m.set(goStep, c.MultipleOf)
	}
	switch t.Kind {
	case ir.Duration:
		set := func(keyword string, v constant.Value) {
			if v != nil {
				m.set(keyword, quote(duration(v)))
			}
		}
		set(goMin, c.Min)
		set(goMax, c.Max)
		set(goAbove, c.Above)
		set(goBelow, c.Below)
	case ir.Bytes:
		set := func(keyword string, n *int) {
			if n != nil {
				m.set(keyword, strconv.Itoa(*n))
			}
		}
		set(goMinLen, c.MinLen)
		set(goMaxLen, c.MaxLen)
	}
}

// oneOf writes lists of names.
func oneOf(lists [][]string) string {
	var all []string
	for _, names := range lists {
		var quoted []string
		for _, name := range names {
			quoted = append(quoted, quote(name))
		}
		all = append(all, list(quoted))
	}
	return list(all)
}
