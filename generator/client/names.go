package client

import (
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/generator/internal/goname"
)

// A scope holds the names that are taken in it.
type scope struct {
	taken map[string]bool
	next  map[string]int // the next number to try after a name
}

// names gives Go names to paths. A path keeps its name from an earlier run.
type names struct {
	earlier map[string]string
	held    map[string]string // name → path: names of an earlier run that only their paths may have
	given   map[string]string // by path
	types   scope
}

// of the package, in addition to those made from the contract
var ownTypes = []string{"Client", "Calls", "Fake", "New"}

// ofValues lists the names of the methods and fields that all generated types have.
var ofValues = []string{"EncodeWire", "DecodeWire", "MarshalJSON", "UnmarshalJSON"}

// newNames returns names that know those of an earlier run. It holds only names of the package: those of types and
// constants. One that several paths had, since they shared a type, is held for the first in order.
func newNames(earlier map[string]string) *names {
	n := &names{earlier: earlier, held: make(map[string]string), given: make(map[string]string), types: newScope(ownTypes...)}
	for path, name := range earlier {
		if !strings.HasPrefix(path, "types/") && !strings.Contains(path, "#") || strings.HasPrefix(path, ofField) {
			continue
		}
		if old, ok := n.held[name]; !ok || path < old {
			n.held[name] = path
		}
	}
	return n
}

func newScope(taken ...string) scope {
	s := scope{make(map[string]bool), make(map[string]int)}
	for _, name := range taken {
		s.taken[name] = true
	}
	return s
}

// ofField begins the path of a field, which could otherwise equal that of its type.
const ofField = "field "

// A wish is the preferred name for a path.
type wish struct {
	path string
	name string
	to   *string
}

// fulfill chooses all names in one scope. Paths with a name from an earlier run come first.
func (n *names) fulfill(s scope, wishes []wish) {
	for _, w := range wishes {
		if name, ok := n.earlier[w.path]; ok && !s.taken[name] && isExported(name) {
			n.take(s, w, name)
		}
	}
	for _, w := range wishes {
		if *w.to == "" {
			n.take(s, w, s.free(w.name, nil))
		}
	}
}

func (n *names) take(s scope, w wish, name string) {
	s.taken[name] = true
	*w.to = name
	n.given[w.path] = name
}

// typeName names a type or a constant of the package.
func (n *names) typeName(path, want string) string {
	for n.given[path] != "" {
		path += "'" // several types of one place
	}
	name, ok := n.earlier[path]
	if !ok || n.types.taken[name] || !isExported(name) {
		name = n.types.free(want, func(name string) bool { p, ok := n.held[name]; return ok && p != path })
	}
	n.types.taken[name] = true
	n.given[path] = name
	return name
}

// sharedName names a type that has several paths. It keeps the name that one of them had.
func (n *names) sharedName(paths []string, want string) string {
	name := ""
	for _, path := range paths {
		if earlier, ok := n.earlier[path]; ok && name == "" && !n.types.taken[earlier] && isExported(earlier) {
			name = earlier
		}
	}
	if name == "" {
		name = n.types.free(want, func(name string) bool { p, ok := n.held[name]; return ok && !slices.Contains(paths, p) })
	}
	n.types.taken[name] = true
	for _, path := range paths {
		if n.given[path] == "" {
			n.given[path] = name
		}
	}
	return name
}

// free returns a name that is not taken, want if possible.
func (s scope) free(want string, held func(string) bool) string {
	name := want
	for i := max(2, s.next[want]); s.taken[name] || held != nil && held(name); i++ {
		s.next[want] = i
		if r := want[len(want)-1]; '0' <= r && r <= '9' {
			name = want + "_" + strconv.Itoa(i)
		} else {
			name = want + strconv.Itoa(i)
		}
	}
	return name
}

func isExported(name string) bool { return token.IsIdentifier(name) && token.IsExported(name) }

// camel returns the exported name for a text, or other if it has neither letters nor digits that Go allows.
func camel(text, other string) string {
	if len(text) > maxName {
		text = text[:maxName]
	}
	name := goname.Camel(text)
	for _, r := range name {
		if r == unicode.ReplacementChar {
			return other
		}
	}
	if !isExported(name) {
		return other
	}
	return name
}

// maxName is how many bytes of a long key or value become a name.
const maxName = 80
