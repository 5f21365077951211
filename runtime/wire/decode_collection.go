package wire

// The functions that read arrays and maps take a function that reads one element, for generated structs the
// method expression (*T).DecodeWire.

// Slice reads an array. The slice is not nil unless there is an error.
func Slice[T any](d *Decoder, decode func(*T, *Decoder)) []T {
	start := d.open('[', "array")
	if d.endArray() {
		return []T{}
	}
	var list []T
	for {
		if len(list) == cap(list) {
			list = grow(list, d.pos-start, len(d.data)-d.pos)
		}
		list = list[:len(list)+1]
		decode(&list[len(list)-1], d)
		if !d.nextElement() {
			break
		}
	}
	if d.err != nil {
		return nil
	}
	return list
}

// grow returns list with room for more elements. It estimates how many there will be from the bytes that the
// elements so far took and the bytes that are left, and allocates at most a few times what is already there,
// so that a wrong estimate costs little.
func grow[T any](list []T, took, left int) []T {
	n := len(list)
	room := 4
	if n > 0 {
		room = min(left*n/took+1, 7*n)
	}
	grown := make([]T, n, n+room)
	copy(grown, list)
	return grown
}

// OneOrMany reads an array, or one value that stands for an array of one.
func OneOrMany[T any](d *Decoder, decode func(*T, *Decoder)) []T {
	if d.Kind() == KindArray {
		return Slice(d, decode)
	}
	list := make([]T, 1)
	decode(&list[0], d)
	return list
}

// Pointer reads a value, or a null as nil.
func Pointer[T any](d *Decoder, decode func(*T, *Decoder)) *T {
	if d.Null() {
		return nil
	}
	v := new(T)
	decode(v, d)
	return v
}

// Map reads an object with members of one type. The map is not nil unless there is an error.
func Map[T any](d *Decoder, decode func(*T, *Decoder)) map[string]T {
	m := make(map[string]T)
	o := d.Object(&anyObject)
	var v, zero T // v escapes to the heap, but only once
	for o.Next() {
		if _, found := m[o.Name]; found {
			o.duplicate()
			return nil
		}
		v = zero
		decode(&v, d)
		m[o.Name] = v
	}
	if d.err != nil {
		return nil
	}
	return m
}

// anyObject is the type of objects that have no declared members.
var anyObject Type

// Ordered reads an object with members of one type and keeps their order. The list is not nil unless there is an
// error.
func Ordered[T any](d *Decoder, decode func(*T, *Decoder)) Members[T] {
	list := Members[T]{}
	o := d.Object(&anyObject)
	for o.Next() {
		if !addName(&o.extra, list, o.Name) {
			o.duplicate()
			return nil
		}
		list = append(list, Member[T]{Name: o.Name})
		decode(&list[len(list)-1].Value, d)
	}
	if d.err != nil {
		return nil
	}
	return list
}

// endArray reads the end of an array if it comes next, and reports whether it did.
func (d *Decoder) endArray() bool {
	i := d.next()
	if i < len(d.data) && d.data[i] == ']' {
		d.pos = i + 1
		d.depth--
		return true
	}
	return false
}

// nextElement reads what follows an element of an array, and reports whether it is another one.
func (d *Decoder) nextElement() bool {
	i := d.next()
	if i < len(d.data) {
		switch d.data[i] {
		case ',':
			d.pos = i + 1
			return true
		case ']':
			d.pos = i + 1
			d.depth--
			return false
		}
	}
	d.unexpected("',' or ']' after an element", i)
	return false
}

// GetString reads a string.
func GetString[T ~string](v *T, d *Decoder) { *v = T(d.String()) }

// GetInt reads an integer.
func GetInt(v *int64, d *Decoder) { *v = d.Int() }

// GetFloat reads a number.
func GetFloat(v *float64, d *Decoder) { *v = d.Float() }

// GetBool reads a boolean.
func GetBool(v *bool, d *Decoder) { *v = d.Bool() }
