package check

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A difference is one between generated code and its schema, or encoding/json, that is meant to be.
type difference struct {
	name, reason string
	when         stage
	message      *regexp.Regexp // of what the error says that there is
}

// A stage is where two of the three disagree.
type stage int

const (
	written      stage = iota // both write a value, and not the same
	notWritten                // encoding/json writes a value, generated code refuses to
	beyondSchema              // generated code refuses what the schema takes; by a line of its message
	coerced                   // generated code takes what the schema refuses
	notRead                   // generated code and the schema take what encoding/json refuses; by its message
)

// differences are all that there may be.
var differences = []difference{
	{name: "nil containers are empty", when: written, reason: "a schema has one type only, and models read [] better than null"},
	{name: "nil bytes are empty", when: written, reason: "as for other slices"},
	{name: "integers with constants are names", when: written, reason: "a model knows them from arguments, and a number says nothing"},
	{name: "nil pointers are left out", when: written, reason: "an optional member is absent, never null"},

	{name: pointerMethods, when: written, reason: "encoding/json does not call them where it cannot take an address"},
	{name: textKeys, when: written, reason: "encoding/json reads such keys by UnmarshalText, but does not write them by MarshalText"},
	{name: quotedTexts, when: notRead, message: regexp.MustCompile(`invalid use of ,string struct tag, trying to unmarshal .* into \*?twin\.Word$`),
		reason: "encoding/json wants quotes in quotes of what it writes without"},
	{name: nullPointers, when: written, reason: "null is a value of any, to which the pointer points"},
	{name: "elements that are nil", when: notWritten, message: regexp.MustCompile(`the value is nil`),
		reason: "null is no element: a schema has one type only"},

	{name: "members twice", when: beyondSchema, message: regexp.MustCompile(`: given twice$`),
		reason: "one of them would be lost, and a schema cannot say it"},
	{name: "texts of methods", when: beyondSchema, message: regexp.MustCompile(`: not accepted: `),
		reason: "only the method knows which texts it takes"},
	{name: "bounds of integers in strings", when: beyondSchema, message: regexp.MustCompile(`want an integer of at (most|least) -?\d+, got "`),
		reason: "a schema has no bounds for strings"},
	{name: "bounds of integers of 64 bits", when: beyondSchema, message: regexp.MustCompile(`want an integer of at (most (9223372036854775807|18446744073709551615)|least -9223372036854775808), got`),
		reason: "they would tell a model nothing, and JavaScript cannot represent them"},
	{name: "bounds of keys", when: beyondSchema, message: regexp.MustCompile(`: the name must be an integer (from|of at)`),
		reason: "a schema has no bounds for names"},

	{name: "numbers beyond double precision", when: beyondSchema, message: regexp.MustCompile(`want a number (in the range of double precision|of at (most|least) -?1.7976931348623157e\+308), got`),
		reason: "no Go type without bounds can hold them, and other programs lose them"},
	{name: "line breaks in base64", when: beyondSchema, message: regexp.MustCompile(`want a string in base64, got ".*\\n`),
		reason: "RFC 4648 has none"},

	{name: "coercion", when: coerced, reason: "models write \"3\" for 3, and null for what is absent"},

	{name: "integers like 1.0 and 1e2", when: notRead, message: regexp.MustCompile(`cannot unmarshal (number -?[\d.]+([eE][-+]?\d+)? into Go|"-?[\d.]+([eE][-+]?\d+)?" into a \*big.Int)`),
		reason: "JSON Schema counts them as integers"},
	{name: "names of integers with constants", when: notRead, message: regexp.MustCompile(`cannot unmarshal string into Go .* of type (twin\.(Level|Code|Phase|Small)|other\.\w+)$`),
		reason: "a number says nothing to a model"},
	{name: "embedded pointers to structs that are not exported", when: notRead, message: regexp.MustCompile(`cannot set embedded pointer to unexported struct|it panicked: reflect: reflect.Value.Set using value obtained using unexported field`),
		reason: "generated code is part of the package"},
}

// used counts how often a difference was met.
var used struct {
	sync.Mutex
	count map[string]int
}

func note(name string) {
	used.Lock()
	defer used.Unlock()
	if used.count == nil {
		used.count = make(map[string]int)
	}
	used.count[name]++
}

// explained reports whether a message tells of a difference that is meant to be.
func explained(when stage, message string) bool {
	for _, d := range differences {
		if d.when == when && d.message != nil && d.message.MatchString(message) {
			note(d.name)
			return true
		}
	}
	return false
}

// more matches the last line of a message that has too many lines.
var more = regexp.MustCompile(`^… and \d+ more$`)

// allExplained reports whether all lines of a message do. Of a member that is given twice, a schema sees
// the last value alone, and nothing of what is in the first.
func allExplained(when stage, message string) bool {
	var twice []string
	lines := strings.Split(message, "\n")
	for _, line := range lines {
		if path, ok := strings.CutSuffix(line, ": given twice"); ok {
			twice = append(twice, path)
		}
	}
	for _, line := range lines {
		path, _, _ := strings.Cut(line, ": ")
		inside := slices.ContainsFunc(twice, func(t string) bool {
			rest, ok := strings.CutPrefix(path, t)
			return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
		})
		if !explained(when, line) && !inside && !more.MatchString(line) {
			return false
		}
	}
	return message != ""
}
