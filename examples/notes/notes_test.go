package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// connect returns a client of a new server of the notes in a file.
func connect(t *testing.T, file string, opts *mcptest.Options) *mcptest.Client {
	t.Helper()
	notes, err := Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := notes.Close(); err != nil {
			t.Error(err)
		}
	})
	s, err := NewServer(notes, nil)
	if err != nil {
		t.Fatal(err)
	}
	if opts == nil {
		opts = &mcptest.Options{}
	}
	opts.AllowGoroutines = true // those of database/sql
	return mcptest.Connect(t, s, opts)
}

// call returns the text of a tool's result, which may be an error.
func call(t *testing.T, c *mcptest.Client, tool, arguments string) string {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: tool, Arguments: wire.Raw(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	return mcptest.Text(r)
}

func TestNotes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.db")
	c := connect(t, file, nil)
	for _, step := range []struct{ tool, arguments, want string }{
		{"add_note", `{"title":"Bread","text":"Flour, water, salt","tags":["Food","baking"]}`, `{"id":1}`},
		{"add_note", `{"title":"Soup","text":"Water and salt","tags":["food"]}`, `{"id":2}`},
		{"add_note", `{"title":"","text":"?"}`, `title: want at least 1 character, got 0`},
		{"edit_note", `{"id":2,"text":"Leek"}`, `"title":"Soup","text":"Leek","tags":["food"]`},
		{"edit_note", `{"id":2,"tags":[]}`, `"tags":[]`},
		{"edit_note", `{"id":7,"text":"Leek"}`, `note 7: resource not found`},
		{"search_notes", `{"words":"WATER"}`, `"title":"Bread"`},
		{"search_notes", `{"words":"WATER"}`, `"total":1}`},
		{"search_notes", `{"tag":"FOOD"}`, `"total":1}`},
		{"search_notes", `{"limit":1}`, `"total":2}`},
		{"search_notes", `{"words":"' OR 1=1 --"}`, `{"notes":[],"total":0}`},
		{"delete_note", `{"id":"2"}`, ``},
		{"search_notes", `{}`, `"total":1}`},
	} {
		if got := call(t, c, step.tool, step.arguments); !strings.Contains(got, step.want) {
			t.Errorf("%s %s:\n got %s\nwant %s", step.tool, step.arguments, got, step.want)
		}
	}

	prompt, err := c.GetPrompt(t.Context(), &mcp.GetPromptRequestParams{Name: "review", Arguments: map[string]string{"tag": "baking"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := prompt.Messages[0].Content.(*mcp.TextContent).Text; !strings.Contains(text, "# Bread (note://1") {
		t.Errorf("prompt: %s", text)
	}
	tags, err := c.Complete(t.Context(), &mcp.CompleteRequestParams{
		Ref: &mcp.PromptReference{Name: "review"}, Argument: mcp.CompleteRequestParamsArgument{Name: "tag", Value: "B"},
	})
	if err != nil || fmt.Sprint(tags.Completion.Values) != "[baking]" {
		t.Errorf("completion: %v, %v", tags, err)
	}

	// Another server finds what the first one kept.
	c2 := connect(t, file, nil)
	r, err := c2.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: "note://1"})
	if err != nil {
		t.Fatal(err)
	}
	if text := r.Contents[0].(*mcp.TextResourceContents).Text; !strings.HasPrefix(text, `{"id":1,"title":"Bread"`) {
		t.Errorf("resource: %s", text)
	}
	if _, err := c2.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: "note://2"}); err == nil {
		t.Error("a deleted note can still be read")
	}
}

// Capitals make no difference, in any alphabet.
func TestCapitals(t *testing.T) {
	c := connect(t, filepath.Join(t.TempDir(), "notes.db"), nil)
	call(t, c, "add_note", `{"title":"Österreich","text":"ΛΊΜΝΗ","tags":["ÄPFEL"]}`)
	for _, arguments := range []string{`{"tag":"ÄPFEL"}`, `{"tag":"äpfel"}`, `{"words":"österreich"}`, `{"words":"ÖSTERREICH"}`, `{"words":"λίμνη","tag":"Äpfel"}`} {
		if got := call(t, c, "search_notes", arguments); !strings.Contains(got, `"total":1}`) || !strings.Contains(got, `"tags":["äpfel"]`) {
			t.Errorf("search_notes %s: %s", arguments, got)
		}
	}
	if got := call(t, c, "search_notes", `{"words":"","tag":"ö"}`); !strings.Contains(got, `"total":0}`) {
		t.Errorf("another tag: %s", got)
	}
	if _, err := c.GetPrompt(t.Context(), &mcp.GetPromptRequestParams{Name: "review", Arguments: map[string]string{"tag": "ÄPFEL"}}); err != nil {
		t.Error(err)
	}
	tags, err := c.Complete(t.Context(), &mcp.CompleteRequestParams{
		Ref: &mcp.PromptReference{Name: "review"}, Argument: mcp.CompleteRequestParamsArgument{Name: "tag", Value: "ÄP"},
	})
	if err != nil || fmt.Sprint(tags.Completion.Values) != "[äpfel]" {
		t.Errorf("completion: %v, %v", tags, err)
	}
}

// The user decides, in every revision in which a server can ask.
func TestDeleteAsks(t *testing.T) {
	mcptest.EachRevision(t, func(t *testing.T, revision wire.Revision) {
		var asked string
		answer := mcp.ElicitResultActionDecline
		opts := &mcptest.Options{Revision: revision}
		opts.Client = client.Options{Elicit: elicit.Handler{Form: func(_ context.Context, p *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			asked = p.Message
			return &mcp.ElicitResult{Action: answer}, nil
		}}}
		c := connect(t, filepath.Join(t.TempDir(), "notes.db"), opts)
		call(t, c, "add_note", `{"title":"Bread","text":""}`)
		got, gone := call(t, c, "delete_note", `{"id":1}`), `"total":0`
		if revision < mcp.V2025_06_18 { // there is no way to ask
			if found := call(t, c, "search_notes", `{}`); !strings.Contains(found, gone) {
				t.Errorf("not deleted: %s", found)
			}
			return
		}
		if asked != `Delete the note "Bread"?` || got != "the user does not want that" {
			t.Errorf("asked %q, got %q", asked, got)
		}
		answer = mcp.ElicitResultActionAccept
		call(t, c, "delete_note", `{"id":1}`)
		if found := call(t, c, "search_notes", `{}`); !strings.Contains(found, gone) {
			t.Errorf("not deleted: %s", found)
		}
	})
}

// Calls come concurrently; the store keeps what each of them adds.
func TestConcurrentCalls(t *testing.T) {
	c := connect(t, filepath.Join(t.TempDir(), "notes.db"), nil)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			call(t, c, "add_note", fmt.Sprintf(`{"title":"%d","text":"","tags":["x","y"]}`, i))
		})
	}
	wg.Wait()
	if got := call(t, c, "search_notes", `{"tag":"x","limit":1}`); !strings.Contains(got, `"total":50}`) {
		t.Errorf("got %s", got)
	}
}
