package streamable

import (
	"sync"
	"time"
)

// A pulse writes comments to open streams, so that their connections are known to be alive. All streams share one
// timer.
type pulse struct {
	every time.Duration // if it is not positive, there is no pulse

	mu          sync.Mutex
	first, last *output     // those that have waited longest come first
	timer       *time.Timer // nil if it is not wound
}

const (
	// beatsEarly is the part of the time between two comments by which one may come early, together with others.
	beatsEarly = 16
	// beatsPatience is how long a comment may take before another goroutine goes on with those of other streams.
	beatsPatience = time.Millisecond
)

// add has a comment written to an output after the time between two of them.
func (p *pulse) add(out *output) {
	if p.every <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	out.due, out.waits = time.Now().Add(p.every), true
	if out.prev = p.last; out.prev != nil {
		out.prev.next = out
	} else {
		p.first = out
	}
	p.last = out
	p.wind()
}

// remove is the reverse.
func (p *pulse) remove(out *output) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unlink(out)
}

func (p *pulse) unlink(out *output) {
	if !out.waits {
		return
	}
	if out.prev != nil {
		out.prev.next = out.next
	} else {
		p.first = out.next
	}
	if out.next != nil {
		out.next.prev = out.prev
	} else {
		p.last = out.prev
	}
	out.prev, out.next, out.waits = nil, nil, false
	if p.first == nil && p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
}

// wind makes the timer ring for the first output. It is called with mu.
func (p *pulse) wind() {
	if p.timer == nil && p.first != nil {
		p.timer = time.AfterFunc(time.Until(p.first.due), p.ring)
	}
}

func (p *pulse) ring() {
	p.mu.Lock()
	p.timer = nil
	p.mu.Unlock()
	p.beat()
}

// beat writes to all outputs whose time has come. A client that does not read only holds up its own stream: if
// writing takes long, another beat goes on with the others.
func (p *pulse) beat() {
	for out := p.next(); out != nil; out = p.next() {
		other := time.AfterFunc(beatsPatience, p.beat)
		out.stream.keepAlive(out)
		if !other.Stop() {
			return
		}
	}
}

// next takes out the first output if its time has come. Otherwise it winds the timer and returns nil.
func (p *pulse) next() *output {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.first
	if out == nil || time.Until(out.due) > p.every/beatsEarly {
		p.wind()
		return nil
	}
	p.unlink(out)
	return out
}
