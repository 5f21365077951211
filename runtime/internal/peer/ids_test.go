package peer

import (
	"encoding/json"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestUsedIDs(t *testing.T) {
	var u usedIDs
	for _, step := range []struct {
		id  wire.ID
		new bool
	}{
		{wire.IntID(1), true}, {wire.IntID(1), false}, {wire.StringID("1"), true}, {wire.StringID("1"), false},
		{wire.IntID(2), true}, {wire.IntID(0), true}, {wire.IntID(2), false}, {wire.IntID(4), true}, {wire.IntID(3), true}, {wire.IntID(3), false},
		{wire.IntID(math.MaxInt64), true}, {wire.IntID(math.MinInt64), true}, {wire.IntID(math.MaxInt64), false},
		{wire.IntID(math.MinInt64), false}, {wire.IntID(math.MaxInt64 - 1), true}, {wire.IntID(math.MinInt64 + 1), true}, {wire.IntID(-1), true},
	} {
		if got := u.add(step.id); got != step.new {
			t.Errorf("%v is new: %t, want %t", step.id, got, step.new)
		}
	}
	if len(u.ranges) != 3 {
		t.Errorf("the ranges are %v", u.ranges)
	}
}

// Ids that one connection has used are refused by another.
func TestUsedIDsGoOn(t *testing.T) {
	var a, b Conn
	for n := range int64(1000) {
		a.used.add(wire.IntID(n + n/100))
		a.used.add(wire.StringID(strconv.FormatInt(n, 10)))
	}
	data, err := json.Marshal(a.UsedIDs())
	if err != nil || len(data) > 10<<10 {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	var used UsedIDs
	if err := json.Unmarshal(data, &used); err != nil {
		t.Fatal(err)
	}
	b.SetUsedIDs(used)
	for n := int64(999); n > -1000; n-- { // those that are known first, before others take their place
		for _, id := range []wire.ID{wire.IntID(n), wire.StringID(strconv.FormatInt(n, 10))} {
			if x, y := a.used.add(id), b.used.add(id); x != y {
				t.Fatalf("%v is new: %t, and at the other connection %t", id, x, y)
			}
		}
	}
	if data, err := json.Marshal(new(Conn).UsedIDs()); err != nil || string(data) != "{}" {
		t.Errorf("nothing is %s, %v", data, err)
	}
}

// An id that is removed is new again, and only that one, whatever else is remembered.
func TestUsedIDsAreRemoved(t *testing.T) {
	for name, test := range map[string]struct {
		id    func(n int64) wire.ID
		steps int
	}{
		"integers": {wire.IntID, 5000},
		"strings":  {func(n int64) wire.ID { return wire.StringID(strconv.FormatInt(n, 10)) }, maxStrings}, // so that none gives way
	} {
		var u usedIDs
		random := rand.New(rand.NewPCG(5, 6))
		used := make(map[int64]bool)
		for range test.steps {
			n := random.Int64N(maxStrings / 8)
			if random.IntN(2) == 0 {
				u.remove(test.id(n))
				delete(used, n)
				continue
			}
			if got := u.add(test.id(n)); got == used[n] {
				t.Fatalf("%s: %d is new: %t", name, n, got)
			}
			used[n] = true
		}
		if len(u.ranges) > maxStrings/8 {
			t.Errorf("%s: %d ranges", name, len(u.ranges))
		}
	}
	for _, others := range []int{1, maxStrings - 1, maxStrings, maxStrings + 100} {
		var u usedIDs // a client that is refused again and again does not make us forget the others
		for i := range others {
			u.add(wire.StringID(strconv.Itoa(i)))
		}
		for range 3 * maxStrings {
			u.add(wire.StringID("refused"))
			u.remove(wire.StringID("refused"))
		}
		for ; others < maxStrings-1; others++ {
			u.add(wire.StringID(strconv.Itoa(others)))
		}
		for i := others - maxStrings + 1; i < others; i++ {
			if u.add(wire.StringID(strconv.Itoa(i))) {
				t.Fatalf("%d of %d is forgotten", i, others)
			}
		}
	}
}

// Whichever string is removed, of the others the oldest are still forgotten first.
func TestUsedIDsRemovedInTheMiddle(t *testing.T) {
	const all, later = maxStrings + 100, 200
	for gone := 100; gone < all; gone++ {
		var u usedIDs
		for i := range all {
			u.add(wire.StringID(strconv.Itoa(i)))
		}
		u.remove(wire.StringID(strconv.Itoa(gone)))
		for i := range later {
			u.add(wire.StringID(strconv.Itoa(all + i)))
		}
		for i := 100 + later; i < all+later; i++ {
			if known := slices.Contains(u.strings, hashID(strconv.Itoa(i))); known == (i == gone) {
				t.Fatalf("without %d, %d is known: %t", gone, i, known)
			}
		}
	}
}

// What remains of a range is what was in it.
func TestUsedIDsRemovedFromRanges(t *testing.T) {
	var u usedIDs
	for n := range int64(5) {
		u.add(wire.IntID(n))
	}
	for _, step := range []struct {
		id   int64
		want []idRange
	}{
		{0, []idRange{{from: 1, to: 4}}}, {4, []idRange{{from: 1, to: 3}}}, {2, []idRange{{from: 1, to: 1}, {from: 3, to: 3}}},
		{5, []idRange{{from: 1, to: 1}, {from: 3, to: 3}}}, {1, []idRange{{from: 3, to: 3}}}, {3, nil},
	} {
		u.remove(wire.IntID(step.id))
		if !slices.EqualFunc(u.ranges, step.want, func(a, b idRange) bool { return a.from == b.from && a.to == b.to }) {
			t.Errorf("without %d: got %v, want %v", step.id, u.ranges, step.want)
		}
	}
	for n := range int64(maxRanges) {
		for i := range int64(3) {
			u.add(wire.IntID(10*n + i))
		}
	}
	u.remove(wire.IntID(0)) // leaves room for all
	if len(u.ranges) != maxRanges {
		t.Errorf("%d ranges, want %d", len(u.ranges), maxRanges)
	}
	u.remove(wire.IntID(1001)) // makes one too many
	if len(u.ranges) != maxRanges || u.ranges[0].from != 10 {
		t.Errorf("%d ranges from %d on, want %d without the oldest", len(u.ranges), u.ranges[0].from, maxRanges)
	}
}

// Hashes are passed on to other processes, perhaps of another release: they stay what they are.
func TestHashID(t *testing.T) {
	for _, id := range []string{"", "a", "request-7", "\xff"} {
		h := fnv.New64a()
		io.WriteString(h, id)
		if got := hashID(id); got != h.Sum64() {
			t.Errorf("%q: got %x, want %x", id, got, h.Sum64())
		}
	}
}

// In any order, an id is new once, as long as not too many are to be remembered.
func TestUsedIDsInAnyOrder(t *testing.T) {
	var u usedIDs
	random := rand.New(rand.NewPCG(1, 2))
	seen := make(map[int64]bool)
	for range 5000 {
		n := random.Int64N(2*maxRanges) - maxRanges // so that there cannot be too many ranges
		if got := u.add(wire.IntID(n)); got == seen[n] {
			t.Fatalf("%d is new: %t", n, got)
		}
		seen[n] = true
	}
}

// Of a client that leaves no order, whatever it is, the last ids are known.
//
// REQ JRPC-03
func TestUsedIDsOfNoOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for name, next := range map[string]func(i int) int64{
		"random":  func(int) int64 { return random.Int64() },
		"falling": func(i int) int64 { return int64(-2 * i) },
		"mixed":   func(i int) int64 { return int64(1-i%2*2) * int64(i) * 3 },
	} {
		var u usedIDs
		var ids []int64
		for i := range 5000 {
			ids = append(ids, next(i+1))
			if !u.add(wire.IntID(ids[i])) {
				t.Fatalf("%s: id %d is not new", name, i)
			}
		}
		for back := range maxRanges {
			if i := len(ids) - 1 - back; u.add(wire.IntID(ids[i])) {
				t.Errorf("%s: id %d of %d is new again", name, i, len(ids))
				break
			}
		}
		if len(u.ranges) > maxRanges {
			t.Errorf("%s: %d ranges", name, len(u.ranges))
		}
	}
}

func TestUsedIDsAreBounded(t *testing.T) {
	var u usedIDs
	for i := range 10 * maxRanges {
		if !u.add(wire.IntID(int64(2*i))) || !u.add(wire.StringID(strconv.Itoa(i))) {
			t.Fatalf("id %d is not new", i)
		}
	}
	if len(u.ranges) != maxRanges || len(u.strings) != maxStrings {
		t.Errorf("%d ranges and %d strings", len(u.ranges), len(u.strings))
	}
	if last := 10*maxRanges - 1; u.add(wire.IntID(int64(2*last))) || u.add(wire.StringID(strconv.Itoa(last))) {
		t.Error("the last id is new again")
	}
}

// A range that has grown together with another one is a new one: others are forgotten before it.
func TestUsedIDsJoined(t *testing.T) {
	var u usedIDs
	add := func(n int64) {
		t.Helper()
		if !u.add(wire.IntID(n)) {
			t.Errorf("%d is not new", n)
		}
	}
	add(1)
	add(3)
	for i := range int64(maxRanges - 2) {
		add(10 * (i + 1))
	}
	add(2) // joins the oldest two
	add(-10)
	add(-20) // 10 has to go
	for n := range int64(3) {
		if u.add(wire.IntID(n + 1)) {
			t.Errorf("%d was forgotten", n+1)
		}
	}
	if len(u.ranges) != maxRanges {
		t.Errorf("%d ranges, want %d", len(u.ranges), maxRanges)
	}
	add(10)
}

// Of ranges that another process has passed on, nobody knows which is the oldest: the lowest is forgotten first.
func TestUsedIDsOfOthersAreForgotten(t *testing.T) {
	var used UsedIDs
	for i := range int64(maxRanges) {
		used.Integers = append(used.Integers, [2]int64{10 * i, 10*i + 5})
	}
	var c Conn
	c.SetUsedIDs(used)
	if !c.used.add(wire.IntID(-10)) {
		t.Error("-10 is not new")
	}
	if got := c.UsedIDs().Integers; len(got) != maxRanges || got[0] != [2]int64{-10, -10} || got[1] != used.Integers[1] {
		t.Errorf("%d ranges, which begin with %v", len(got), got[:2])
	}
}
