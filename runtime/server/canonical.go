package server

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// canonical returns the same text for values that differ only in white space, the order of members, escapes and the
// form of numbers, as values do after a client has decoded and encoded them. A value that can be read in more than
// one way, because of a duplicate member or half of a surrogate pair, equals only the same text. Objects are
// replaced by their hashes, so that nested ones can be sorted without moving all that they contain.
func canonical(raw wire.Raw) []byte {
	w := wire.NewDecoder(raw)
	c := canonicalizer{d: &w}
	c.value()
	if w.Finish() != nil || c.ambiguous {
		return append([]byte("raw "), raw...) // no canonical text begins with this
	}
	return c.out
}

type canonicalizer struct {
	d         *wire.Decoder
	out       []byte
	ambiguous bool
}

var anyObject wire.Type

func (c *canonicalizer) value() {
	d := c.d
	switch d.Kind() {
	case wire.KindString:
		raw := d.Raw()
		s := wire.NewDecoder(raw)
		c.text(s.String(), raw)
	case wire.KindNumber:
		c.number(string(d.Raw()))
	case wire.KindArray:
		open := byte('[')
		for a := d.Array(); a.Next(); open = ',' {
			c.out = append(c.out, open)
			c.value()
		}
		if open == '[' {
			c.out = append(c.out, open)
		}
		c.out = append(c.out, ']')
	case wire.KindObject:
		c.object()
	default:
		c.out = append(c.out, d.Raw()...)
	}
}

// text writes a string that is encoded in raw, or somewhere before it if raw is nil.
func (c *canonicalizer) text(s string, raw wire.Raw) {
	if strings.Contains(s, "\ufffd") && (raw == nil || bytes.Contains(bytes.ToLower(raw), []byte(`\ud`))) {
		c.ambiguous = true
	}
	c.out = wire.AppendString(c.out, s)
}

// object writes the hash of an object whose members are sorted.
func (c *canonicalizer) object() {
	type member struct {
		name     string
		from, to int
	}
	var members []member
	start, sorted := len(c.out), true
	for o := c.d.Object(&anyObject); o.Next(); {
		m := member{name: o.Name, from: len(c.out)}
		c.text(o.Name, nil)
		c.out = append(c.out, ':')
		c.value()
		c.out = append(c.out, ',')
		m.to = len(c.out)
		sorted = sorted && (len(members) == 0 || members[len(members)-1].name < m.name)
		members = append(members, m)
	}
	if !sorted {
		slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
		written := bytes.Clone(c.out[start:])
		c.out = c.out[:start]
		for i, m := range members {
			if i > 0 && members[i-1].name == m.name {
				c.ambiguous = true
			}
			c.out = append(c.out, written[m.from-start:m.to-start]...)
		}
	}
	sum := sha256.Sum256(c.out[start:])
	c.out = append(append(c.out[:start], '{'), sum[:]...)
}

// number writes a number as its digits without zeros at either end, and the power of ten of the last one.
func (c *canonicalizer) number(token string) {
	digits, exponent, _ := strings.Cut(strings.ToLower(token), "e")
	power := 0
	if exponent != "" {
		n, err := strconv.Atoi(exponent)
		if err != nil || n > 1<<30 || n < -1<<30 {
			c.out = append(c.out, token...)
			return
		}
		power = n
	}
	if digits[0] == '-' {
		c.out, digits = append(c.out, '-'), digits[1:]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	power -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	if power += len(digits) - len(trimmed); trimmed == "" {
		power = 0
	}
	c.out = append(append(c.out, '0'), trimmed...)
	c.out = strconv.AppendInt(append(c.out, 'e'), int64(power), 10)
}
