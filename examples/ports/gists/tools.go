package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/google/go-github/v82/github"
)

// Gists has the tools.
type Gists struct{ api *github.GistsService }

// A Written is where a gist is that was created or updated.
type Written struct {
	ID  string `json:"id"`
	URL string `json:"url"`
}

// ListGists lists a user's gists, without the contents of their files, which get_gist returns.
//
//   - username: whose gists; without it, those of the user whose token the server has
//   - since: a date, or a time such as 2006-01-02T15:04:05Z; gists that have not changed after it are left out
//   - page: which page of the list; without it, the first
//   - perPage: how many gists a page has; without it, 30
//
//mcp:tool readonly text
//mcp:title Find gists of a user
//mcp:param username optional
//mcp:param since optional
//mcp:param page optional min=1
//mcp:param perPage optional min=1 max=100
func (g *Gists) ListGists(ctx context.Context, username, since string, page, perPage float64) ([]*github.Gist, error) {
	opts := &github.GistListOptions{ListOptions: github.ListOptions{Page: cmp.Or(int(page), 1), PerPage: cmp.Or(int(perPage), 30)}}
	if since != "" {
		var err error
		if opts.Since, err = parseTime(since); err != nil {
			return nil, err
		}
	}
	list, _, err := g.api.List(ctx, username, opts)
	return list, err
}

// GetGist returns a gist with the contents of its files.
//
//   - gistID: which gist, by the id that list_gists returns; it also ends the URL of the gist
//
//mcp:tool readonly text
//mcp:title Read a gist
//mcp:param gistID name=gist_id
func (g *Gists) GetGist(ctx context.Context, gistID string) (*github.Gist, error) {
	if err := given("gist_id", gistID); err != nil {
		return nil, err
	}
	gist, _, err := g.api.Get(ctx, gistID)
	return gist, err
}

// CreateGist creates a gist of one file, and returns its id and its URL.
//
//   - description: what the gist is about
//   - filename: what the file is called, such as notes.md
//   - content: the text of the file
//   - public: true for a gist that everybody finds, false for one that only those find who have its URL
//
//mcp:tool text scope=gist
//mcp:title Write a new gist
//mcp:param description optional
//mcp:param public default=false
func (g *Gists) CreateGist(ctx context.Context, description, filename, content string, public bool) (*Written, error) {
	if err := given("filename", filename, "content", content); err != nil {
		return nil, err
	}
	files := map[github.GistFilename]github.GistFile{github.GistFilename(filename): {Content: &content}}
	gist, _, err := g.api.Create(ctx, &github.Gist{Description: &description, Public: &public, Files: files})
	return written(gist), err
}

// UpdateGist writes one file of a gist, and leaves the others as they are.
//
//   - gistID: which gist, by the id that list_gists returns
//   - description: what the gist is now about; without it, its description stays
//   - filename: which file; if the gist has none of this name, it gets one
//   - content: the whole new text of the file
//
//mcp:tool text scope=gist
//mcp:title Change a gist
//mcp:param gistID name=gist_id
func (g *Gists) UpdateGist(ctx context.Context, gistID string, description *string, filename, content string) (*Written, error) {
	if err := given("gist_id", gistID, "filename", filename, "content", content); err != nil {
		return nil, err
	}
	files := map[github.GistFilename]github.GistFile{github.GistFilename(filename): {Filename: &filename, Content: &content}}
	gist, _, err := g.api.Edit(ctx, gistID, &github.Gist{Description: description, Files: files})
	return written(gist), err
}

// written returns where a gist is.
func written(g *github.Gist) *Written { return &Written{ID: g.GetID(), URL: g.GetHTMLURL()} }

// parseTime reads a date and a time, or a date alone.
func parseTime(text string) (time.Time, error) {
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, fmt.Errorf("since: want a time such as 2006-01-02T15:04:05Z, or a date, got %q", text)
	}
	return t, nil
}

// given fails if a required text is empty, which the original refuses, and its schemas do not say. The arguments are names and
// values by turns.
func given(arguments ...string) error {
	for i := 0; i < len(arguments); i += 2 {
		if arguments[i+1] == "" {
			return fmt.Errorf("%s: want at least 1 character, got 0", arguments[i])
		}
	}
	return nil
}
