package wire

// The functions here look into the object that comes next without reading it. Generated code uses them to tell the
// arms of a union apart.

// PeekString looks for the member at path, which leads through nested objects. It returns the value if that is a
// string, and whether the member is present and not null. It fails if what comes next is not an object.
func (d *Decoder) PeekString(path ...string) (value string, found bool) {
	i := d.seek(path)
	if i < 0 || d.data[i] == 'n' {
		return "", false
	}
	if d.data[i] != '"' {
		return "", true
	}
	p := Decoder{data: d.data, pos: i}
	value = p.String()
	d.adopt(&p)
	return value, true
}

// PeekKey reports whether there is a member at path, which leads through nested objects. It fails if what comes
// next is not an object.
func (d *Decoder) PeekKey(path ...string) bool { return d.seek(path) >= 0 }

// seek returns the index of the value of the member at path, or -1 if there is none.
func (d *Decoder) seek(path []string) int {
	if i := d.next(); i >= len(d.data) || d.data[i] != '{' {
		d.want("object", i)
		return -1
	}
	p := Decoder{data: d.data, pos: d.pos, depth: d.depth}
	for len(path) > 0 && p.Kind() == KindObject {
		if !p.enter(path[0]) {
			d.adopt(&p)
			return -1
		}
		path = path[1:]
	}
	if i := p.next(); len(path) == 0 && i < len(p.data) {
		return i
	}
	return -1
}

// enter advances to the value of the member of that name in the object that comes next.
func (d *Decoder) enter(name string) bool {
	o := d.Object(&anyObject)
	for o.Next() {
		if o.Name == name {
			return true
		}
		d.Skip()
	}
	return false
}

// adopt takes the error of p, which looked ahead in the same data.
func (d *Decoder) adopt(p *Decoder) {
	if p.err != nil {
		d.fail(int(p.err.Offset), p.err.Msg)
	}
}
