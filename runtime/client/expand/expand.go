// Package expand expands resource templates, which are URI templates of RFC 6570, to the URIs of resources.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates.
package expand

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// URI expands a URI template, such as that of a resource template: "climate://{city}{?year}". A variable is a
// string, a list of one element, or a list; one that is not in vars is undefined. The template must be valid.
//
// See RFC 6570.
func URI(template string, vars map[string][]string) string {
	var b strings.Builder
	for {
		literal, rest, found := strings.Cut(template, "{")
		// Literals keep their reserved characters and percent-encoded triplets (section 3.1).
		b.WriteString(escapeURI(literal, true))
		if !found {
			return b.String()
		}
		var expression string
		expression, template, _ = strings.Cut(rest, "}")
		expandURI(&b, expression, vars)
	}
}

// A uriOperator is the meaning of the first character of an expression.
//
// See the table in appendix A of RFC 6570.
type uriOperator struct {
	first, sep string
	named      bool   // values are preceded by their names
	empty      string // follows the name of an empty value
	reserved   bool   // reserved characters are not escaped
}

var uriOperators = map[byte]uriOperator{
	'+': {"", ",", false, "", true},
	'#': {"#", ",", false, "", true},
	'.': {".", ".", false, "", false},
	'/': {"/", "/", false, "", false},
	';': {";", ";", true, "", false},
	'?': {"?", "&", true, "=", false},
	'&': {"&", "&", true, "=", false},
}

// expandURI appends the value of one expression: an operator, and variables with their modifiers. A variable without a
// value leaves no trace, not even a separator.
func expandURI(b *strings.Builder, expression string, vars map[string][]string) {
	op := uriOperator{sep: ","}
	if expression != "" {
		if special, found := uriOperators[expression[0]]; found {
			op, expression = special, expression[1:]
		}
	}
	sep := op.first
	for spec := range strings.SplitSeq(expression, ",") {
		// The modifiers of section 2.4: an asterisk, or a colon and the length of a prefix.
		spec, exploded := strings.CutSuffix(spec, "*")
		name, prefix, _ := strings.Cut(spec, ":")
		var values []string
		for _, value := range vars[name] {
			values = append(values, escapeURI(cutRunes(value, prefix), op.reserved))
		}
		if len(values) > 1 && !exploded {
			// The commas of a list are its own, whatever the separator of the operator.
			values = []string{strings.Join(values, ",")}
		}
		for _, value := range values {
			b.WriteString(sep)
			sep = op.sep
			switch {
			case op.named && value == "":
				b.WriteString(name + op.empty)
			case op.named:
				b.WriteString(name + "=")
			}
			b.WriteString(value)
		}
	}
}

// cutRunes returns the first characters of a value, as many as digits says, if it says so.
func cutRunes(value, digits string) string {
	r := []rune(value)
	if n, err := strconv.ParseUint(digits, 10, 16); err == nil && int(n) < len(r) {
		return string(r[:n])
	}
	return value
}

// escapeURI escapes what a URI must not contain and, unless reserved is true, what has a meaning in it.
func escapeURI(text string, reserved bool) string {
	if !reserved {
		return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
	}
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		_, notHex := strconv.ParseUint(text[min(i+1, len(text)):min(i+3, len(text))], 16, 8)
		switch {
		case strings.IndexByte(":/?#[]@!$&'()*+,;=-._~", c) >= 0, '0' <= c && c <= '9', 'a' <= c|0x20 && c|0x20 <= 'z',
			c == '%' && i+2 < len(text) && notHex == nil: // and its two digits follow
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
