package schema

import (
	"errors"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A pattern is a regular expression whose cost is counted.
type pattern struct {
	*regexp.Regexp
	in   *instance
	size int
}

// maxPatterns bounds the size of all regular expressions of a schema together, with repetitions expanded.
const maxPatterns = 50_000

// regexp compiles a regular expression. If several places have the same one, it is compiled once.
func (in *instance) regexp(text string) (jsonschema.Regexp, error) {
	if p := in.patterns[text]; p != nil {
		return p, nil
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	p := &pattern{in: in, size: size(tree)}
	if in.patternSize += p.size; in.patternSize > maxPatterns {
		return nil, errors.New("the regular expressions of the schema are too large")
	}
	if p.Regexp, err = regexp.Compile(text); err != nil {
		return nil, err
	}
	if in.patterns == nil {
		in.patterns = map[string]*pattern{}
	}
	in.patterns[text] = p
	return p, nil
}

func (p *pattern) MatchString(s string) bool {
	p.in.spend(1 + len(s)*p.size>>6) // each instruction may run for each character
	return p.Regexp.MatchString(s)
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
