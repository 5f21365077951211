package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// survivors are the mutants that may survive, with the reasons.
type survivors struct {
	file    string
	entries map[string]*entry // by key
	order   []*entry
}

type entry struct {
	key    string
	line   int
	reason string
}

// readSurvivors reads a list: keys of mutants, each on a line, and below one or more of them the
// reason, indented, on one line. Lines that begin with # do not count.
func readSurvivors(file string) (*survivors, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := &survivors{file: file, entries: map[string]*entry{}}
	var wrong []error
	open := 0 // the first entry that has no reason yet
	line := 0
	for text := range strings.Lines(string(text)) {
		line++
		trimmed := strings.TrimSpace(text)
		switch {
		case trimmed == "" || strings.HasPrefix(text, "#"):
		case text[0] == '\t' || text[0] == ' ':
			if len(s.order) == open {
				wrong = append(wrong, fmt.Errorf("%s:%d: a reason without a mutant above", file, line))
			}
			for _, e := range s.order[open:] {
				e.reason = trimmed
			}
			open = len(s.order)
		default:
			e := &entry{key: trimmed, line: line}
			if s.entries[e.key] != nil {
				wrong = append(wrong, fmt.Errorf("%s:%d: the mutant is named in line %d, too", file, line, s.entries[e.key].line))
			}
			s.entries[e.key] = e
			s.order = append(s.order, e)
		}
	}
	for _, e := range s.order[open:] {
		wrong = append(wrong, fmt.Errorf("%s:%d: the mutant has no reason below", file, e.line))
	}
	return s, errors.Join(wrong...)
}

// check compares the list with what came of mutants: who survives must have an entry, of so many in a
// hundred at least, and whoever has one must exist, and survive.
func (s *survivors) check(all map[string]bool, outcomes []outcome, least float64, within func(key string) bool) error {
	var wrong []error
	unnamed := 0
	for _, e := range s.order {
		if within(e.key) && !all[e.key] {
			wrong = append(wrong, fmt.Errorf("%s:%d: unused entry: no such mutant exists", s.file, e.line))
		}
	}
	for _, o := range outcomes {
		e := s.entries[o.name()]
		switch {
		case e == nil && !o.killed():
			unnamed++
		case least < 100: // a sample, whose named ones may die by chance: tests of costs do not always kill
		case e != nil && o.killed() && !o.timeout: // a slow machine is no proof
			wrong = append(wrong, fmt.Errorf("%s:%d: unused entry: %s kills the mutant", s.file, e.line, o.killer))
		}
	}
	if n := len(outcomes); 100*float64(n-unnamed) < least*float64(n) {
		wrong = append(wrong, fmt.Errorf("%d of %d mutants survive that %s does not name", unnamed, n, s.file))
	}
	return errors.Join(wrong...)
}
