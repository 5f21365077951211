package main

import (
	"bytes"
	"cmp"
	"slices"
)

// An edit inserts text, or replaces bytes. All edits of a file keep its lines where they are.
type edit struct {
	at, end int // what is replaced; at == end inserts
	text    string
	closes  bool // belongs to what ends here, so comes before what begins here
}

// edits are those of one file. Of two that enclose something, the outer comes first.
type edits []edit

// wrap puts text around the bytes from at to end.
func (e *edits) wrap(at, end int, before, after string) {
	*e = append(*e, edit{at, at, before, false}, edit{end, end, after, true})
}

func (e *edits) replace(at, end int, text string) { *e = append(*e, edit{at, end, text, false}) }

// apply returns src with the edits.
func (e edits) apply(src []byte) []byte {
	ordered := slices.Clone(e)
	slices.Reverse(ordered) // what closes: inner before outer
	slices.SortStableFunc(ordered, func(a, b edit) int { return cmp.Compare(a.at, b.at) })
	var out bytes.Buffer
	done := 0
	for len(ordered) > 0 {
		at := ordered[0].at
		n := 1
		for n < len(ordered) && ordered[n].at == at {
			n++
		}
		out.Write(src[done:at])
		done = at
		for _, one := range ordered[:n] {
			if one.closes {
				out.WriteString(one.text)
			}
		}
		for _, one := range slices.Backward(ordered[:n]) {
			if !one.closes {
				out.WriteString(one.text)
				done = max(done, one.end)
			}
		}
		ordered = ordered[n:]
	}
	out.Write(src[done:])
	return out.Bytes()
}
