package main

import (
	"context"
	"fmt"
	"strings"
)

// Review goes through all notes with a tag.
//
//   - tag: which notes
//
//mcp:prompt
func (n *Notes) Review(ctx context.Context, tag string) (string, error) {
	notes, _, err := n.Search(ctx, "", &tag, 100)
	if err != nil {
		return "", err
	}
	if len(notes) == 0 {
		return "", fmt.Errorf("no note has the tag %q", tag)
	}
	var text strings.Builder
	text.WriteString("Tell me what is out of date in these notes, and what contradicts itself.\n")
	for _, note := range notes {
		fmt.Fprintf(&text, "\n# %s (note://%d, %s)\n\n%s\n", note.Title, note.ID, note.Changed.Format("2006-01-02"), note.Text)
	}
	return text.String(), nil
}

// CompleteTag completes a tag by those that are in use, the most used first.
//
//mcp:complete Notes.Review tag
func (n *Notes) CompleteTag(ctx context.Context, typed string) ([]string, error) {
	rows, err := n.db.QueryContext(ctx, `SELECT tag FROM tags WHERE substr(tag, 1, length(?1)) = lower(?1) GROUP BY tag ORDER BY count(*) DESC, tag`, typed)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var tags []string
	for rows.Next() {
		var tag string
		if err := rows.Scan(&tag); err != nil {
			return nil, err
		}
		tags = append(tags, tag)
	}
	return tags, rows.Err()
}
