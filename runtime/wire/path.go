package wire

import (
	"strconv"
	"unicode/utf8"
)

// A step is one array or object on the way to a place in a JSON text.
type step struct {
	object  bool
	inValue bool   // the place is inside the current element or member
	key     []byte // of the current member, as written
	index   int    // of the current element
}

// maxPath is how long a path in an error message may be. Of a longer one, the end is kept.
const maxPath = 200

// pathAt returns the path of the value that begins at offset or contains it. The text before offset must be the
// beginning of valid JSON; what follows does not matter.
func pathAt(data []byte, offset int) string {
	var steps []step
	done := func() { // a value is complete
		if n := len(steps); n > 0 {
			steps[n-1].inValue = false
		}
	}
	offset = min(offset, len(data))
	for i := 0; i < offset; {
		var top *step
		if n := len(steps); n > 0 {
			top = &steps[n-1]
		}
		switch c := data[i]; c {
		case ' ', '\t', '\r', '\n':
			i++
		case '{', '[':
			steps = append(steps, step{object: c == '{', inValue: c == '['})
			i++
		case '}', ']':
			if top != nil {
				steps = steps[:len(steps)-1]
			}
			done()
			i++
		case ',':
			if top != nil && !top.object {
				top.index++
				top.inValue = true
			}
			i++
		case ':':
			if top != nil {
				top.inValue = true
			}
			i++
		default:
			end := tokenEnd(data, i)
			if end > offset {
				i = offset
				break
			}
			if top != nil && !top.inValue {
				top.key = data[i:end]
			} else {
				done()
			}
			i = end
		}
	}
	var path []byte
	for _, s := range steps {
		switch {
		case !s.inValue:
		case s.object:
			path = appendName(path, memberName(s.key))
		default:
			path = append(path, '[')
			path = strconv.AppendInt(path, int64(s.index), 10)
			path = append(path, ']')
		}
	}
	if len(path) <= maxPath {
		return string(path)
	}
	cut := len(path) - maxPath
	for !utf8.RuneStart(path[cut]) {
		cut++
	}
	return "…" + string(path[cut:])
}

// tokenEnd returns the end of the string, number or word that begins at i.
func tokenEnd(data []byte, i int) int {
	if data[i] == '"' {
		for i++; i < len(data) && data[i] != '"'; i++ {
			if data[i] == '\\' {
				i++
			}
		}
		return i + 1
	}
	for i < len(data) {
		switch data[i] {
		case ' ', '\t', '\r', '\n', ',', ':', '{', '}', '[', ']':
			return i
		}
		i++
	}
	return i
}

// memberName returns the name that is written as the string token key.
func memberName(key []byte) string {
	return unescape(key[1 : len(key)-1])
}

// appendName appends a member's name to a path: ".name", or `["io.x/y"]` if the name is not an identifier.
func appendName(path []byte, name string) []byte {
	if !isIdentifier(name) {
		path = append(path, '[')
		path = append(path, quote(name)...)
		return append(path, ']')
	}
	if len(path) > 0 {
		path = append(path, '.')
	}
	return append(path, name...)
}

// joinPath returns the path of a member of the value at path.
func joinPath(path, name string) string { return string(appendName([]byte(path), name)) }

func isIdentifier(name string) bool {
	if name == "" || len(name) > maxQuoted {
		return false
	}
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_', c == '$':
		case '0' <= c && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return true
}
