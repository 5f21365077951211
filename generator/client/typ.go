package client

// A kind is a way to hold values in Go.
type kind int

const (
	rawKind    kind = iota // wire.Raw
	stringKind             // string, or a named string with constants
	intKind                // int64, or a named one with constants
	uintKind               // uint64
	floatKind              // float64, or a named one with constants
	boolKind               // bool
	bytesKind              // wire.Base64
	structKind             // a named struct
	tupleKind              // a named struct that is an array in JSON
	unionKind              // a named struct with a field for each arm
	listKind               // a slice
	mapKind                // a map
	nullKind               // elem, or null
	constKind              // one scalar value: a member without a field
)

// A typ is the Go type that is made from a schema.
type typ struct {
	kind kind
	name string // of the Go type, if it has one
	path string // by which the name is kept, where there is one
	doc  string
	elem *typ // listKind, mapKind, nullKind; structKind: the members that are not declared, nil if any may be there

	fields []*field // structKind, tupleKind
	index  map[string]*field
	closed bool    // structKind, tupleKind: nothing may be there that is not declared
	values []value // enumerated values
	open   bool    // there may be other values
	value  value   // constKind
	arms   []*arm  // unionKind
	test   *test   // unionKind: how objects are told apart
	why    string  // rawKind: why it is not another one; structKind: what else is in Extra

	recursive bool // it contains itself
}

// A value is a scalar of a schema.
type value struct {
	kind kind   // stringKind, intKind, floatKind, boolKind, nullKind
	text string // the string, or the JSON text
	name string // of the constant
}

// A field is a member of an object, or an element of a tuple.
type field struct {
	key      string
	name     string // in Go
	path     string
	typ      *typ
	required bool
	doc      string
	at       Untyped // its place
}

// An arm is one of the types of a union.
type arm struct {
	class kinds
	name  string // of the field
	path  string
	typ   *typ
	doc   string
}

// A test determines the arm of an object.
type test struct {
	member string
	cases  []testCase // by the value of the member
	keys   []keyCase  // by the presence of members, in order
	other  int        // the arm of all others, or -1
	proven bool       // by keys: an object that has one cannot be valid as another arm
}

type testCase struct {
	values []value
	arm    int
}

type keyCase struct {
	member string
	arm    int
}

// named reports whether the Go type has methods of its own.
func (t *typ) named() bool {
	switch t.kind {
	case structKind, tupleKind, unionKind:
		return true
	case listKind, mapKind:
		return t.name != ""
	}
	return false
}

// hasNil reports whether the Go type has a nil, which then means absence or null.
func (t *typ) hasNil() bool {
	switch t.kind {
	case rawKind, listKind, mapKind:
		return true
	case nullKind:
		return true
	}
	return false
}

// ownName returns the name of the Go type, or that of the type of which it is null, too.
func (t *typ) ownName() string {
	if t.kind == nullKind {
		return t.elem.name
	}
	return t.name
}
