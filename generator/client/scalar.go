package client

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// buildScalar makes the type of strings, of numbers or of booleans, which several arms may describe.
func (l *lowering) buildScalar(t *typ, list []*flat, class kinds, p place) {
	var values []value
	known := make(map[value]bool)
	open := false
	var mask kinds
	for _, f := range list {
		mask |= f.kinds()
		more, enumerated := f.values()
		open = open || !enumerated
		for _, v := range more {
			if !known[v] {
				known[v] = true
				values = append(values, v)
			}
		}
	}
	many := len(values) > maxValues
	switch {
	case len(values) == 0 && !open:
		l.raw(t, list[0].at, "no value is valid")
		return
	case class == kindBool:
		l.buildBool(t, values, open, p)
		return
	case class == kindString:
		t.kind = stringKind
	case mask&kindFraction == 0:
		l.buildInt(t, list, values)
	default:
		t.kind = floatKind
		large := func(f *flat) bool { return f.kinds()&kindFraction == 0 && f.integers() != intKind }
		if slices.ContainsFunc(values, func(v value) bool { return !isFloat(v.text) || !v.isExact() }) || slices.ContainsFunc(list, large) {
			l.raw(t, list[0].at, "its numbers are beyond those of a float64")
		}
	}
	switch {
	case t.kind == rawKind, many: // the comment says how many
	case len(values) == 1 && !open && p.member && values[0].isExact():
		*t = typ{kind: constKind, value: values[0]}
	case t.kind == stringKind && open && len(values) == 0:
		if !slices.ContainsFunc(list, func(f *flat) bool { return !f.isBase64() }) {
			t.kind = bytesKind
		}
	case len(values) > 0 && !(open && t.kind != stringKind):
		l.buildEnum(t, list, values, open, p)
	}
}

func (l *lowering) buildBool(t *typ, values []value, open bool, p place) {
	t.kind = boolKind
	if !open && len(values) == 1 && p.member {
		*t = typ{kind: constKind, value: values[0]}
	}
}

// maxValues is how many values a type has constants for.
const maxValues = 1000

// buildEnum names a type and its constants.
func (l *lowering) buildEnum(t *typ, list []*flat, values []value, open bool, p place) {
	var at *flat
	if len(list) == 1 {
		at = list[0]
	}
	l.named(t, at, p)
	t.values, t.open = values, open
	for i := range t.values {
		v := &t.values[i]
		word := camel(v.text, "Value"+strconv.Itoa(i+1))
		if v.kind != stringKind {
			word = camel(strings.ReplaceAll(strings.ReplaceAll(v.text, "-", "minus "), ".", " point "), "Value")
			word = strings.TrimPrefix(word, "N")
		}
		v.name = l.g.names.typeName(t.path+"="+v.text, t.name+word)
	}
}

// buildInt finds the Go type that holds all integers of a schema.
func (l *lowering) buildInt(t *typ, list []*flat, values []value) {
	t.kind = intKind
	for _, f := range list {
		if k := f.integers(); k == rawKind || k == uintKind && (len(list) > 1 || len(values) > 0) {
			t.kind = rawKind
		} else if k == uintKind {
			t.kind = uintKind
		}
	}
	for _, v := range values {
		if _, err := strconv.ParseInt(v.text, 10, 64); err != nil {
			t.kind = rawKind
		}
	}
	if t.kind == rawKind {
		l.raw(t, list[0].at, "its integers are beyond those of 64 bits")
	}
}

// integers returns how Go holds the integers of a schema.
func (f *flat) integers() kind {
	least, most := f.bounds()
	unsigned := least != nil && least.Sign() >= 0
	switch format := f.str("format"); {
	case unsigned && (format == "uint64" || format == "uint") && (most == nil || most.Cmp(maxUint64) <= 0):
		return uintKind
	case unsigned && most != nil && most.Cmp(maxInt64) > 0 && most.Cmp(maxUint64) <= 0:
		return uintKind
	case least != nil && least.Cmp(minInt64) < 0, most != nil && most.Cmp(maxInt64) > 0:
		return rawKind
	}
	return intKind
}

var (
	minInt64  = big.NewInt(math.MinInt64)
	maxInt64  = big.NewInt(math.MaxInt64)
	maxUint64 = new(big.Int).SetUint64(math.MaxUint64)
)

// bounds returns the least and the largest valid integer, if the schema bounds them.
func (f *flat) bounds() (least, most *big.Int) {
	for _, n := range f.nodes {
		for _, keyword := range []string{"minimum", "exclusiveMinimum"} {
			if v := bigInt(n.get(keyword)); v != nil && (least == nil || v.Cmp(least) > 0) {
				least = v
			}
		}
		for _, keyword := range []string{"maximum", "exclusiveMaximum"} {
			if v := bigInt(n.get(keyword)); v != nil && (most == nil || v.Cmp(most) < 0) {
				most = v
			}
		}
	}
	return least, most
}

// bigInt returns the integer part of a number, nil if it is none or very large.
func bigInt(n *node) *big.Int {
	if n == nil || n.kind != wire.KindNumber || len(n.text) > 400 {
		return nil
	}
	f, _, err := big.ParseFloat(n.text, 10, 512, big.ToZero)
	if err != nil || f.IsInf() || f.MantExp(nil) > 1024 {
		return nil
	}
	i, _ := f.Int(nil)
	return i
}

// values returns the scalars that a flat enumerates, and whether it enumerates any.
func (f *flat) values() (list []value, enumerated bool) {
	k := f.kinds()
	for _, n := range f.nodes {
		enum := enumOf(n)
		if enum == nil {
			continue
		}
		var own []value
		for _, v := range enum {
			if kindsOf(v)&k != 0 {
				own = append(own, valueOf(v))
			}
		}
		if enumerated {
			before := make(map[value]bool, len(list))
			for _, v := range list {
				before[v] = true
			}
			own = slices.DeleteFunc(own, func(v value) bool { return !before[v] })
		}
		list, enumerated = own, true
	}
	return list, enumerated
}

// valueOf returns a scalar as a value. 1.0 is an integer, as in JSON Schema.
func valueOf(n *node) value {
	switch n.kind {
	case wire.KindString:
		return value{kind: stringKind, text: n.text}
	case wire.KindBool:
		return value{kind: boolKind, text: n.text}
	}
	if text, ok := integer(n.text); ok {
		return value{kind: intKind, text: text}
	}
	return value{kind: floatKind, text: n.text}
}

// integer returns a JSON number without fraction and exponent, if it is an integer that is not very large.
func integer(text string) (string, bool) {
	if !strings.ContainsAny(text, ".eE") {
		return text, true
	}
	if len(text) > 50 {
		return "", false
	}
	f, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
	if err != nil || !f.IsInt() || f.MantExp(nil) > 256 {
		return "", false
	}
	i, _ := f.Int(nil)
	return i.String(), true
}

func isFloat(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// isExact reports whether a float64 has the value, which is how constants are compared.
func (v value) isExact() bool {
	if v.kind != intKind {
		return true
	}
	n, err := strconv.ParseInt(v.text, 10, 64)
	return err == nil && -1<<53 <= n && n <= 1<<53
}

// str returns the first string of a keyword.
func (f *flat) str(keyword string) string {
	for _, n := range f.nodes {
		if s := n.str(keyword); s != "" {
			return s
		}
	}
	return ""
}

// isBase64 reports whether strings are bytes in Base64.
func (f *flat) isBase64() bool {
	return strings.EqualFold(f.str("contentEncoding"), "base64") || f.str("format") == "byte"
}
