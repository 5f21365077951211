package client

import "strings"

// ExpandURI expands a URI template, such as that of a resource template: "climate://{city}{?year}". A variable is a
// string, a list of one element, or a list; one that is not in vars is undefined. The template must be valid.
//
// See RFC 6570.
func ExpandURI(template string, vars map[string][]string) string {
	var b strings.Builder
	for {
		literal, rest, found := strings.Cut(template, "{")
		appendURI(&b, literal, true)
		if !found {
			return b.String()
		}
		var expression string
		expression, template, _ = strings.Cut(rest, "}")
		expand(&b, expression, vars)
	}
}

// A uriOperator is the meaning of the first character of an expression.
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

// expand appends the value of one expression.
func expand(b *strings.Builder, expression string, vars map[string][]string) {
	if expression == "" {
		return
	}
	op, found := uriOperators[expression[0]]
	if found {
		expression = expression[1:]
	} else {
		op.sep = ","
	}
	sep := op.first
	for spec := range strings.SplitSeq(expression, ",") {
		spec, exploded := strings.CutSuffix(spec, "*")
		name, prefix, _ := strings.Cut(spec, ":")
		list, found := vars[name]
		if !found || len(list) == 0 {
			continue
		}
		for i, value := range list {
			switch {
			case i == 0 || exploded:
				b.WriteString(sep)
				sep = op.sep
				if op.named {
					b.WriteString(name)
					if value != "" || len(list) > 1 && !exploded {
						b.WriteString("=")
					} else {
						b.WriteString(op.empty)
					}
				}
			default:
				b.WriteString(",")
			}
			appendURI(b, cutRunes(value, prefix), op.reserved)
		}
	}
}

// cutRunes returns the first characters of a value, as many as digits says.
func cutRunes(value, digits string) string {
	n := 0
	for _, c := range []byte(digits) {
		n = n*10 + int(c-'0')
	}
	if r := []rune(value); digits != "" && n < len(r) {
		return string(r[:n])
	}
	return value
}

// appendURI appends a text, and escapes what a URI must not contain there.
func appendURI(b *strings.Builder, text string, reserved bool) {
	const hex = "0123456789ABCDEF"
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0,
			reserved && strings.IndexByte(":/?#[]@!$&'()*+,;=", c) >= 0,
			reserved && c == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]):
			b.WriteByte(c)
		default:
			b.WriteString(string([]byte{'%', hex[c>>4], hex[c&15]}))
		}
	}
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
