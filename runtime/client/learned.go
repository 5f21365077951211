package client

import (
	"container/list"
	"strings"
)

// The limits of what is remembered of a server's tools, for each kind of knowledge. Beyond them, what was
// learned first is discarded, until it is listed again.
const (
	maxLearned      = 10_000
	maxLearnedBytes = 16 << 20
)

// learned is what a client remembers of tools, by their names.
type learned[V any] struct {
	byName map[string]*list.Element // of order
	order  list.List                // of fact[V], oldest first
	bytes  int
}

type fact[V any] struct {
	name  string
	value V
	bytes int // with the name
}

func (l *learned[V]) get(name string) (value V, known bool) {
	if e := l.byName[name]; e != nil {
		return e.Value.(fact[V]).value, true
	}
	return value, false
}

// put remembers a value that takes bytes beside its name.
func (l *learned[V]) put(name string, value V, bytes int) {
	if bytes += len(name); bytes > maxLearnedBytes {
		l.drop(name)
		return
	}
	l.bytes += bytes
	if e := l.byName[name]; e != nil {
		old := e.Value.(fact[V])
		l.bytes -= old.bytes
		e.Value = fact[V]{old.name, value, bytes}
	} else {
		if l.byName == nil {
			l.byName = map[string]*list.Element{}
		}
		name = strings.Clone(name) // to not keep the text of the whole list
		l.byName[name] = l.order.PushBack(fact[V]{name, value, bytes})
	}
	for l.order.Len() > maxLearned || l.bytes > maxLearnedBytes {
		l.remove(l.order.Front())
	}
}

// drop discards what is remembered of a name.
func (l *learned[V]) drop(name string) {
	if e := l.byName[name]; e != nil {
		l.remove(e)
	}
}

func (l *learned[V]) remove(e *list.Element) {
	old := l.order.Remove(e).(fact[V])
	l.bytes -= old.bytes
	delete(l.byName, old.name)
}
