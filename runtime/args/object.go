package args

import (
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Type describes an object: all arguments of a call, or a struct among them. Generated code has one for each and never
// changes it.
type Type struct {
	Members []Member
	Open    bool    // members with other names are allowed and ignored
	OneOf   [][]int // of the members in each list, by their indexes below 64, exactly one is given
}

// A Member is an argument, or a member of a struct.
type Member struct {
	Name     string
	Required bool
	Null     bool // null is a value of it, even with coercion
}

// An Object reads an object member by member, as generated code does:
//
//	o := d.Object(&typeForecast)
//	for o.Next() {
//		switch o.Name {
//		case "city":
//			a.city = d.String()
//		}
//	}
type Object struct {
	Name string // of the current member, which the type has; its value comes next

	d       *Decoder
	t       *Type
	members wire.Object
	valid   bool // the value is an object; if it is not, that is a problem already, and Next returns false
	start   int
	root    bool
	next    int      // index of the member that is looked for first
	seen    uint64   // bit i: member i was read
	seenToo []uint64 // the same for members from 64 on
	null    uint64   // bit i: member i, of the first 64, was null and so is absent
}

// anyObject declares no members: the members are found here, and not by the wire decoder.
var anyObject wire.Type

// Object starts to read an object.
func (d *Decoder) Object(t *Type) Object {
	o := Object{d: d, t: t}
	o.valid = d.is(wire.KindObject, "an object")
	if o.valid {
		o.start = d.start
		o.root = d.end == 0 // nothing has been read yet
		d.end = d.start + 1
		o.members = d.w.Object(&anyObject)
	}
	return o
}

// Next advances to the next member of the type. It records unknown and duplicate members as problems, and skips nulls
// that mean absence. At the end of the object it records the required members that are missing, and returns false.
func (o *Object) Next() bool {
	if !o.valid {
		return false
	}
	d := o.d
	for o.members.Next() {
		name := o.members.Name
		i := o.find(name)
		switch {
		case i < 0 && o.t.Open:
			d.w.Skip()
			continue
		case i < 0:
			o.unknown(name)
			continue
		case !o.once(i):
			d.begin()
			d.problem(d.start, "", "given twice")
			d.w.Skip()
			continue
		}
		m := &o.t.Members[i]
		if d.coerce && !m.Required && !m.Null && d.w.Null() {
			o.null |= 1 << i
			continue
		}
		o.Name = m.Name
		return true
	}
	o.finish()
	return false
}

// find returns the index of a member, or -1 if the type has none of that name. Members mostly arrive in the order
// of their declarations.
func (o *Object) find(name string) int {
	members := o.t.Members
	for i := o.next; i < len(members); i++ {
		if members[i].Name == name {
			o.next = i + 1
			return i
		}
	}
	for i := range min(o.next, len(members)) {
		if members[i].Name == name {
			o.next = i + 1
			return i
		}
	}
	return -1
}

// once records that member i is read, and reports whether it is the first time.
func (o *Object) once(i int) bool {
	word, bit := &o.seen, uint64(1)<<(i&63)
	if i >= 64 {
		if o.seenToo == nil {
			o.seenToo = make([]uint64, (len(o.t.Members)-1)/64)
		}
		word = &o.seenToo[i/64-1]
	}
	first := *word&bit == 0
	*word |= bit
	return first
}

func (o *Object) came(i int) bool {
	if i < 64 {
		return o.seen&(1<<i) != 0
	}
	return o.seenToo != nil && o.seenToo[i/64-1]&(1<<(i&63)) != 0
}

// unknown skips a member that the type does not have, and records it as a problem, with the name that may have been meant.
func (o *Object) unknown(name string) {
	d := o.d
	d.begin()
	if d.lost() {
		d.w.Skip()
		return
	}
	what := "unknown member"
	if o.root {
		what = "unknown argument"
	}
	if near := nearest(name, o.t.Members); near != "" {
		what += "; did you mean " + near + "?"
	}
	d.problem(d.start, "", what)
	d.w.Skip()
}

func (o *Object) finish() {
	d := o.d
	d.start, d.end, d.good = o.start, d.w.Offset(), true
	for i := range o.t.Members {
		if m := &o.t.Members[i]; m.Required && !o.came(i) {
			d.problem(o.start, m.Name, "required")
		}
	}
	for _, members := range o.t.OneOf {
		o.oneOf(members)
	}
}

// oneOf checks that exactly one of some members is given.
func (o *Object) oneOf(members []int) {
	var all, given []string
	for _, i := range members {
		name := o.t.Members[i].Name
		if all = append(all, name); o.came(i) && o.null&(1<<i) == 0 {
			given = append(given, name)
		}
	}
	if len(given) == 1 || o.d.lost() {
		return
	}
	got := "none"
	if len(given) > 0 {
		got = and(given)
	}
	o.d.good = false
	o.d.problem(o.start, "", "want exactly one of "+and(all)+", got "+got)
}

// and joins names with commas and "and".
func and(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Tag looks ahead, in the object that comes next, for the member that tells the arms of a union apart. It returns
// the value of the member if that is one of values. Otherwise it records a problem, skips the object, and returns
// the empty string.
func (d *Decoder) Tag(name string, values ...string) string {
	if !d.is(wire.KindObject, "an object") {
		return ""
	}
	start := d.start
	value, found := d.w.PeekString(name)
	for _, v := range values {
		if v == value {
			return v
		}
	}
	d.skip()
	if d.good = false; d.full() {
		d.more++
	} else if !found {
		d.problem(start, name, "required")
	} else {
		what := "want " + oneOf(values) + ", got "
		if value == "" {
			what += "another value"
		} else {
			what += quote(value)
		}
		d.problem(start, name, what)
	}
	return ""
}
