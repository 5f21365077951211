package uritemplate

import (
	"errors"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A pattern is a compiled template.
type pattern struct {
	regexp         *regexp.Regexp
	prefix, suffix string     // literals that every URI begins and ends with
	variables      []variable // one for each group of the regular expression
	prefixed       bool       // some variables hold only a prefix of a value
}

// A variable is a place of a template that has a value.
type variable struct {
	name  string
	most  int    // how many characters of the value the URI has; 0 means all
	sep   string // between the elements of a list, unless that is a comma
	named string // before each element: "name="
}

// An operator is the first character of an expression.
type operator struct {
	first, sep string
	named      bool // values are preceded by their names
	reserved   bool // values may contain reserved characters
}

var operators = map[byte]operator{
	'+': {"", ",", false, true},
	'#': {"#", ",", false, true},
	'.': {".", ".", false, false},
	'/': {"/", "/", false, false},
	';': {";", ";", true, false},
	'?': {"?", "&", true, false},
	'&': {"&", "&", true, false},
}

// The characters of values, for a class of a regular expression. The reserved ones include the separators of lists.
const (
	unreserved = `-A-Za-z0-9._~`
	reserved   = unreserved + `!#$&'()*+,/:;=?@\[\]`
)

// manyCharacters is how many characters are too many for a repetition in a regular expression, which would become
// too large.
const manyCharacters = 16

// compile compiles a valid template.
func compile(template string) (*pattern, error) {
	p := &pattern{}
	var b strings.Builder
	b.WriteString(`\A`)
	for rest := template; ; {
		literal, after, found := strings.Cut(rest, "{")
		if b.WriteString(regexp.QuoteMeta(literal)); b.Len() == len(`\A`)+len(regexp.QuoteMeta(literal)) {
			p.prefix = literal
		}
		if !found {
			p.suffix = literal
			break
		}
		expression, after, _ := strings.Cut(after, "}")
		p.expression(&b, expression)
		rest = after
	}
	b.WriteString(`\z`)
	re, err := regexp.Compile(b.String())
	if err != nil {
		return nil, errors.New("it is too large")
	}
	p.regexp = re
	return p, nil
}

// expression writes the regular expression for one expression of the template.
func (p *pattern) expression(b *strings.Builder, text string) {
	op, ok := operators[text[0]]
	if ok {
		text = text[1:]
	} else {
		op = operator{sep: ","}
	}
	specs := strings.Split(text, ",")
	if op.first != "" {
		b.WriteString("(?:" + regexp.QuoteMeta(op.first))
	}
	for i, spec := range specs {
		switch {
		case op.named:
			b.WriteString("(?:")
			if i > 0 {
				b.WriteString(regexp.QuoteMeta(op.sep) + "?")
			}
		case i > 0:
			b.WriteString("(?:" + regexp.QuoteMeta(op.sep))
		}
		p.variable(b, &op, spec, len(specs) == 1)
		if op.named {
			b.WriteString(")?")
		}
	}
	if !op.named {
		b.WriteString(strings.Repeat(")?", len(specs)-1))
	}
	if op.first != "" {
		b.WriteString(")?")
	}
}

// variable writes what matches a variable. One that is alone in its expression may be a list.
func (p *pattern) variable(b *strings.Builder, op *operator, spec string, alone bool) {
	name, exploded := strings.CutSuffix(spec, "*")
	name, most, _ := strings.Cut(name, ":")
	v := variable{name: name}
	v.most, _ = strconv.Atoi(most)
	p.prefixed = p.prefixed || v.most > 0

	chars := unreserved
	if op.reserved {
		chars = reserved
	}
	switch {
	case v.most > 0: // a prefix is that of a text
	case op.named && exploded:
		v.sep, v.named = op.sep, name+"="
	case exploded && !strings.Contains(chars, op.sep):
		v.sep = op.sep
		chars += op.sep
	case !exploded && (op.named || alone):
		chars += "," // with which a list is written as it is returned
	}
	value := "(?:[" + chars + "]|%[0-9A-Fa-f]{2})"
	if 0 < v.most && v.most <= manyCharacters {
		value += "{0," + most + "}"
	} else {
		value += "*"
	}
	switch named := regexp.QuoteMeta(name); {
	case v.named != "":
		b.WriteString("(" + named + "=" + value + "(?:" + regexp.QuoteMeta(op.sep) + named + "=" + value + ")*)")
	case op.first == ";":
		b.WriteString(named + "(?:=(" + value + "))?")
	case op.named:
		b.WriteString(named + "=(" + value + ")")
	default:
		b.WriteString("(" + value + ")")
	}
	p.variables = append(p.variables, v)
}

// value returns the value that text encodes, which the regular expression has matched, and reports whether the variable can
// have it.
func (v *variable) value(text string) (string, bool) {
	parts := []string{text}
	if v.sep != "" {
		parts = strings.Split(text, v.sep)
	}
	for i, part := range parts {
		parts[i], _ = url.PathUnescape(strings.TrimPrefix(part, v.named))
	}
	value := strings.Join(parts, ",")
	return value, v.most == 0 || utf8.RuneCountInString(value) <= v.most
}
