package client

import (
	"container/list"
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
	byName map[string]*list.Element // of order
	order  list.List                // of lesson[V], as they came
	bytes  int
}

type lesson[V any] struct {
	name  string
	value V
	bytes int // with the name
}

func (l *learned[V]) get(name string) (value V, known bool) {
	if e := l.byName[name]; e != nil {
		return e.Value.(lesson[V]).value, true
	}
	return value, false
}

// put learns a value that takes so many bytes beside its name.
func (l *learned[V]) put(name string, value V, bytes int) {
	if bytes += len(name); bytes > maxLearnedBytes {
		l.drop(name)
		return
	}
	l.bytes += bytes
	if e := l.byName[name]; e != nil {
		old := e.Value.(lesson[V])
		l.bytes -= old.bytes
		e.Value = lesson[V]{old.name, value, bytes}
	} else {
		if l.byName == nil {
			l.byName = map[string]*list.Element{}
		}
		name = strings.Clone(name) // not the whole list with it
		l.byName[name] = l.order.PushBack(lesson[V]{name, value, bytes})
	}
	for l.order.Len() > maxLearned || l.bytes > maxLearnedBytes {
		l.remove(l.order.Front())
	}
}

// drop forgets a name.
func (l *learned[V]) drop(name string) {
	if e := l.byName[name]; e != nil {
		l.remove(e)
	}
}

func (l *learned[V]) remove(e *list.Element) {
	old := l.order.Remove(e).(lesson[V])
	l.bytes -= old.bytes
	delete(l.byName, old.name)
}
