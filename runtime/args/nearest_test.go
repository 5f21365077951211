package args_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// suggested returns the name that is proposed for one that is unknown.
func suggested(name string, members []args.Member) string {
	d := args.New(wire.Raw(fmt.Sprintf("{%q:1}", name)), false)
	for o := d.Object(&args.Type{Members: members}); o.Next(); {
		d.Skip()
		return "known"
	}
	_, after, _ := strings.Cut(message(d), "did you mean ")
	return strings.TrimSuffix(after, "?")
}

// TestNearestOfAll compares what is proposed with the whole table of distances.
func TestNearestOfAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func(most int) string {
		b := make([]byte, 1+r.IntN(most))
		for i := range b {
			b[i] = "aabbc_"[r.IntN(6)]
		}
		return string(b)
	}
	for range 2_000 {
		most := []int{5, 8, 12}[r.IntN(3)]
		members := []args.Member{{Name: word(most)}, {Name: word(most)}}
		name := word(most)
		if r.IntN(2) == 0 { // near to one of them
			name = change(r, members[r.IntN(2)].Name)
		}
		checkNearest(t, name, members)
	}
	long := strings.Repeat("abcdefgh", 9)
	for _, lens := range [][2]int{{64, 64}, {64, 63}, {63, 64}, {64, 62}, {62, 64}, {64, 61}, {61, 64}, {65, 64}, {64, 65}} {
		checkNearest(t, long[:lens[0]-1]+"x", []args.Member{{Name: long[:lens[1]]}})
	}
}

func checkNearest(t *testing.T, name string, members []args.Member) {
	t.Helper()
	want, at := "", 3
	for _, m := range members {
		if m.Name == name {
			want = "known"
			break
		}
		n := changes(plain(name), plain(m.Name))
		if len(name) <= 64 && len(m.Name) <= 64 && n < at && 2*n <= len(m.Name) {
			want, at = m.Name, n
		}
	}
	if got := suggested(name, members); got != want {
		t.Errorf("%q of %v: got %q, want %q", name, members, got, want)
	}
}

func plain(s string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s))
}

// changes returns how many letters have to be put in, left out, replaced or swapped to make b of a.
func changes(a, b string) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
		for j := range table[i] {
			switch {
			case i == 0:
				table[i][j] = j
			case j == 0:
				table[i][j] = i
			default:
				differ := 1
				if a[i-1] == b[j-1] {
					differ = 0
				}
				table[i][j] = min(table[i-1][j]+1, table[i][j-1]+1, table[i-1][j-1]+differ)
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					table[i][j] = min(table[i][j], table[i-2][j-2]+1)
				}
			}
		}
	}
	return table[len(a)][len(b)]
}
