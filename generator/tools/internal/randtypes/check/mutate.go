package check

import (
	"math/rand/v2"
	"strings"
)

// scalars replace values by what may be wrong: of another kind, just beyond a bound, or written in
// another way.
var scalars = []string{
	`null`, `true`, `false`, `""`, `"x"`, `"12"`, `"-1"`, `"1.5"`, `"true"`, `"null"`, `"2024-02-30T00:00:00Z"`, `"2024-02-29T12:00:00+01:30"`,
	`"AQ=="`, `"AQ"`, `"A\nQ=="`, `"1h"`, `"1"`, `"01"`, `"1e2"`, `"-129"`, `"256"`, `"4294967296"`, `"9223372036854775808"`, `"18446744073709551616"`, `"192.0.2.1"`, `"::1%eth0"`, `"http://[::1"`, `"\ud800"`, `"\u0000"`,
	`0`, `-0`, `1`, `-1`, `1.0`, `1e2`, `1.5`, `127`, `128`, `-129`, `255`, `256`, `-32769`, `65536`, `2147483648`, `4294967296`,
	`9223372036854775807`, `9223372036854775808`, `-9223372036854775809`, `18446744073709551616`, `1e40`, `3.4028235e38`, `3.4028236e38`,
	`1e309`, `-1e-400`, `1e20`, `123456789012345678901234567890`, `[]`, `{}`, `[null]`, `[1,2,3]`, `{"a":1}`, `[[]]`, `[{}]`,
}

// mutate changes one thing in a value.
func mutate(r *rand.Rand, n *node) *node {
	n = n.clone()
	list := n.all()
	at := list[r.IntN(len(list))]
	if len(at.content) > 0 && r.IntN(2) == 0 {
		i := r.IntN(len(at.content))
		if at.kind == '{' {
			mutateMember(r, at, i)
		} else {
			mutateElement(r, at, i)
		}
		return n
	}
	if at.kind == 's' && r.IntN(3) == 0 {
		at.text = mutateText(r, at.text)
		return n
	}
	if at.kind == '0' && r.IntN(4) == 0 {
		at.kind = 's' // the number in a string
		return n
	}
	other, err := parse([]byte(scalars[r.IntN(len(scalars))]))
	if err != nil {
		panic(err)
	}
	*at = *other
	return n
}

// mutateMember changes the member i of an object: it removes, repeats or renames it, adds an unknown one, or makes it
// null. Some of the names are nearly keys of maps of integers.
func mutateMember(r *rand.Rand, at *node, i int) {
	name := at.names[i]
	switch r.IntN(6) {
	case 0: // missing
		at.remove(i)
	case 1: // twice
		at.names, at.content = append(at.names, name), append(at.content, at.content[i].clone())
	case 2:
		at.names[i] = strings.ToUpper(name)
	case 3:
		at.names[i] = []string{"01", "-0", "1.0", "+1", "", "x", "-1", "128", "65536", "18446744073709551616", name + " ", strings.ToLower(name)}[r.IntN(12)]
	case 4:
		at.names, at.content = append(at.names, "unknown"), append(at.content, &node{kind: '0', text: "1"})
	default:
		at.content[i] = &node{kind: 'n'}
	}
}

func mutateElement(r *rand.Rand, at *node, i int) {
	switch r.IntN(3) {
	case 0:
		at.remove(i)
	case 1:
		at.content = append(at.content, at.content[i].clone())
	default:
		at.content[i] = &node{kind: 'n'}
	}
}

// mutateText returns s with a character before or behind it, without the last one, or in upper case.
func mutateText(r *rand.Rand, s string) string {
	switch r.IntN(4) {
	case 0:
		return s + "x"
	case 1:
		return " " + s
	case 2:
		return strings.ToUpper(s)
	}
	if s == "" {
		return "y"
	}
	runes := []rune(s)
	return string(runes[:len(runes)-1])
}

func (n *node) remove(i int) {
	n.content = append(n.content[:i:i], n.content[i+1:]...)
	if n.kind == '{' {
		n.names = append(n.names[:i:i], n.names[i+1:]...)
	}
}

// shrink removes what is not needed for a value to fail.
func shrink(n *node, fails func(*node) bool) *node {
	for tries := 0; tries < 400; {
		smaller := false
		for i := range n.all() {
			for _, change := range []func(*node) bool{
				func(at *node) bool { return at.shorten(0) },
				func(at *node) bool { return at.shorten(len(at.content) - 1) },
				func(at *node) bool { return at.shorten(len(at.content) / 2) },
				func(at *node) bool {
					ok := at.kind == 's' && at.text != ""
					at.text = ""
					return ok || at.kind == '0' && at.set('0', "0")
				},
			} {
				c := n.clone()
				if all := c.all(); i < len(all) && change(all[i]) && string(c.write()) != string(n.write()) {
					if tries++; fails(c) {
						n, smaller = c, true
					}
				}
			}
		}
		if !smaller {
			break
		}
	}
	return n
}

func (n *node) shorten(i int) bool {
	if i < 0 || i >= len(n.content) {
		return false
	}
	n.remove(i)
	return true
}

func (n *node) set(kind byte, text string) bool {
	n.kind, n.text = kind, text
	return true
}
