package wire

import "strconv"

// An Object reads an object member by member, as generated code does:
//
//	o := d.Object(&typeRoot)
//	for o.Next() {
//		switch o.Name {
//		case "uri":
//			o.Once(0)
//			v.URI = d.String()
//		default:
//			o.Extra(&v.Extra)
//		}
//	}
type Object struct {
	Name string // of the current member; its value comes next

	d     *Decoder
	t     *Type
	seen  uint64 // bit i: member i of the type was read
	start int
	begun bool
	extra names
}

// Object starts to read an object of type t.
func (d *Decoder) Object(t *Type) Object {
	if d.root == nil {
		d.root = t
	}
	i := d.open('{', "object")
	return Object{d: d, t: t, start: i}
}

// open reads the bracket that begins an array or an object, and returns its offset.
func (d *Decoder) open(bracket byte, what string) int {
	i := d.next()
	if i >= len(d.data) || d.data[i] != bracket {
		d.want(what, i)
		return i
	}
	if d.depth == MaxDepth {
		d.tooDeep(i)
		return i
	}
	d.depth++
	d.pos = i + 1
	return i
}

func (d *Decoder) tooDeep(i int) {
	d.fail(i, "nesting is deeper than "+strconv.Itoa(MaxDepth)+" levels")
}

// Next advances to the next member. It returns false at the end of the object, after it has noted the
// required members that are missing.
func (o *Object) Next() bool {
	d := o.d
	b, i := d.data, d.next()
	if i < len(b) {
		switch c := b[i]; {
		case c == '}':
			d.pos = i + 1
			d.depth--
			if missing := (1<<o.t.Required - 1) &^ o.seen; missing != 0 {
				o.miss(missing)
			}
			return false
		case c == ',' && o.begun:
			if i++; i < len(b) && b[i] <= ' ' {
				i = skipSpace(b, i)
			}
		case o.begun:
			d.unexpected("',' or '}' after a member", i)
			return false
		}
	}
	o.begun = true
	if i >= len(b) || b[i] != '"' {
		d.unexpected("a member's name", i)
		return false
	}
	end, escaped, ok := scanString(b, i+1)
	if !ok {
		d.badString(end)
		return false
	}
	if o.Name = text(b[i+1 : end]); escaped {
		o.Name = unescape(b[i+1 : end])
	}
	if end++; end < len(b) && b[end] <= ' ' {
		end = skipSpace(b, end)
	}
	if end >= len(b) || b[end] != ':' {
		d.unexpected("':' after a member's name", end)
		return false
	}
	d.pos = end + 1
	return true
}

// unexpected fails because of what is at i, where something of JSON's syntax should be.
func (d *Decoder) unexpected(want string, i int) {
	if d.err == nil {
		d.fail(i, "want "+want+", got "+found(d.data, i)+at(i))
	}
}

// Once notes that member i of the type is read. A duplicate is an error.
//
// It is not inlined, as [Encoder.Key] is not: 0.03 MB.
//
//go:noinline
func (o *Object) Once(i int) {
	if o.seen&(1<<i) != 0 {
		o.duplicate()
	}
	o.seen |= 1 << i
}

func (o *Object) duplicate() {
	// The name itself has been read, so the error is about the object.
	o.d.fail(o.start, "duplicate member "+quote(o.Name))
}

// Extra reads a member that the type does not declare, and appends it to list, which holds those that came
// before it in this object.
func (o *Object) Extra(list *Extra) {
	if !addName(&o.extra, *list, o.Name) {
		o.duplicate()
		return
	}
	if value := o.d.Raw(); o.d.err == nil {
		*list = append(*list, Member[Raw]{o.Name, value})
	}
}

// miss records the required members that are missing, a bit for each. The error comes at the end, and lists those of all
// objects.
func (o *Object) miss(missing uint64) {
	d := o.d
	for i, name := range o.t.Members[:o.t.Required] {
		switch {
		case missing&(1<<i) == 0:
		case len(d.missing) < maxMissing:
			d.missing = append(d.missing, absence{o.start, name})
		default:
			if d.lost++; d.lost == maxLost {
				d.fail(d.missing[0].object, "")
				return
			}
		}
	}
}
