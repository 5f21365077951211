package tools

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// An Error is one mistake in annotated Go code.
type Error struct {
	Pos      token.Position // its file is relative to the folder of the Config, if it is below it
	Msg      string
	Old, New string // what stands at Pos, and what was probably meant; empty if nothing is near
}

// Error returns `file:line:col: message`, or the message alone if there is no place for it.
func (e *Error) Error() string {
	if e.Pos.Filename == "" {
		return e.Msg
	}
	return fmt.Sprintf("%s: %s", e.Pos, e.Msg)
}

// relative returns a position whose file is relative to a folder, if it is below it.
func relative(pos token.Position, dir string) token.Position {
	if dir == "" {
		return pos // of [Analyze], whose caller finds the place by its offset
	}
	pos.Offset = 0 // go/packages tells none
	if rel, err := filepath.Rel(dir, pos.Filename); err == nil && filepath.IsLocal(rel) {
		pos.Filename = rel
	}
	return pos
}

// An ErrorList holds all the mistakes that were found, by their places.
type ErrorList []*Error

// Error returns all messages, each on a line of its own.
func (l ErrorList) Error() string {
	msgs := make([]string, len(l))
	for i, e := range l {
		msgs[i] = e.Error()
	}
	return strings.Join(msgs, "\n")
}

// sort brings the errors into the order of their places.
func (l ErrorList) sort() {
	slices.SortStableFunc(l, func(x, y *Error) int {
		return cmp.Or(cmp.Compare(x.Pos.Filename, y.Pos.Filename), cmp.Compare(x.Pos.Line, y.Pos.Line), cmp.Compare(x.Pos.Column, y.Pos.Column), cmp.Compare(x.Msg, y.Msg))
	})
}

// Unwrap lets errors.As find the single errors.
func (l ErrorList) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}
