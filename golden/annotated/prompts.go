package annotated

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

// Review asks for a review of code.
//
//   - code: what to review
//   - depth: how closely
//
//mcp:prompt
//mcp:title Code review
//mcp:param depth default=1 min=1 max=3
func Review(code string, depth int, unit *Unit, until *time.Time) (string, error) {
	if code == "" {
		return "", fmt.Errorf("there is no code")
	}
	text := fmt.Sprintf("Review %s, depth %d", code, depth)
	if unit != nil {
		text += ", in " + string(*unit)
	}
	if until != nil {
		text += ", until " + until.Format(time.DateOnly)
	}
	return text, nil
}

//mcp:prompt name=chat
func Talk(topic string) []mcp.PromptMessage {
	return []mcp.PromptMessage{
		{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: topic}},
		{Role: mcp.RoleAssistant, Content: &mcp.TextContent{Text: "Go on."}},
	}
}

// Topics are the arguments of a prompt.
type Topics struct {
	First  string `json:"first"` // comes first
	Second bool   `json:"second,omitempty"`
}

//mcp:prompt
func Explain(t Topics) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{Description: t.First, Messages: Talk(fmt.Sprint(t.Second))[:1]}
}

// Files are what resources are read from.
type Files struct{ Text map[string]string }

// Read reads a file.
//
//mcp:resource file:///{+path} name=file mime=text/plain
func (f *Files) Read(path string) string { return f.Text[path] }

// Paths completes a path.
//
//mcp:complete Files.Read path
func (f *Files) Paths(typed string) []string {
	var found []string
	for path := range f.Text {
		if strings.HasPrefix(path, typed) {
			found = append(found, path)
		}
	}
	slices.Sort(found)
	return found
}

// Codes completes what to review, for a unit that is settled already.
//
//mcp:complete Review code
//mcp:complete Talk topic
func Codes(typed string, settled map[string]string) ([]string, error) {
	codes := []string{typed + "1", typed + "2"}
	if unit, ok := settled["unit"]; ok {
		codes = append(codes, typed+" in "+unit)
	}
	return codes, nil
}
