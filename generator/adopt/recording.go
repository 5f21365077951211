// Package adopt moves an existing server, in whatever language, to annotated Go functions, and proves that clients see the
// same: it records what a server offers and how it responds to calls, writes annotated Go that offers the same, and
// compares what a new server does with the recording.
//
// It exists for the command mcpgen and its tests: its API promises nothing.
package adopt

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/client"
	"github.com/mcpgen/mcpgen/generator/internal/contract"
	"github.com/mcpgen/mcpgen/internal/harmless"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// version is that of the form of recordings.
const version = 1

// The limits of a recording, in bytes: of the file, of one result, and of all results in one revision. Of results beyond these, no
// more than the digests are kept.
const (
	maxRecording = 64 << 20
	maxResult    = 256 << 10
	maxResults   = 4 << 20
)

// A Recording is what a server offers, and how it responds to calls.
type Recording struct {
	Version   int        `json:"mcpgenRecording"`
	Secrets   []string   `json:"secrets,omitempty"` // the names of those that have been replaced
	Calls     []Call     `json:"calls,omitempty"`
	Revisions []Revision `json:"revisions"` // oldest first
}

// A Call is a call of a tool.
type Call struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Case says why the call is there: [Given], [Seen], [Valid] or a mistake.
	Case string `json:"case,omitempty"`
	// Session is the number of the session in which a proxy saw the call, from 1.
	Session int `json:"session,omitempty"`
	// Repeat says that the call changes nothing, so that it can be made twice to see what varies.
	Repeat bool `json:"repeat,omitempty"`
}

// The cases that are no mistakes: the user's own calls, those that a client made through a proxy, and valid arguments that were
// made from the schema.
const (
	Given = "given"
	Seen  = "seen"
	Valid = "valid"
)

// isMade reports whether the call was made from a schema.
func (c *Call) isMade() bool { return c.Case != Given && c.Case != Seen }

// A Revision is what a server offers in one revision of the protocol, and the outcomes of the calls.
type Revision struct {
	Revision          string                  `json:"protocolVersion"`
	Info              *mcp.Implementation     `json:"serverInfo,omitempty"`
	Instructions      string                  `json:"instructions,omitempty"`
	Capabilities      *mcp.ServerCapabilities `json:"capabilities,omitempty"`
	Tools             []mcp.Tool              `json:"tools,omitempty"`
	Prompts           []mcp.Prompt            `json:"prompts,omitempty"`
	Resources         []mcp.Resource          `json:"resources,omitempty"`
	ResourceTemplates []mcp.ResourceTemplate  `json:"resourceTemplates,omitempty"`
	Outcomes          []Outcome               `json:"outcomes,omitempty"`
}

// revision returns what the recording has of a revision, nil if it has nothing.
func (r *Recording) revision(name string) *Revision {
	for i := range r.Revisions {
		if r.Revisions[i].Revision == name {
			return &r.Revisions[i]
		}
	}
	return nil
}

// contract returns the lists of a revision.
func (r *Revision) contract() *client.Contract {
	return &client.Contract{Tools: r.Tools, Prompts: r.Prompts, ResourceTemplates: r.ResourceTemplates}
}

// outcome returns the outcome of a call, nil if it was not made in this revision.
func (r *Revision) outcome(call int) *Outcome {
	for i := range r.Outcomes {
		if r.Outcomes[i].Call == call {
			return &r.Outcomes[i]
		}
	}
	return nil
}

// tool returns the tool with a name, nil if there is none.
func (r *Revision) tool(name string) *mcp.Tool {
	for i := range r.Tools {
		if r.Tools[i].Name == name {
			return &r.Tools[i]
		}
	}
	return nil
}

// An Outcome is how the server responded to a call.
type Outcome struct {
	Call int    `json:"call"` // its index
	Kind string `json:"kind"`
	// Value is the result, or the error object. If it varies from call to call, it is no more than its shape.
	Value  json.RawMessage `json:"value,omitempty"`
	Varies bool            `json:"varies,omitempty"`
	Digest string          `json:"digest,omitempty"` // of a value that is too large
}

// digest returns the digest of the value.
func (o *Outcome) digest() string {
	if o.Digest != "" {
		return o.Digest
	}
	tree, err := decode(o.Value)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("sha256 %x", sha256.Sum256(encode(tree)))
}

// The kinds of outcomes.
const (
	Result    = "result"
	ToolError = "tool error"
	Refused   = "error response"
	Invalid   = "invalid result"
	Silence   = "no response"
)

// Format returns the file: indented JSON with sorted members, the same bytes for the same recording. No secret is in it, nor what
// would control a terminal.
func (r *Recording) Format(s *Secrets) ([]byte, error) {
	r.Version = version
	r.Secrets = s.names()
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	tree, err := decode(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s.hide(tree)); err != nil {
		return nil, err
	}
	text = []byte(harmless.Text(b.String())) // the values are the same
	if len(text) > maxRecording {
		return nil, fmt.Errorf("the recording has %d bytes, want at most %d: record fewer calls, or one revision", len(text), maxRecording)
	}
	if name := s.leaked(text); name != "" {
		return nil, fmt.Errorf("the secret %s is part of what the recording cannot do without: choose a longer one", name)
	}
	return text, nil
}

// Parse reads a recording. The errors begin with the name of its file.
func Parse(name string, text []byte) (*Recording, error) {
	if len(text) > maxRecording {
		return nil, fmt.Errorf("%s: want at most %d bytes, got %d", name, maxRecording, len(text))
	}
	var r Recording
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s: want a recording: %w", name, err)
	}
	switch {
	case r.Version == 0:
		return nil, fmt.Errorf("%s: want a recording, which mcpgen adopt -record writes", name)
	case r.Version > version:
		return nil, fmt.Errorf("%s: a newer mcpgen wrote it", name)
	case len(r.Revisions) == 0:
		return nil, fmt.Errorf("%s: it has no revision", name)
	}
	for _, rev := range r.Revisions {
		for _, o := range rev.Outcomes {
			if o.Call < 0 || o.Call >= len(r.Calls) {
				return nil, fmt.Errorf("%s: revision %q: an outcome of call %d, of %d", name, rev.Revision, o.Call, len(r.Calls))
			}
		}
	}
	return &r, nil
}

// ParseCalls reads the calls of a file that has one on each line: {"tool": …, "arguments": …}.
func ParseCalls(name string, text []byte) (calls []Call, err error) {
	for i, line := range bytes.Split(text, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		c := Call{Case: Given}
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		var given struct {
			Tool      string          `json:"tool"`
			Arguments json.RawMessage `json:"arguments"`
		}
		if err := d.Decode(&given); err != nil {
			return nil, fmt.Errorf(`%s:%d: want {"tool":NAME,"arguments":{…}}: %w`, name, i+1, err)
		}
		if d.More() {
			return nil, fmt.Errorf(`%s:%d: want one call on a line`, name, i+1)
		}
		if c.Tool, c.Arguments = given.Tool, given.Arguments; c.Tool == "" {
			return nil, fmt.Errorf(`%s:%d: "tool": want the name of a tool`, name, i+1)
		}
		if c.Arguments != nil && c.Arguments[0] != '{' {
			return nil, fmt.Errorf(`%s:%d: "arguments": want an object`, name, i+1)
		}
		if calls = append(calls, c); len(calls) > maxCalls {
			return nil, fmt.Errorf("%s:%d: want at most %d calls", name, i+1, maxCalls)
		}
	}
	return calls, nil
}

// decode returns a JSON value as Go's own types hold it, with numbers as they are written.
func decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// encode returns the JSON text of what decode returned. Members are sorted.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // it was JSON
	}
	return bytes.TrimSpace(b.Bytes())
}

// Contents says what a recording has, in a few words.
func (r *Recording) Contents() string {
	newest := &r.Revisions[len(r.Revisions)-1]
	var revisions []string
	for _, rev := range r.Revisions {
		revisions = append(revisions, rev.Revision)
	}
	calls := ""
	if n := len(r.Calls); n > 0 {
		calls = ", " + contract.Count(contract.Number{N: n, Noun: "call"})
	}
	return newest.contract().Contents() + calls + ", in " + strings.Join(revisions, ", ")
}

// Without returns the name of a secret of the recording that is not among the given ones, empty if there is none.
func (r *Recording) Without(given []string) string {
	for _, name := range r.Secrets {
		if !slices.Contains(given, name) {
			return name
		}
	}
	return ""
}

// Only returns the recording with those of the given revisions alone, or with all if none are given.
func (r *Recording) Only(revisions []wire.Revision) *Recording {
	if len(revisions) == 0 {
		return r
	}
	only := *r
	only.Revisions = slices.DeleteFunc(slices.Clone(r.Revisions), func(rev Revision) bool {
		v, err := wire.ParseRevision(rev.Revision)
		return err != nil || !slices.Contains(revisions, v)
	})
	return &only
}
