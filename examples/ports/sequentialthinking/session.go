package main

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// A Thought is one step of a session.
type Thought struct {
	Index   int       `json:"index"` // from 1
	Content string    `json:"content"`
	Created time.Time `json:"created"`
	Revised bool      `json:"revised"`
}

// A Session is thoughts about one problem.
type Session struct {
	ID             string    `json:"id"`
	Problem        string    `json:"problem"`
	Thoughts       []Thought `json:"thoughts"`
	CurrentThought int       `json:"currentThought"`
	EstimatedTotal int       `json:"estimatedTotal"`
	Status         string    `json:"status"` // active or completed
	Created        time.Time `json:"created"`
	LastActivity   time.Time `json:"lastActivity"`
	Branches       []string  `json:"branches,omitempty"` // ids of sessions
	Version        int       `json:"version"`            // how often it was changed
}

// Thinking holds the sessions. What is in the map is never changed, only replaced.
type Thinking struct {
	mu       sync.Mutex
	sessions map[string]Session
}

// begin adds a session, and replaces one of the same id.
func (t *Thinking) begin(s Session) {
	s.Status, s.Created, s.LastActivity = "active", time.Now(), time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sessions[s.ID] = s
}

// find returns a session. The caller holds the lock.
func (t *Thinking) find(id string) (Session, error) {
	if s, ok := t.sessions[id]; ok {
		return s, nil
	}
	return Session{}, fmt.Errorf("session %s not found", id)
}

// change lets f change a session, and keeps it if there is no error.
func (t *Thinking) change(id string, f func(*Session) error) (Session, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, err := t.find(id)
	if err != nil {
		return s, err
	}
	s.Thoughts, s.Branches = slices.Clone(s.Thoughts), slices.Clone(s.Branches)
	if err := f(&s); err != nil {
		return s, err
	}
	s.LastActivity = time.Now()
	s.Version++
	t.sessions[id] = s
	return s, nil
}
