package args

import (
	"bytes"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Any reads a value of any kind as nil, bool, string, []any, map[string]any or a number: an int64 if it is written as an
// integer, a *[big.Int] if it is an integer that exceeds 64 bits, and otherwise a float64, as -0 is, too.
func (d *Decoder) Any() any {
	switch d.begin() {
	case wire.KindNull:
		d.w.Null()
	case wire.KindBool:
		return d.w.Bool()
	case wire.KindString:
		return d.w.String()
	case wire.KindNumber:
		return d.anyNumber()
	case wire.KindArray:
		list := []any{}
		for a := d.w.Array(); a.Next(); {
			list = append(list, d.Any())
		}
		return list
	case wire.KindObject:
		m := map[string]any{}
		for o := d.w.Object(&anyObject); o.Next(); {
			if _, duplicate := m[o.Name]; duplicate {
				d.begin()
				d.problem(d.start, "", "given twice")
			}
			m[o.Name] = d.Any()
		}
		return m
	default:
		d.w.Skip() // which fails
	}
	return nil
}

// Kind returns the kind of the value that comes next.
func (d *Decoder) Kind() wire.Kind { return d.w.Kind() }

// Type looks ahead at the value that comes next. It returns the type that JSON Schema has for it if that is one of types, or if
// integer is and the value is a number. Otherwise it records a problem, skips the value, and returns the empty string.
func (d *Decoder) Type(types ...string) string {
	is := d.begin().String()
	if slices.Contains(types, is) || is == "number" && slices.Contains(types, "integer") {
		return is
	}
	d.skip()
	d.want(typesText(types))
	return ""
}

// typesText names types for a message.
func typesText(types []string) string {
	if len(types) == 0 {
		return "another value"
	}
	var all []string
	for _, t := range types {
		switch t {
		case "null":
		case "array", "object", "integer":
			t = "an " + t
		default:
			t = "a " + t
		}
		all = append(all, t)
	}
	last := len(all) - 1
	if last == 0 {
		return all[0]
	}
	return strings.Join(all[:last], ", ") + " or " + all[last]
}

// anyNumber reads a number of no declared type: as an int64 if it is one, as a *big.Int if it is a larger integer, else as a
// float64.
func (d *Decoder) anyNumber() any {
	token := d.w.Raw()
	d.end = d.w.Offset()
	if !bytes.ContainsAny(token, ".eE") {
		if string(token) == "-0" {
			return math.Copysign(0, -1) // there is no such integer
		}
		if n, err := strconv.ParseInt(string(token), 10, 64); err == nil {
			return n
		}
		if len(token) > maxDigits {
			d.want("an integer of at most " + strconv.Itoa(maxDigits) + " digits")
			return nil
		}
		n, _ := new(big.Int).SetString(string(token), 10)
		return n
	}
	f, err := strconv.ParseFloat(string(token), 64)
	if err != nil {
		d.want("a number in the range of double precision")
		return nil
	}
	return f
}
