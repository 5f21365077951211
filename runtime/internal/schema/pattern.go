package schema

import (
	"errors"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A pattern is a regular expression whose size is known.
type pattern struct {
	*regexp.Regexp
	size int
}

// patterns are the regular expressions of a schema.
type patterns struct {
	size   int
	by     map[string]*pattern
	closed bool // the schema is compiled: what comes now is a value of the format "regex"
}

// maxPatterns bounds the size of all regular expressions of a schema together, with repetitions expanded.
const maxPatterns = 50_000

// compile compiles a regular expression. If several places have the same one, it is compiled once.
func (ps *patterns) compile(text string) (jsonschema.Regexp, error) {
	if p := ps.by[text]; p != nil {
		return p, nil
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil || ps.closed {
		return nil, err
	}
	p := &pattern{size: size(tree)}
	if ps.size += p.size; ps.size > maxPatterns {
		return nil, errors.New("the regular expressions of the schema are too large")
	}
	if p.Regexp, err = regexp.Compile(text); err != nil {
		return nil, err
	}
	if ps.by == nil {
		ps.by = map[string]*pattern{}
	}
	ps.by[text] = p
	return p, nil
}

// size returns approximately how many instructions a regular expression compiles to.
func size(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += size(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, maxPatterns+1)
}
