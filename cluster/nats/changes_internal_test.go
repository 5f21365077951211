package nats

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/server"
)

// Changes that wait to be published are a set; beyond its bounds, the set becomes "anything may have changed".
func TestGathering(t *testing.T) {
	many := func(n, size int) (uris []string) {
		for i := range n {
			uris = append(uris, fmt.Sprintf("a:%0*d", size-2, i))
		}
		return uris
	}
	const limit = 512 << 10
	for _, test := range []struct {
		name    string
		changes []server.Change
		want    server.Change
	}{
		{"nothing", nil, server.Change{}},
		{"lists", []server.Change{{Tools: true}, {Prompts: true}, {Tools: true}, {Resources: true}}, server.Change{Tools: true, Prompts: true, Resources: true}},
		{"resources", []server.Change{{Updated: []string{"a:1"}}, {Updated: []string{"a:2", "a:1"}}}, server.Change{Updated: []string{"a:1", "a:2"}}},
		{"as many as there may be", []server.Change{{Updated: many(maxUpdated, 20)}, {Updated: many(maxUpdated, 20)}}, server.Change{Updated: many(maxUpdated, 20)}},
		{"too many", []server.Change{{Tools: true, Updated: many(maxUpdated+1, 20)}, {Updated: []string{"a:1"}}}, server.Change{Tools: true, Any: true}},
		{"too long", []server.Change{{Updated: many(3, maxUpdatedBytes/2)}}, server.Change{Any: true}},
		{"too long for a message", []server.Change{{Updated: []string{strings.Repeat("<", maxUpdatedBytes/2)}}}, server.Change{Any: true}},
		{"anything", []server.Change{{Updated: []string{"a:1"}}, {Any: true}, {Updated: []string{"a:2"}}}, server.Change{Any: true}},
	} {
		var g gathering
		for _, c := range test.changes {
			g.add(c)
		}
		if g.isEmpty() != (test.changes == nil) {
			t.Errorf("%s: isEmpty is %t", test.name, g.isEmpty())
		}
		var got server.Change
		if err := json.Unmarshal(g.encode(limit), &got); err != nil {
			t.Fatal(err)
		}
		slices.Sort(got.Updated)
		if fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%s: got %.200v, want %.200v", test.name, got, test.want)
		}
	}
}

// Each missed message is noticed, and a message that is only late does not count as missed.
func TestMissedNumbers(t *testing.T) {
	const own, other = "own", "other"
	any, none, tools := server.Change{Any: true}, server.Change{}, server.Change{Tools: true}
	c := &changes{name: own, last: 5}
	hear := func(number int, from, data string, want server.Change, last uint64) {
		t.Helper()
		m := &natsio.Msg{Data: []byte(data), Header: natsio.Header{headerFrom: {from}, jetstream.SequenceHeader: {fmt.Sprint(number)}}}
		if got := c.hear(m); fmt.Sprint(got) != fmt.Sprint(want) || c.last != last {
			t.Errorf("hearing %d: got %v, want %v; the last one is %d, want %d", number, got, want, c.last, last)
		}
	}
	compare := func(number uint64, from string, want server.Change, sure bool, last uint64) {
		t.Helper()
		if got, ok := c.compare(number, from); fmt.Sprint(got) != fmt.Sprint(want) || ok != sure || c.last != last {
			t.Errorf("looking up %d: got %v, %t, want %v, %t; the last one is %d, want %d", number, got, ok, want, sure, c.last, last)
		}
	}
	hear(6, other, `{"tools":true}`, tools, 6)
	hear(6, other, `{"tools":true}`, none, 6)
	hear(3, other, `{"tools":true}`, none, 6)
	hear(7, own, `{"tools":true}`, none, 7)
	hear(9, other, `{"tools":true}`, any, 9)
	hear(10, other, `{`, any, 10)
	hear(12, own, `{"tools":true}`, any, 12)

	compare(12, own, none, true, 12)
	compare(13, other, none, false, 12) // in flight
	hear(13, other, `{"tools":true}`, tools, 13)
	compare(14, other, none, false, 13) // the next is in flight
	compare(15, other, any, true, 15)   // and it was missed
	compare(15, other, none, true, 15)
	compare(16, own, none, false, 15)
	compare(16, own, none, true, 16)
	compare(18, own, none, false, 16)
	compare(18, own, any, true, 18)
	compare(2, other, any, true, 2) // another stream
	hear(3, other, `{"tools":true}`, tools, 3)
}
