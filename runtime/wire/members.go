package wire

// Members are the members of a JSON object in their order, where the order matters. Names are unique.
type Members[V any] []Member[V]

// A Member is one name and its value.
type Member[V any] struct {
	Name  string
	Value V
}

// Extra holds the members of an object that no known revision of the protocol declares. Its methods are those of
// [Members].
type Extra = Members[Raw]

// Get returns the value of the member of that name, and whether there is one.
func (m Members[V]) Get(name string) (value V, ok bool) {
	for i := range m {
		if m[i].Name == name {
			return m[i].Value, true
		}
	}
	return value, false
}

// Set replaces the value of the member of that name, or adds the member at the end.
func (m *Members[V]) Set(name string, value V) {
	for i := range *m {
		if (*m)[i].Name == name {
			(*m)[i].Value = value
			return
		}
	}
	*m = append(*m, Member[V]{name, value})
}

// names holds the names that an object with many undeclared members has had so far, to find duplicates; [Object.Once] finds
// those of declared members.
type names map[string]struct{}

const fewNames = 8 // up to which a linear search is faster

// addName reports whether name, which is about to be added to list, is not in it yet. From fewNames on, seen holds
// the names, so that a long list takes linear time.
func addName[V any](seen *names, list Members[V], name string) bool {
	if len(list) < fewNames {
		_, found := list.Get(name)
		return !found
	}
	if *seen == nil {
		*seen = make(names, 4*fewNames)
		for i := range list {
			(*seen)[list[i].Name] = struct{}{}
		}
	}
	if _, found := (*seen)[name]; found {
		return false
	}
	(*seen)[name] = struct{}{}
	return true
}

// DecodeExtra decodes v from the object that has the members x: how an extension finds its own members among those
// that a type of the protocol does not declare.
func DecodeExtra(x Extra, v Decodable) error {
	data, err := Marshal(Any, extraObject(x))
	if err != nil {
		return err
	}
	return DecodeAlias(data, v)
}

// ExtraOf returns the members of the object that v becomes in revision rev. It is the reverse of DecodeExtra.
func ExtraOf(rev Revision, v Encodable) (Extra, error) {
	data, err := Marshal(rev, v)
	if err != nil {
		return nil, err
	}
	var x extraObject
	err = DecodeAlias(data, &x)
	return Extra(x), err
}

// An extraObject is an object without declared members.
type extraObject Extra

var typeExtra = Type{Name: "object"}

func (x extraObject) EncodeWire(e *Encoder) {
	if e.Begin(&typeExtra, true) {
		e.End(&typeExtra, Extra(x))
	}
}

func (x *extraObject) DecodeWire(d *Decoder) {
	o := d.Object(&typeExtra)
	for o.Next() {
		o.Extra((*Extra)(x))
	}
}
