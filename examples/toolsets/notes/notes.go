// Package notes keeps notes in memory.
//
//mcp:server prefix=notes_
package notes

//go:generate go tool mcpgen tools

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/ask"
)

// A Store has notes by their names.
type Store struct {
	mu    sync.Mutex
	texts map[string]string
}

// List returns the names of all notes.
//
//mcp:tool readonly group=notes
//mcp:icon note.svg sizes=any
//mcp:meta {"com.example/cost":"low"}
func (s *Store) List() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.texts))
}

// Write writes a note.
//
//mcp:tool nondestructive group=notes rate=100/m
func (s *Store) Write(name, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.texts == nil {
		s.texts = make(map[string]string)
	}
	s.texts[name] = text
}

// Find returns the names of notes that contain a word.
//
//mcp:tool readonly group=notes feature=!ranked
func (s *Store) Find(word string) []string {
	found := s.FindRanked(word, len(s.List()))
	slices.Sort(found)
	return found
}

// FindRanked returns the names of notes that contain a word, those first that have it most often.
//
//mcp:tool name=find readonly group=notes feature=ranked
//mcp:param most default=10 min=1
func (s *Store) FindRanked(word string, most int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := []string{}
	for name, text := range s.texts {
		if strings.Contains(text, word) {
			found = append(found, name)
		}
	}
	slices.SortFunc(found, func(x, y string) int {
		return cmp.Or(strings.Count(s.texts[y], word)-strings.Count(s.texts[x], word), cmp.Compare(x, y))
	})
	return found[:min(most, len(found))]
}

// Delete deletes a note.
//
//mcp:tool destructive group=notes "confirm=Delete the note {name}?"
func (s *Store) Delete(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.texts[name]; !ok {
		return fmt.Errorf("there is no note %q", name)
	}
	delete(s.texts, name)
	return nil
}

// Rename gives a note the name that the user chooses.
//
//mcp:tool needs=elicitation feature=beta timeout=30s
func (s *Store) Rename(ctx context.Context, c *server.Call, name string) (string, error) {
	chosen, err := ask.Form[struct{ Name string }](ctx, c, "What is the new name of "+ask.Shown(name)+"?")
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts[chosen.Name] = s.texts[name]
	delete(s.texts, name)
	return "renamed to " + chosen.Name, nil
}

// All are all notes in one text.
//
//mcp:resource notes://all group=notes audience=assistant priority=0.5
func (s *Store) All() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := ""
	for _, name := range slices.Sorted(maps.Keys(s.texts)) {
		text += name + ": " + s.texts[name] + "\n"
	}
	return text
}
