package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"

	"modernc.org/sqlite" // the driver "sqlite"
)

// SQLite's own lower knows the letters of ASCII only.
func init() {
	sqlite.MustRegisterDeterministicScalarFunction("lower", 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		if s, ok := args[0].(string); ok {
			return strings.ToLower(s), nil
		}
		return args[0], nil
	})
}

// Notes is a store of notes.
type Notes struct {
	db *sql.DB
}

// Open opens the store in a file, which it makes if there is none.
func Open(ctx context.Context, file string) (*Notes, error) {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // SQLite has one writer, and calls come concurrently
	for _, statement := range []string{
		`PRAGMA foreign_keys = ON`,
		`CREATE TABLE IF NOT EXISTS notes (
			id      INTEGER PRIMARY KEY AUTOINCREMENT,
			title   TEXT NOT NULL,
			text    TEXT NOT NULL,
			changed TEXT NOT NULL
		)`,
		`CREATE TABLE IF NOT EXISTS tags (
			note INTEGER NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
			tag  TEXT NOT NULL,
			PRIMARY KEY (note, tag)
		)`,
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			db.Close()
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return &Notes{db}, nil
}

// Close closes the store.
func (n *Notes) Close() error { return n.db.Close() }

// change runs f in a transaction.
func (n *Notes) change(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := n.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after the commit
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// setTags replaces the tags of a note.
func setTags(ctx context.Context, tx *sql.Tx, id int64, tags []string) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM tags WHERE note = ?`, id); err != nil {
		return err
	}
	for _, tag := range tags {
		if _, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO tags VALUES (?, ?)`, id, strings.ToLower(tag)); err != nil {
			return err
		}
	}
	return nil
}
