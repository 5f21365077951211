package client

import (
	"slices"
	"strings"
)

// The bounds of what is learned of each kind about a server's tools, however many names it comes up
// with over time. Beyond them, what was learned first is forgotten, until it is listed again.
const (
	maxLearned      = 10_000
	maxLearnedBytes = 16 << 20
)

// learned is what a client has learned about tools, by their names.
type learned[V any] struct {
	byName map[string]lesson[V]
	order  []string // in which they came
	bytes  int
}

type lesson[V any] struct {
	value V
	bytes int
}

func (l *learned[V]) get(name string) (value V, known bool) {
	e, known := l.byName[name]
	return e.value, known
}

// put learns a value that takes so many bytes beside its name.
func (l *learned[V]) put(name string, value V, bytes int) {
	old, again := l.byName[name]
	if bytes += len(name); bytes > maxLearnedBytes {
		l.drop(name)
		return
	}
	if !again {
		name = strings.Clone(name) // not the whole list with it
		l.order = append(l.order, name)
	}
	if l.byName == nil {
		l.byName = map[string]lesson[V]{}
	}
	l.bytes += bytes - old.bytes
	l.byName[name] = lesson[V]{value, bytes}
	for len(l.order) > maxLearned || l.bytes > maxLearnedBytes {
		l.dropAt(0)
	}
}

// drop forgets a name.
func (l *learned[V]) drop(name string) {
	if _, known := l.byName[name]; known {
		l.dropAt(slices.Index(l.order, name))
	}
}

func (l *learned[V]) dropAt(i int) {
	name := l.order[i]
	l.bytes -= l.byName[name].bytes
	delete(l.byName, name)
	if i == 0 {
		l.order[0] = ""
		l.order = l.order[1:]
	} else {
		l.order = slices.Delete(l.order, i, i+1)
	}
}
