package server

import (
	"container/heap"
	"time"
)

// An expiry knows when tasks expire. It has one timer, for the first of them.
type expiry struct {
	queue   expiryQueue
	entries map[string]*expiryEntry
	timer   *time.Timer
	stopped bool
}

type expiryEntry struct {
	key   string
	at    time.Time
	index int // in the queue
}

// Len returns how many tasks there are.
func (x *expiry) Len() int { return len(x.queue) }

// add adds a task, unless it never expires. F is called, in a goroutine of its own, when one expires.
func (x *expiry) add(key string, at time.Time, f func()) {
	if at.IsZero() {
		return
	}
	if x.entries == nil {
		x.entries = make(map[string]*expiryEntry)
	}
	e := &expiryEntry{key: key, at: at}
	x.entries[key] = e
	heap.Push(&x.queue, e)
	x.arm(f)
}

// remove removes a task.
func (x *expiry) remove(key string, f func()) {
	if e := x.entries[key]; e != nil {
		delete(x.entries, key)
		heap.Remove(&x.queue, e.index)
		x.arm(f)
	}
}

// due removes the tasks that have expired, and returns their keys.
func (x *expiry) due(now time.Time, f func()) (keys []string) {
	for len(x.queue) > 0 && !x.queue[0].at.After(now) {
		e := heap.Pop(&x.queue).(*expiryEntry)
		delete(x.entries, e.key)
		keys = append(keys, e.key)
	}
	x.arm(f)
	return keys
}

// arm sets the timer to the first task.
func (x *expiry) arm(f func()) {
	switch {
	case x.stopped || len(x.queue) == 0:
		if x.timer != nil {
			x.timer.Stop()
		}
	case x.timer == nil:
		x.timer = time.AfterFunc(time.Until(x.queue[0].at), f)
	default:
		x.timer.Reset(time.Until(x.queue[0].at))
	}
}

func (x *expiry) stop() {
	x.stopped = true
	x.arm(nil)
}

// An expiryQueue is a heap of tasks; the first to expire is at the front.
type expiryQueue []*expiryEntry

func (q expiryQueue) Len() int           { return len(q) }
func (q expiryQueue) Less(i, j int) bool { return q[i].at.Before(q[j].at) }
func (q expiryQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

// Push implements [heap.Interface].
func (q *expiryQueue) Push(x any) {
	e := x.(*expiryEntry)
	e.index = len(*q)
	*q = append(*q, e)
}

// Pop implements [heap.Interface].
func (q *expiryQueue) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return e
}

// expire removes the tasks that have expired.
func (r *taskRunner) expire() {
	r.mu.Lock()
	keys := r.expiry.due(time.Now(), r.expire)
	for _, key := range keys {
		r.room.remove(key)
	}
	r.mu.Unlock()
	for _, key := range keys {
		if t := r.at(key); t != nil {
			t.expire()
			r.remove(t)
		}
		r.delete(key)
		r.server.taskGone(taskIDOf(key))
	}
}
