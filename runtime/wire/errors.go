package wire

import "strconv"

// A DecodeError says why a value cannot be decoded.
type DecodeError struct {
	Type   string // the type that was decoded, "CallToolResult"; empty if it has no name
	Path   string // the place in it, "content[2].text"; empty for the value itself
	Offset int64  // of the place in the input, in bytes
	Msg    string // "want string, got number"
}

func (e *DecodeError) Error() string { return joinError(e.Type, e.Path, e.Msg) }

// An EncodeError says why a value cannot be encoded.
type EncodeError struct {
	Type string // the type that was encoded, "CallToolResult"; empty if it has no name
	Path string // the place in it, "content[2].text"; empty for the value itself
	Msg  string
}

func (e *EncodeError) Error() string { return joinError(e.Type, e.Path, e.Msg) }

func joinError(typ, path, msg string) string {
	if path != "" {
		msg = path + ": " + msg
	}
	if typ != "" {
		return typ + ": " + msg
	}
	return "wire: " + msg
}

// maxQuoted is how many bytes of the input an error message repeats.
const maxQuoted = 40

// quote returns s in quotes for a message, cut if it is long.
func quote(s string) string {
	if len(s) > maxQuoted {
		return strconv.QuoteToGraphic(s[:maxQuoted]) + "…"
	}
	return strconv.QuoteToGraphic(s)
}
