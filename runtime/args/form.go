package args

// A Form is what generated code knows about a struct type T that a server asks its user for. A type has it by a method:
//
//	func (T) MCPForm() args.Form[T]
//
// The type parameter keeps a struct from taking the form of one that is embedded in it.
type Form[T any] struct {
	Schema string                    // JSON, as the protocol restricts it
	Read   func(*Decoder) (T, error) // of what is valid for the schema
}
