package wire

// A Type describes a generated struct type to the encoder and the decoder. Generated code has one for each struct and
// never changes it.
type Type struct {
	Name string

	// Members are the names of all members in any revision, those that every revision requires
	// first. A member's index is its number in [Object.Once].
	Members []string

	// Required is how many of Members every revision requires.
	Required int

	// Revisions are those in which the type exists; the zero Span is all of them.
	Revisions Span
}

// knows reports whether name is one of the members.
func (t *Type) knows(name string) bool {
	for _, m := range t.Members {
		if m == name {
			return true
		}
	}
	return false
}
