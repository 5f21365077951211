package streamable

import (
	"strings"
	"testing"
)

func TestQueue(t *testing.T) {
	var q queue[string]
	links := map[string]*link[string]{"a": {}, "b": {}, "c": {}}
	// A capital letter adds an item, a small one removes it; a colon is before what must be in the queue then.
	for step := range strings.FieldsSeq("A:a B:ab C:abc b:ac b:ac B:acb a:cb A:cba a:cb c:b C:bc b:c c: c: A:a C:ac c:a a:") {
		do, want, _ := strings.Cut(step, ":")
		name := strings.ToLower(do)
		if do == name {
			links[name].remove()
		} else {
			q.add(links[name], name)
		}
		forward, backward := "", ""
		for k := q.first; k != nil; k = k.next {
			forward += k.item
		}
		for k := q.last; k != nil; k = k.prev {
			backward = k.item + backward
		}
		if forward != want || backward != want {
			t.Fatalf("%s: got %q from the front and %q from the back", step, forward, backward)
		}
	}
	if q != (queue[string]{}) || *links["a"] != (link[string]{}) {
		t.Error("an empty queue is not the zero value, or what was removed is still linked")
	}
}
