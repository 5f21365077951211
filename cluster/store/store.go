// Package store keeps what several processes, or one process after another, must share to serve the same clients: a
// [Store] of small records, a [Member] for each process among those that share a store, and [Once].
//
// Sessions over HTTP, tasks, used state, and what an authorization server remembers are kept as such records, so
// keeping them elsewhere takes one implementation of four methods. What is sent on streams is kept separately: see
// [github.com/mcpgen/mcpgen/runtime/transport/streamable.EventStore].
package store

import (
	"context"
	"errors"
	"time"
)

// A Store keeps records by their keys. Each record has a revision number, greater than that of any earlier record with
// the same key, even a deleted one. A writer says which revision it has seen, so of several that change a record at the
// same time one succeeds. That is all that leases and their fencing need.
//
// The methods may be called by several goroutines at once. Values belong to the caller, before and after the call.
// When a method has returned, every later call sees what it did. An error that is not one of this package's says that
// the store could not be reached; whether a change was made is then unknown.
type Store interface {
	// Get returns a record. The error is [ErrNotFound] if there is none, or it has expired.
	Get(ctx context.Context, key string) (Record, error)

	// Put stores a value in place of the record with that revision, 0 if there must be none, and returns the new
	// revision. The error is [ErrConflict] if the record has another revision or does not exist, and may be [ErrFull] if
	// revision is 0. The record expires after the given time, or up to a second later; 0 means never.
	Put(ctx context.Context, key string, value []byte, revision uint64, ttl time.Duration) (uint64, error)

	// Delete deletes the record with that revision. The error is [ErrConflict] if the record has another revision or
	// does not exist. A revision of 0 means any, or none: then neither is an error.
	Delete(ctx context.Context, key string, revision uint64) error

	// List returns the first n records, or fewer, whose keys begin with the parts of under and are greater than
	// after, in the order of their keys.
	List(ctx context.Context, under, after string, n int) ([]Record, error)
}

// A Record is a value with its key.
type Record struct {
	Key      string
	Value    []byte
	Revision uint64
}

var (
	// ErrNotFound is the error for a record that does not exist.
	ErrNotFound = errors.New("store: there is no such record")
	// ErrConflict is the error for a record that another writer has changed.
	ErrConflict = errors.New("store: the record was changed by somebody else")
	// ErrFull is the error for a record for which there is no room.
	ErrFull = errors.New("store: there is no room for another record")
	// ErrTooLarge is the error for a value that is too large for the store. Every store accepts 256 KiB.
	ErrTooLarge = errors.New("store: the value is too large")
	// ErrKey is the error for an invalid key.
	ErrKey = errors.New("store: a key must be parts of A-Z, a-z, 0-9, - and _, joined by dots, and have at most 250 bytes")
)

// maxKey is how many bytes a key may have.
const maxKey = 250

// ValidKey reports whether a text is a key: parts of letters, digits, dashes and underscores, joined by dots, at
// most 250 bytes. Stores can use keys unchanged in file names, subjects and the like.
func ValidKey(key string) bool {
	if key == "" || len(key) > maxKey {
		return false
	}
	last := byte('.')
	for i := range len(key) {
		c := key[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		case c == '.' && last != '.':
		default:
			return false
		}
		last = c
	}
	return last != '.'
}
