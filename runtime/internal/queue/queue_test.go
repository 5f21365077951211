package queue

import (
	"strings"
	"testing"
)

func TestQueue(t *testing.T) {
	var q Queue[string]
	links := map[string]*Link[string]{"a": {}, "b": {}, "c": {}}
	// A capital letter adds an item, a small one removes it; a colon is before what must be in the queue then.
	for step := range strings.FieldsSeq("A:a B:ab C:abc b:ac b:ac B:acb a:cb A:cba a:cb c:b C:bc b:c c: c: A:a C:ac c:a a:") {
		do, want, _ := strings.Cut(step, ":")
		name := strings.ToLower(do)
		if do == name {
			links[name].Remove()
		} else {
			q.Add(links[name], name)
		}
		forward, backward := "", ""
		for item := range q.All() {
			forward += item
		}
		if first, ok := q.First(); ok != (want != "") || ok && first != want[:1] {
			t.Errorf("%s: the first is %q, %v", step, first, ok)
		}
		for k := q.last; k != nil; k = k.prev {
			backward = k.item + backward
		}
		if forward != want || backward != want {
			t.Fatalf("%s: got %q from the front and %q from the back", step, forward, backward)
		}
	}
	if q != (Queue[string]{}) || *links["a"] != (Link[string]{}) {
		t.Error("an empty queue is not the zero value, or what was removed is still linked")
	}
}
