package dev

import (
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Phase is what a [Runner] is doing.
type Phase string

const (
	Building Phase = "building"
	Serving  Phase = "serving" // the newest build
	Failed   Phase = "failed"  // the newest code does not build, or does not start
	Lost     Phase = "lost"    // the build that served has exited
)

// A State is the state of a [Runner] that is shown.
type State struct {
	Phase   Phase  `json:"phase"`
	Serves  bool   `json:"serves"`            // whether some build serves
	Problem string `json:"problem,omitempty"` // what is wrong, with the places of the mistakes
	Summary string `json:"summary,omitempty"` // what the last good build offers, and what is new in it
	Verdict string `json:"verdict,omitempty"` // whether it breaks callers
}

// show changes the state, and shows it.
func (r *Runner) show(change func(*State)) {
	change(&r.state)
	r.state.Serves = r.child != nil
	if r.Show != nil {
		r.Show(r.state)
	}
}

// fails shows a problem.
func (r *Runner) fails(phase Phase, problem error) {
	r.show(func(s *State) { s.Phase, s.Problem = phase, problem.Error() })
}

// About returns what the serving build says about itself, and its revision; false if there is none.
func (e *Endpoint) About() (*client.ServerInfo, wire.Revision, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.now == nil {
		return nil, wire.Any, false
	}
	return e.now.client.Server(), e.now.client.Revision(), true
}
