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
	timer       *time.Timer // nil if it is not set
}

const (
	// beatsEarly says how early a comment may be written, together with others: by the time between two comments,
	// divided by beatsEarly.
	beatsEarly = 16
	// beatsPatience is how long a comment may take before another goroutine continues with the other streams.
	beatsPatience = time.Millisecond
)

// add schedules the next comment of an output.
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

// remove undoes add.
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

// wind sets the timer for the first output, unless it is set. It is called with mu held.
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

// beat writes to all outputs whose time has come. A client that does not read holds up only its own stream: if writing
// takes long, another beat continues with the others.
func (p *pulse) beat() {
	for out := p.next(); out != nil; out = p.next() {
		other := time.AfterFunc(beatsPatience, p.beat)
		out.stream.keepAlive(out)
		if !other.Stop() {
			return
		}
	}
}

// next removes and returns the first output if its time has come. Otherwise it sets the timer and returns nil.
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
