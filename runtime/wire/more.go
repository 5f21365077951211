package wire

// The functions here are for code that `mcpgen client` generates: objects whose undeclared members have a type.

// More reads a member that the type does not declare into m, which holds those that came before it in this object.
func More[T any](o *Object, m *map[string]T, decode func(*T, *Decoder)) {
	if _, found := (*m)[o.Name]; found {
		o.duplicate()
		return
	}
	var v T
	if decode(&v, o.d); o.d.err != nil {
		return
	}
	if *m == nil {
		*m = make(map[string]T)
	}
	(*m)[o.Name] = v
}

// PutMore writes the members that the type does not declare, sorted by name, before [Encoder.End]. One that the type
// declares is an error.
func PutMore[T any](e *Encoder, t *Type, m map[string]T, encode func(*T, *Encoder)) {
	var few [fewNames]string
	var v T
	for _, name := range sortedKeys(m, few[:0]) {
		if t.knows(name) {
			e.failMember(name, "want an extra member, got one that the type declares")
			return
		}
		e.Name(name)
		v = m[name]
		encode(&v, e)
	}
}

// Unknown fails because of a member that the type neither declares nor allows.
func (o *Object) Unknown() {
	o.d.fail(o.start, "unknown member "+quote(o.Name)+": the schema allows no others than those that it declares")
}

// PeekRaw returns the value of the member at path, which leads through nested objects, or nil if there is none. It
// fails if what comes next is not an object.
func (d *Decoder) PeekRaw(path ...string) Raw {
	i := d.seek(path)
	if i < 0 {
		return nil
	}
	p := Decoder{data: d.data, pos: i, depth: d.depth}
	raw := p.Raw()
	d.adopt(&p)
	return raw
}

// Into makes a [Decodable] from a value that has no DecodeWire.
func Into[T any](v *T, decode func(*T, *Decoder)) Decodable { return &decodable[T]{v, decode} }

type decodable[T any] struct {
	v      *T
	decode func(*T, *Decoder)
}

func (b *decodable[T]) DecodeWire(d *Decoder) { b.decode(b.v, d) }

// An ArrayEncoder writes an array whose elements differ.
type ArrayEncoder struct {
	e       *Encoder
	skipped bool
	begun   bool
}

// BeginArray begins an array. Each element follows a call of [ArrayEncoder.Next], and the last one [ArrayEncoder.End].
func (e *Encoder) BeginArray() ArrayEncoder {
	e.Enter()
	e.buf = append(e.buf, '[')
	return ArrayEncoder{e: e}
}

// Next begins an element.
func (a *ArrayEncoder) Next() {
	if a.skipped {
		a.e.fail("want no element after one that is absent")
	}
	if a.begun {
		a.e.buf = append(a.e.buf, ',')
	}
	a.begun = true
}

// Skip leaves out an element, so that none may follow.
func (a *ArrayEncoder) Skip() { a.skipped = true }

// End ends the array.
func (a *ArrayEncoder) End() {
	a.e.buf = append(a.e.buf, ']')
	a.e.Leave()
}

// IntOrFloat reads a number: as an integer if it is one that fits 64 bits, or else as a float64.
func (d *Decoder) IntOrFloat() (integer *int64, number *float64) {
	raw := d.RawOf(KindNumber)
	p := Decoder{data: raw}
	if n := p.Int(); p.err == nil {
		return &n, nil
	}
	p = Decoder{data: raw}
	f := p.Float()
	if d.adopt(&p); d.err != nil {
		return nil, nil
	}
	return nil, &f
}
