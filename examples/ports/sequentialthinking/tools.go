package main

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// StartThinking begins a session for a complex problem.
//
//mcp:tool nondestructive closedworld
//mcp:param sessionID name=sessionId optional
//mcp:param estimatedSteps default=5 min=1
func (t *Thinking) StartThinking(problem, sessionID string, estimatedSteps int) string {
	id := cmp.Or(sessionID, rand.Text())
	t.begin(Session{ID: id, Problem: problem, EstimatedTotal: estimatedSteps})
	return fmt.Sprintf("Started thinking session '%s' for problem: %s\nEstimated steps: %d\nReady for your first thought.",
		id, problem, estimatedSteps)
}

// ContinueThinking adds the next thought, revises an earlier one, or creates a branch.
//
//   - nextNeeded: whether there are thoughts to come
//   - reviseStep: which thought this one takes the place of; the first is 1
//   - createBranch: whether to go on in another session, with the thoughts of this one so far
//   - estimatedTotal: how many thoughts there will be
//
//mcp:tool destructive closedworld
//mcp:param sessionID name=sessionId
//mcp:param nextNeeded default=true
//mcp:param createBranch optional
//mcp:param estimatedTotal optional min=0
func (t *Thinking) ContinueThinking(sessionID, thought string, nextNeeded bool, reviseStep *int, createBranch bool, estimatedTotal int) (string, error) {
	switch {
	case reviseStep != nil:
		return t.revise(sessionID, thought, *reviseStep)
	case createBranch:
		return t.branch(sessionID)
	}
	s, err := t.change(sessionID, func(s *Session) error {
		s.CurrentThought = len(s.Thoughts) + 1
		s.Thoughts = append(s.Thoughts, Thought{Index: s.CurrentThought, Content: thought, Created: time.Now()})
		s.EstimatedTotal = cmp.Or(estimatedTotal, s.EstimatedTotal)
		if !nextNeeded {
			s.Status = "completed"
		}
		return nil
	})
	next := "Ready for next thought..."
	if s.Status == "completed" {
		next = "✓ Thinking process completed!"
	}
	return fmt.Sprintf("Session '%s' - Step %d of ~%d:\n%s\n%s", s.ID, s.CurrentThought, s.EstimatedTotal, thought, next), err
}

func (t *Thinking) revise(id, thought string, step int) (string, error) {
	_, err := t.change(id, func(s *Session) error {
		if step < 1 || step > len(s.Thoughts) {
			return fmt.Errorf("invalid step number: %d", step)
		}
		s.Thoughts[step-1].Content, s.Thoughts[step-1].Revised = thought, true
		return nil
	})
	return fmt.Sprintf("Revised step %d in session '%s':\n%s", step, id, thought), err
}

func (t *Thinking) branch(id string) (string, error) {
	s, err := t.change(id, func(s *Session) error {
		s.Branches = append(s.Branches, fmt.Sprintf("%s_branch_%d", id, len(s.Branches)+1))
		return nil
	})
	if err != nil {
		return "", err
	}
	b := Session{
		ID: s.Branches[len(s.Branches)-1], Problem: s.Problem + " (Alternative branch)",
		Thoughts: s.Thoughts, CurrentThought: len(s.Thoughts), EstimatedTotal: s.EstimatedTotal,
	}
	t.begin(b)
	return fmt.Sprintf("Created branch '%s' from session '%s'. You can now continue thinking in either session.", b.ID, id), nil
}

// ReviewThinking tells all thoughts of a session.
//
//mcp:tool readonly closedworld
//mcp:param sessionID name=sessionId
func (t *Thinking) ReviewThinking(sessionID string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, err := t.find(sessionID)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "=== Thinking Review: %s ===\nProblem: %s\nStatus: %s\nSteps: %d of ~%d\n",
		s.ID, s.Problem, s.Status, len(s.Thoughts), s.EstimatedTotal)
	if len(s.Branches) > 0 {
		fmt.Fprintf(&b, "Branches: %s\n", strings.Join(s.Branches, ", "))
	}
	b.WriteString("\n--- Thought Sequence ---\n")
	for _, thought := range s.Thoughts {
		revised := ""
		if thought.Revised {
			revised = " (revised)"
		}
		fmt.Fprintf(&b, "%d. %s%s\n", thought.Index, thought.Content, revised)
	}
	return b.String(), nil
}

// Sessions lists all sessions and their thoughts, the first one first.
//
//mcp:resource thinking://sessions name=thinking_sessions
func (t *Thinking) Sessions() []Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := slices.Collect(maps.Values(t.sessions))
	slices.SortFunc(all, func(a, b Session) int { return a.Created.Compare(b.Created) })
	return all
}
