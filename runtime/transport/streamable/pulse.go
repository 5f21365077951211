package streamable

import (
	"sync"
	"time"
)

// A pulse writes comments to open streams, to show that their connections are alive. All streams share one timer.
type pulse struct {
	every time.Duration // if it is not positive, there is no pulse

	mu      sync.Mutex
	waiting queue[*output] // those that have waited longest come first
	timer   *time.Timer    // nil if it is not set
}

const (
	// beatsEarly says how early a comment may be written together with others: the time between two comments,
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
	out.due = time.Now().Add(p.every)
	p.waiting.add(&out.waits, out)
	p.wind()
}

// remove undoes add.
func (p *pulse) remove(out *output) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unlink(out)
}

func (p *pulse) unlink(out *output) {
	out.waits.remove()
	if p.waiting.first == nil && p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
}

// wind sets the timer for the first output, unless it is set. It is called with mu held.
func (p *pulse) wind() {
	if first := p.waiting.first; p.timer == nil && first != nil {
		p.timer = time.AfterFunc(time.Until(first.item.due), p.ring)
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
	for out, f := p.next(); out != nil; out, f = p.next() {
		other := time.AfterFunc(beatsPatience, p.beat)
		f.keepAlive(out)
		if !other.Stop() {
			return
		}
	}
}

// next removes and returns the first output if its time has come, and its stream: the output has none any more once the
// response ends. Otherwise it sets the timer and returns nil.
func (p *pulse) next() (*output, *stream) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := p.waiting.first
	if first == nil || time.Until(first.item.due) > p.every/beatsEarly {
		p.wind()
		return nil, nil
	}
	out := first.item
	p.unlink(out)
	return out, out.stream
}
