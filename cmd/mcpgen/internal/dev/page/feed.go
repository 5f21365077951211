package page

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"
)

const (
	maxItems    = 1000     // of the log, and of the wire
	maxBytes    = 16 << 20 // of either
	maxItemText = 1 << 20  // of a message or a line
)

// A feed shows pages what happens. It keeps the last value of each topic, and the last items of each list, so that a page
// that opens later, or reconnects, receives what it missed.
type feed struct {
	mu     sync.Mutex
	seq    uint64
	topics map[string]item
	lists  map[string]*list
	more   chan struct{} // closed at the next change
}

// An item is a line for pages.
type item struct {
	seq  uint64
	line []byte
}

// A list holds items in their order.
type list struct {
	items []item
	bytes int
}

func newFeed() *feed {
	return &feed{topics: map[string]item{}, lists: map[string]*list{}, more: make(chan struct{})}
}

// set changes the value of a topic.
func (f *feed) set(topic string, value any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.topics[topic] = f.item(topic, value)
}

// add appends to a list, and drops the oldest items beyond the bounds.
func (f *feed) add(name string, value any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.lists[name]
	if l == nil {
		l = new(list)
		f.lists[name] = l
	}
	i := f.item(name, value)
	l.items = append(l.items, i)
	l.bytes += len(i.line)
	drop := 0
	for len(l.items)-drop > maxItems || l.bytes > maxBytes && len(l.items)-drop > 1 {
		l.bytes -= len(l.items[drop].line)
		drop++
	}
	l.items = slices.Delete(l.items, 0, drop)
}

// item makes an item, and wakes those who wait. It is called with mu held.
func (f *feed) item(kind string, value any) item {
	f.seq++
	line, err := json.Marshal(struct {
		Seq   uint64 `json:"seq"`
		Kind  string `json:"kind"`
		Value any    `json:"value"`
	}{f.seq, kind, value})
	if err != nil {
		panic(err) // values are structs of texts and numbers
	}
	close(f.more)
	f.more = make(chan struct{})
	return item{f.seq, append(line, '\n')}
}

// since returns the lines after a number, the number of the last one, and a channel that is closed when there are more.
func (f *feed) since(after uint64) (lines [][]byte, last uint64, more <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var items []item
	for _, i := range f.topics {
		if i.seq > after {
			items = append(items, i)
		}
	}
	for _, l := range f.lists {
		at, _ := slices.BinarySearchFunc(l.items, after+1, func(i item, seq uint64) int { return cmp.Compare(i.seq, seq) })
		items = append(items, l.items[at:]...)
	}
	slices.SortFunc(items, func(a, b item) int { return cmp.Compare(a.seq, b.seq) })
	for _, i := range items {
		lines = append(lines, i.line)
	}
	return lines, f.seq, f.more
}

// excerpt returns the beginning of a text that is too long to keep.
func excerpt(text string) (short string, cut bool) {
	if len(text) <= maxItemText {
		return text, false
	}
	return text[:maxItemText], true
}
