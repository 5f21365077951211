package args

// A Form is what generated code knows about a struct type T that a server asks its user or the client's model for.
// A type has it by a method, for the one and for the other:
//
//	func (T) MCPForm() args.Form[T]
//	func (T) MCPSample() args.Form[T]
//
// The type parameter keeps a struct from taking the form of one that is embedded in it.
type Form[T any] struct {
	Schema string                    // JSON: of the form, as the protocol restricts it, or of what the model writes
	Read   func(*Decoder) (T, error) // of a form, what is valid for the schema; of a model, anything
}
