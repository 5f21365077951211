package args

import (
	"encoding"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The functions that read arrays and maps take a function that reads one element.

// Slice reads an array. The slice is nil only if there is no array.
func Slice[T any](d *Decoder, elem func(*T, *Decoder)) []T {
	if !d.is(wire.KindArray, "an array") {
		return nil
	}
	start, list := d.start, []T{}
	for a := d.w.Array(); a.Next(); {
		list = append(list, *new(T))
		elem(&list[len(list)-1], d)
	}
	d.start, d.end, d.good = start, d.w.Offset(), true
	return list
}

// Option reads a value, or the null in its place. Elem reads the value.
func Option[T any](d *Decoder, elem func(*T, *Decoder)) wire.Option[T] {
	if d.w.Null() {
		return wire.Null[T]()
	}
	var v T
	elem(&v, d)
	return wire.Some(v)
}

// Array reads an array with exactly as many elements as list.
func Array[T any](d *Decoder, list []T, elem func(*T, *Decoder)) {
	if !d.is(wire.KindArray, "an array") {
		return
	}
	start, n := d.start, 0
	for a := d.w.Array(); a.Next(); n++ {
		if n < len(list) {
			elem(&list[n], d)
		} else {
			d.w.Skip()
		}
	}
	d.start, d.end, d.good = start, d.w.Offset(), true
	d.Count(n, len(list), len(list), "item")
}

// Map reads an object with members of one type. The map is nil only if there is no object. Key returns the key for the
// name of a member; see [Decoder.NameIn] and the methods after it.
func Map[K comparable, V any](d *Decoder, key func(*Decoder, string) K, elem func(*V, *Decoder)) map[K]V {
	if !d.is(wire.KindObject, "an object") {
		return nil
	}
	start, m := d.start, map[K]V{}
	for o := d.w.Object(&anyObject); o.Next(); {
		d.begin()
		d.badName = false
		k := key(d, o.Name)
		if _, duplicate := m[k]; duplicate && !d.badName {
			d.problem(d.start, "", "given twice")
			d.badName = true
		}
		if d.badName {
			d.w.Skip()
			continue
		}
		var v V
		elem(&v, d)
		m[k] = v
	}
	d.start, d.end, d.good = start, d.w.Offset(), true
	return m
}

// noName records that the name of a member is not in list.
func (d *Decoder) noName(list []string) {
	if d.badName = true; !d.lost() {
		d.wantName(oneOf(list))
	}
}

func (d *Decoder) wantName(what string) {
	d.badName = true
	d.problem(d.start, "", "the name must be "+what)
}

// NameIn checks that the name of a member is in list.
func (d *Decoder) NameIn(name string, list ...string) string {
	for _, s := range list {
		if s == name {
			return s
		}
	}
	d.noName(list)
	return ""
}

// NameLength checks how many characters (Unicode code points) the name of a member has.
func (d *Decoder) NameLength(name string, min, max int) {
	if d.badName {
		return
	}
	if what := miscount(utf8.RuneCountInString(name), min, max, "character"); what != "" {
		d.badName = true
		d.problem(d.start, "", "the name must have "+strings.TrimPrefix(what, "want "))
	}
}

// NameFormat checks that the name of a member has a format. See [Decoder.Format].
func (d *Decoder) NameFormat(name, what string, is func(string) bool) {
	if !d.badName && !is(name) {
		d.wantName(what)
	}
}

// NameInt reads an integer from the name of a member.
func (d *Decoder) NameInt(name string, min, max int64) int64 {
	n, err := strconv.ParseInt(name, 10, 64)
	switch {
	case !isNumber([]byte(name)) || !isCanonical([]byte(name)):
		d.wantName("an integer")
	case n < min: // also if it exceeds 64 bits: n is then the nearest int64
		d.wantName("an integer of at least " + strconv.FormatInt(min, 10))
	case n > max || err != nil:
		d.wantName("an integer from " + strconv.FormatInt(min, 10) + " to " + strconv.FormatInt(max, 10))
	default:
		return n
	}
	return 0
}

// NameUint reads an integer that is not negative from the name of a member.
func (d *Decoder) NameUint(name string, max uint64) uint64 {
	n, err := strconv.ParseUint(name, 10, 64)
	if err != nil || n > max || !isNumber([]byte(name)) {
		d.wantName("an integer from 0 to " + strconv.FormatUint(max, 10))
		return 0
	}
	return n
}

// NameText sets v to the name of a member. An error of v becomes a problem.
func (d *Decoder) NameText(name string, v encoding.TextUnmarshaler) {
	if err := v.UnmarshalText([]byte(name)); err != nil {
		d.badName = true
		d.refuse(err)
	}
}
