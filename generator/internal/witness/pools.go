package witness

import (
	"cmp"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strings"
)

// pools hold what the values of two schemas are made of.
type pools struct {
	numbers, strings []any
	sizes            []int
	names            []string
}

// maxSize is the largest size that is tried.
const maxSize = 300

// poolsOf collects values at, and beside, the bounds of schemas.
func poolsOf(r *rand.Rand, a, b *hints) pools {
	var p pools
	p.sizes = sortedSet(slices.Concat(a.sizes, b.sizes, []int{0, 1, 2, 6}), cmp.Compare)
	p.sizes = slices.DeleteFunc(p.sizes, func(n int) bool { return n < 0 || n > maxSize })
	strs := slices.Concat(a.strings, b.strings)
	names := slices.Concat(a.names, b.names, []string{"zz", "a", "b", "x", "A", "B", "C", "D", "E", "bb", "cc", "_", "_b"})
	for _, pattern := range slices.Concat(a.patterns, b.patterns) {
		for range 8 {
			strs = append(strs, matching(r, pattern))
		}
	}
	for _, letter := range []string{"b", "a", "B", "_", "é", "1"} {
		for _, n := range p.sizes {
			strs = append(strs, strings.Repeat(letter, n))
		}
	}
	if a.named || b.named {
		names = append(names, strs...)
	}
	for _, list := range formatted {
		strs = append(strs, list...)
	}
	bounds := sortedSet(slices.Concat(a.bounds, b.bounds, []*big.Rat{new(big.Rat)}), (*big.Rat).Cmp)
	steps := sortedSet(slices.Concat(a.steps, b.steps), (*big.Rat).Cmp)
	for _, n := range numbersAt(bounds, steps) {
		p.numbers = append(p.numbers, decimal(n))
		if n.IsInt() {
			strs = append(strs, n.Num().String())
		}
	}
	for _, s := range sortedSet(strs, cmp.Compare) {
		p.strings = append(p.strings, s)
	}
	p.names = sortedSet(names, cmp.Compare)
	return p
}

func sortedSet[T any](list []T, compare func(a, b T) int) []T {
	slices.SortFunc(list, compare)
	return slices.CompactFunc(list, func(a, b T) bool { return compare(a, b) == 0 })
}

// numbersAt returns numbers at, and beside, bounds: some that are multiples of steps, and some that are not.
func numbersAt(bounds, steps []*big.Rat) (all []*big.Rat) {
	for n := range int64(20) { // enough that differ
		all = append(all, big.NewRat(n, 1))
	}
	for _, b := range bounds {
		for _, d := range []*big.Rat{{}, big.NewRat(1, 1), big.NewRat(-1, 1), big.NewRat(1, 2), big.NewRat(-1, 2), big.NewRat(1, 4), big.NewRat(-1, 4)} {
			all = append(all, new(big.Rat).Add(b, d))
		}
		for _, s := range steps {
			whole := new(big.Rat).SetInt(s.Num()) // an integer that is a multiple
			for _, step := range []*big.Rat{s, new(big.Rat).Mul(s, big.NewRat(2, 1)), whole} {
				q := new(big.Rat).Quo(b, step)
				n := new(big.Int).Div(q.Num(), q.Denom()) // the floor
				for i := int64(-3); i < 5; i++ {
					all = append(all, new(big.Rat).Mul(new(big.Rat).SetInt(new(big.Int).Add(n, big.NewInt(i))), step))
				}
			}
		}
	}
	return sortedSet(all, (*big.Rat).Cmp)
}

// decimal returns a number as JSON; one without an end as a decimal is rounded.
func decimal(r *big.Rat) json.Number {
	if r.IsInt() {
		return json.Number(r.Num().String())
	}
	n, exact := r.FloatPrec()
	if !exact {
		n = 30
	}
	return json.Number(r.FloatString(n))
}

// matching returns a text that matches a pattern, as a rule.
func matching(r *rand.Rand, pattern string) string {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	var write func(re *syntax.Regexp)
	repeat := func(re *syntax.Regexp, low, high int) {
		if high < 0 {
			high = low + 2
		}
		for range low + r.IntN(high-low+1) {
			write(re)
		}
	}
	write = func(re *syntax.Regexp) {
		switch re.Op {
		case syntax.OpLiteral:
			b.WriteString(string(re.Rune))
		case syntax.OpCharClass:
			i := 2 * r.IntN(len(re.Rune)/2)
			b.WriteRune(re.Rune[i] + r.Int32N(min(re.Rune[i+1]-re.Rune[i], 25)+1))
		case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
			b.WriteRune('a' + r.Int32N(26))
		case syntax.OpStar:
			repeat(re.Sub[0], 0, -1)
		case syntax.OpPlus:
			repeat(re.Sub[0], 1, -1)
		case syntax.OpQuest:
			repeat(re.Sub[0], 0, 1)
		case syntax.OpRepeat:
			repeat(re.Sub[0], re.Min, re.Max)
		case syntax.OpAlternate:
			write(re.Sub[r.IntN(len(re.Sub))])
		default:
			for _, sub := range re.Sub {
				write(sub)
			}
		}
	}
	write(parsed)
	return b.String()
}

// formatted are strings by their format, or encoding: several of each, for lists whose items must differ.
var formatted = map[string][]string{
	"date-time": {"2026-07-28T10:00:00Z", "2026-07-28T10:00:01Z", "2027-01-01T00:00:00+01:00", "0001-01-01T00:00:00Z", "2026-02-28T23:59:59.5Z"},
	"date":      {"2026-07-28", "2026-07-29", "2027-01-01", "0001-01-01", "2028-02-29"},
	"time":      {"10:00:00Z", "10:00:01Z", "00:00:00+01:00", "23:59:59.5Z", "12:30:00Z"},
	"uri":       {"https://example.com/a", "a:b", "a:c", "urn:a:b", "https://example.com/?a=b"},
	"email":     {"a@example.com", "b@example.com", "c@example.com", "a@b.example", "a+b@example.com"},
	"hostname":  {"a", "example.com", "b", "a.b", "a-b.example"},
	"ipv4":      {"10.0.0.1", "10.0.0.2", "127.0.0.1", "0.0.0.0", "255.255.255.255"},
	"ipv6":      {"::1", "::", "::2", "fe80::1", "2001:db8::1"},
	"base64":    {"", "QUI=", "QUJD", "QQ==", "QUJDRA=="},
	"uuid":      {"123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174001", "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", "123e4567-e89b-42d3-a456-426614174000"},
}
