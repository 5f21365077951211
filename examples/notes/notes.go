package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/runtime/server"
)

// A Note is a piece of text that is kept.
type Note struct {
	ID      int64     `json:"id"`
	Title   string    `json:"title"`
	Text    string    `json:"text"`
	Tags    []string  `json:"tags"`    // in lower case
	Changed time.Time `json:"changed"` // when it was written, or last changed
}

// Add keeps a new note.
//
//   - title: a few words that say what it is about
//   - text: the note itself, in Markdown
//   - tags: words to find it by
//
//mcp:tool name=add_note nondestructive closedworld
//mcp:param title minlen=1 maxlen=200
func (n *Notes) Add(ctx context.Context, title, text string, tags ...string) (id int64, err error) {
	err = n.change(ctx, func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, `INSERT INTO notes (title, text, changed) VALUES (?, ?, ?)`, title, text, now())
		if err != nil {
			return err
		}
		if id, err = r.LastInsertId(); err != nil {
			return err
		}
		return setTags(ctx, tx, id, tags)
	})
	return id, err
}

// Edit changes a note. What is not given stays as it is.
//
//   - tags: they replace the ones that the note has
//
//mcp:tool name=edit_note idempotent closedworld
//mcp:param title minlen=1 maxlen=200
//mcp:param tags optional
func (n *Notes) Edit(ctx context.Context, id int64, title, text *string, tags []string) (*Note, error) {
	err := n.change(ctx, func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, `UPDATE notes SET title = coalesce(?, title), text = coalesce(?, text), changed = ? WHERE id = ?`,
			title, text, now(), id)
		if err != nil {
			return err
		}
		if changed, err := r.RowsAffected(); err != nil || changed == 0 {
			return errors.Join(err, notFound(id))
		}
		if tags == nil {
			return nil
		}
		return setTags(ctx, tx, id, tags)
	})
	if err != nil {
		return nil, err
	}
	return n.Read(ctx, id)
}

// Delete deletes a note for good. The user is asked first, if the client can ask.
//
//mcp:tool name=delete_note destructive idempotent closedworld
func (n *Notes) Delete(ctx context.Context, c *server.Call, id int64) error {
	note, err := n.Read(ctx, id)
	if err != nil {
		return err
	}
	if sure, err := confirm(ctx, c, fmt.Sprintf("Delete the note %q?", note.Title)); err != nil || !sure {
		return errors.Join(err, errors.New("the user does not want that"))
	}
	_, err = n.db.ExecContext(ctx, `DELETE FROM notes WHERE id = ?`, id)
	return err
}

// Search finds notes, the one that was changed last first.
//
//   - words: text that the title or the text has; all notes if empty
//   - tag: a tag that the notes have
//
//mcp:tool name=search_notes readonly closedworld
//mcp:param words "default="
//mcp:param tag optional
//mcp:param limit default=20 min=1 max=100
func (n *Notes) Search(ctx context.Context, words string, tag *string, limit int) (notes []Note, total int, err error) {
	rows, err := n.db.QueryContext(ctx, selectNotes+`
		WHERE (instr(lower(title), lower(?1)) OR instr(lower(text), lower(?1)))
			AND (?2 IS NULL OR EXISTS (SELECT 1 FROM tags WHERE note = id AND tag = lower(?2)))
		ORDER BY changed DESC, id DESC`, words, tag)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		total++
		if len(notes) == limit {
			continue
		}
		note, err := scan(rows)
		if err != nil {
			return nil, 0, err
		}
		notes = append(notes, *note)
	}
	return notes, total, rows.Err()
}

// Read is one note.
//
//mcp:resource note://{id}
func (n *Notes) Read(ctx context.Context, id int64) (*Note, error) {
	note, err := scan(n.db.QueryRowContext(ctx, selectNotes+` WHERE id = ?`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, notFound(id)
	}
	return note, err
}

// selectNotes selects what scan reads.
const selectNotes = `SELECT id, title, text, changed, (SELECT json_group_array(tag ORDER BY tag) FROM tags WHERE note = id) FROM notes`

func scan(row interface{ Scan(...any) error }) (*Note, error) {
	var note Note
	var changed, tags string
	if err := row.Scan(&note.ID, &note.Title, &note.Text, &changed, &tags); err != nil {
		return nil, err
	}
	var err error
	if note.Changed, err = time.Parse(time.RFC3339, changed); err != nil {
		return nil, err
	}
	return &note, json.Unmarshal([]byte(tags), &note.Tags)
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

func notFound(id int64) error {
	return fmt.Errorf("note %d: %w", id, server.ErrNotFound)
}
