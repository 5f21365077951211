package wire

import "slices"

// The functions that write arrays and maps take a function that writes one element, for generated structs the
// method expression (*T).EncodeWire.

// PutSlice writes an array. A nil slice becomes an empty array.
//
//go:noinline
func PutSlice[T any](e *Encoder, list []T, encode func(*T, *Encoder)) {
	e.buf = append(e.buf, '[')
	for i := range list {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		encode(&list[i], e)
	}
	e.buf = append(e.buf, ']')
}

// PutOneOrMany writes an array, or the element itself if there is exactly one.
func PutOneOrMany[T any](e *Encoder, list []T, encode func(*T, *Encoder)) {
	if len(list) == 1 {
		encode(&list[0], e)
		return
	}
	PutSlice(e, list, encode)
}

// PutMap writes an object with its members sorted by name. A nil map becomes an empty object.
func PutMap[T any](e *Encoder, m map[string]T, encode func(*T, *Encoder)) {
	e.buf = append(e.buf, '{')
	var few [fewNames]string
	var v T
	for _, name := range sortedKeys(m, few[:0]) {
		e.Name(name)
		v = m[name]
		encode(&v, e)
	}
	e.buf = append(e.buf, '}')
}

// sortedKeys returns the keys of m in order, in the given buffer if they fit.
func sortedKeys[T any](m map[string]T, keys []string) []string {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Raws writes an object of raw values, as [PutMap] does, but without an allocation.
func (e *Encoder) Raws(m map[string]Raw) {
	e.buf = append(e.buf, '{')
	var few [fewNames]string
	for _, name := range sortedKeys(m, few[:0]) {
		e.Name(name)
		e.Raw(m[name])
	}
	e.buf = append(e.buf, '}')
}

// PutString writes a string.
func PutString[T ~string](v *T, e *Encoder) { e.String(string(*v)) }

// PutInt writes an integer.
func PutInt(v *int64, e *Encoder) { e.Int(*v) }

// PutFloat writes a number.
func PutFloat(v *float64, e *Encoder) { e.Float(*v) }

// PutBool writes a boolean.
func PutBool(v *bool, e *Encoder) { e.Bool(*v) }

// PutOrdered writes an object with its members in order. A duplicate member is an error.
func PutOrdered[T any](e *Encoder, list Members[T], encode func(*T, *Encoder)) {
	e.buf = append(e.buf, '{')
	var seen names
	for i := range list {
		if !addName(&seen, list[:i], list[i].Name) {
			e.failMember(list[i].Name, "duplicate member")
			return
		}
		e.Name(list[i].Name)
		encode(&list[i].Value, e)
	}
	e.buf = append(e.buf, '}')
}
