package adopt

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/harmless"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestSecrets writes no secret, in whatever form a server returns it.
func TestSecrets(t *testing.T) {
	const value, number = `s3cret"/+ü key`, "12345678901"
	secrets, err := NewSecrets(map[string]string{"TOKEN": value, "ACCOUNT": number})
	if err != nil {
		t.Fatal(err)
	}
	inJSON, err := json.Marshal(map[string]string{value: value})
	if err != nil {
		t.Fatal(err)
	}
	inside, err := json.Marshal(string(inJSON))
	if err != nil {
		t.Fatal(err)
	}
	forms := []string{
		value, string(inJSON), string(inside), "https://x/?key=" + url.QueryEscape(value), url.PathEscape(value), fmt.Sprintf("%x", value),
		"Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+value)), base64.URLEncoding.EncodeToString([]byte(value)),
		base64.RawStdEncoding.EncodeToString([]byte("ab" + value + "cd")), "data:x/y;base64," + base64.StdEncoding.EncodeToString([]byte("a"+value)),
	}
	leaky := func() *shop {
		s := newShop()
		s.instructions = "Use " + value
		s.tool("logo").Description = "Has " + value
		respond := s.respond
		s.respond = func(tool string, args map[string]any) (*mcp.CallToolResult, error) {
			switch {
			case tool == "find":
				return nil, fmt.Errorf("the key %s is wrong", value)
			case tool == "buy" && args["id"] != value:
				return nil, fmt.Errorf("the placeholder is not replaced")
			case tool != "logo":
				return respond(tool, args)
			}
			var content []mcp.ContentBlock
			for _, form := range forms {
				content = append(content, server.Text(form))
			}
			return &mcp.CallToolResult{
				Content:           append(content, server.Image("image/png", []byte("PNG"+value))),
				StructuredContent: wire.Raw(fmt.Sprintf(`{"account":%s,"nested":[%s]}`, number, inJSON)),
			}, nil
		}
		return s
	}
	rec, err := recorder(t, leaky(), secrets).Record(t.Context(), []Call{{Tool: "buy", Arguments: json.RawMessage(`{"id":"{{secret TOKEN}}"}`), Case: Given}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := rec.Format(secrets)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range append(forms, number, "s3cret", base64.StdEncoding.EncodeToString([]byte("PNG"+value))) {
		if strings.Contains(string(text), form) {
			t.Errorf("it has %q", form)
		}
	}
	if n := strings.Count(string(text), "{{secret TOKEN}}"); n < 50 {
		t.Errorf("it has %d placeholders", n)
	}
	if rec.Revisions[0].Outcomes[0].Kind != Result {
		t.Errorf("the call with a secret: %+v", rec.Revisions[0].Outcomes[0])
	}
	asks := newShop() // for a secret, by its schema
	asks.edit("find", `"minLength":1`, `"default":"{{secret TOKEN}}"`)
	asks.reply("find", func(r *mcp.CallToolResult) {
		if strings.Contains(string(r.StructuredContent), "s3cret") {
			t.Error("a schema has got a secret")
		}
	})
	record(t, asks, secrets)
	if rec.Without([]string{"TOKEN"}) != "ACCOUNT" || rec.Without([]string{"ACCOUNT", "TOKEN"}) != "" {
		t.Error("it does not name its secrets")
	}
	if all := compare(t, rec, leaky(), secrets); len(all) > 0 {
		t.Errorf("the same server differs: %+v", all)
	}
	s := leaky()
	s.reply("logo", func(r *mcp.CallToolResult) { r.Content[0] = server.Text("now " + value) })
	for _, d := range compare(t, rec, s, secrets) {
		if strings.Contains(d.What, "s3cret") {
			t.Errorf("a difference shows it: %s", d.What)
		}
	}
	if _, err := NewSecrets(map[string]string{"PIN": "1234"}); err == nil {
		t.Error("a short secret is taken")
	}
}

// hostile would control a terminal, or end a comment or a text in Go.
const hostile = "x\x1b]0;PWNED\a\u202e\n*/\n`+\"); func init() { panic(1) } //\n//mcp:tool\r\u2028"

// newHostile returns a server whose every text is hostile.
func newHostile() *shop {
	s := newShop()
	s.info = mcp.Implementation{Name: hostile, Version: hostile, Title: hostile}
	s.instructions = hostile
	schema := func(format string) wire.Raw {
		quoted, _ := json.Marshal(hostile)
		return wire.Raw(strings.ReplaceAll(format, "?", string(quoted)))
	}
	s.tools = []mcp.Tool{
		{
			Name: hostile, Title: hostile, Description: hostile, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: yes(), Title: hostile},
			InputSchema: schema(`{"type":"object","title":?,"properties":{?:{"type":"string","description":?,"default":?,"enum":[?,"a"],"title":?},
				"p":{"type":"string","pattern":"^\\s*\n"},"o":{"type":"object","properties":{?:{"enum":[?]}},"required":[?]}},"required":[?]}`),
			OutputSchema: schema(`{"type":"object","properties":{?:{"type":"string","description":?}}}`),
		},
		{Name: "type", Description: "*/", InputSchema: schema(`{"type":"object","properties":{"func":{"type":"string"},"":{"type":"integer"},"a b":{},"A-B":{}}}`)},
		{Name: "Type", InputSchema: schema(`{"type":"object","additionalProperties":{"type":?}}`)},
		{Name: "nothing", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: yes()}, InputSchema: schema(`{"type":"object","$defs":{"a":{"$ref":"#/$defs/a"}},"properties":{"a":{"$ref":"#/$defs/a"}},"required":["a"]}`)},
		{Name: "deep", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: yes()}, InputSchema: wire.Raw(`{"type":"object","properties":{"a":` + strings.Repeat(`{"type":"array","minItems":9,"items":`, 100) + "{}" + strings.Repeat("}", 100) + `},"required":["a"]}`)},
		{Name: "wide", InputSchema: wide(), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: yes()}},
	}
	s.prompts = []mcp.Prompt{{Name: hostile, Description: hostile, Arguments: []mcp.PromptArgument{{Name: hostile, Title: hostile}}}}
	s.resources = []mcp.Resource{{URI: "shop://a?" + url.QueryEscape(hostile), Name: hostile, Description: hostile}}
	s.respond = func(tool string, args map[string]any) (*mcp.CallToolResult, error) {
		if tool == "wide" {
			return server.TextResult(strings.Repeat("x", 1<<20)), nil
		}
		return nil, fmt.Errorf("%s", hostile)
	}
	return s
}

// wide returns a schema with 1,500 properties.
func wide() wire.Raw {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	for i := range 1500 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"p%d":{"type":"object","properties":{"a":{"type":"string","minLength":%d}}}`, i, i)
	}
	b.WriteString("}}")
	return wire.Raw(b.String())
}

// TestHostile records a hostile server, within bounds, and shows nothing of it that would control a terminal.
func TestHostile(t *testing.T) {
	r := recorder(t, newHostile(), nil)
	var notes []string
	r.Notes = func(note string) { notes = append(notes, note) }
	rec, err := r.Record(t.Context(), []Call{{Tool: hostile, Arguments: json.RawMessage(`{}`), Case: Given}, {Tool: "wide", Case: Given}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := rec.Format(nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 8<<20 {
		t.Errorf("the recording has %d bytes", len(text))
	}
	for _, note := range notes {
		if harmless.Line(note) != note || len(note) > 1000 {
			t.Errorf("a note is harmful: %q", note)
		}
	}
	if len(notes) != 3 {
		t.Errorf("notes %q, want three: on the tools nothing, deep and wide", notes)
	}
	again, err := r.Replay(t.Context(), rec)
	if err != nil {
		t.Fatal(err)
	}
	if all := Compare(rec, again); len(all) > 0 {
		t.Errorf("the same server differs: %+v", all)
	}
	for _, all := range [][]Difference{compare(t, rec, newShop(), nil), compare(t, record(t, newShop(), nil), newHostile(), nil)} {
		if len(all) == 0 {
			t.Error("no difference")
		}
		for _, d := range all {
			if harmless.Line(d.What+d.Cure) != d.What+d.Cure || len(d.What) > 2000 {
				t.Errorf("a difference is harmful: %q", d.What)
			}
		}
	}
}

// TestParse refuses what is no recording, and no file of calls.
func TestParse(t *testing.T) {
	for _, text := range []string{"", "[]", "{}", `{"mcpgenRecording":2}`, `{"mcpgenRecording":1}`, `{"mcpgenRecording":1,"revisions":[{"protocolVersion":"2025-06-18","outcomes":[{"call":0,"kind":"result"}]}]}`,
		`{"mcpgenRecording":1,"calls":[{"tool":"t"}],"revisions":[{"protocolVersion":"2025-06-18","outcomes":[{"call":-1,"kind":"result"}]}]}`} {
		if _, err := Parse("r.json", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), "r.json: ") {
			t.Errorf("Parse(%s): %v", text, err)
		}
	}
	for _, text := range []string{"x", "{}", `{"tool":"a","arguments":[]}`, `{"tool":"a","args":{}}`, `{"tool":"a"} {"tool":"b"}`, `{"tool":1}`} {
		if _, err := ParseCalls("calls", []byte("\n"+text)); err == nil || !strings.HasPrefix(err.Error(), "calls:2: ") {
			t.Errorf("ParseCalls(%s): %v", text, err)
		}
	}
	calls, err := ParseCalls("calls", []byte("{\"tool\":\"a\",\"arguments\":{\"x\":1}}\n\n{\"tool\":\"b\"}\n"))
	if err != nil || len(calls) != 2 || calls[0].Case != Given || calls[0].Repeat {
		t.Errorf("calls %+v, %v", calls, err)
	}
}

// TestLate records that a call has no response in time, and goes on.
func TestLate(t *testing.T) {
	s := newShop()
	release := make(chan struct{})
	defer close(release)
	respond := s.respond
	s.respond = func(tool string, args map[string]any) (*mcp.CallToolResult, error) {
		if tool == "buy" {
			<-release
		}
		return respond(tool, args)
	}
	r := recorder(t, s, nil)
	r.Revisions = []wire.Revision{mcp.V2025_06_18}
	r.CallTime = 1
	ctx, cancel := context.WithCancel(t.Context())
	rec, err := r.Record(ctx, []Call{{Tool: "buy", Arguments: json.RawMessage(`{"id":"1"}`), Case: Given}})
	if err != nil || rec.Revisions[0].Outcomes[0].Kind != Silence {
		t.Errorf("recording %+v, %v", rec, err)
	}
	cancel()
	if _, err := r.Record(ctx, nil); err == nil {
		t.Error("a recording that is cancelled succeeds")
	}
}

// TestGenerateHostile makes Go of a hostile server: nothing of it is code, a directive or a line of its own.
func TestGenerateHostile(t *testing.T) {
	rec, err := recorder(t, newHostile(), nil).Record(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	made, err := Generate(rec, "hostile")
	if err != nil {
		t.Fatal(err)
	}
	again, err := Generate(rec, "hostile")
	if err != nil || !bytes.Equal(made.Source, again.Source) {
		t.Errorf("a second run makes another file, %v", err)
	}
	source := string(made.Source)
	if harmless.Text(source) != source {
		t.Error("the code would control a terminal")
	}
	if n := strings.Count(source, "\n//mcp:tool"); n != made.Tools || n != 5 {
		t.Errorf("%d directives, %d tools, want 5", n, made.Tools)
	}
	for _, note := range made.Notes {
		if harmless.Line(note) != note || len(note) > 2000 {
			t.Errorf("a note is harmful: %q", note)
		}
	}
	file, err := parser.ParseFile(token.NewFileSet(), "tools.go", made.Source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name != "Describe" {
			t.Errorf("there is a function %s", f.Name)
		}
	}
	for _, pkg := range []string{"", "_", "func", "a b"} {
		if _, err := Generate(rec, pkg); err == nil {
			t.Errorf("package %q is made", pkg)
		}
	}
}

// TestLost goes on after a server has ended the connection, but not forever.
func TestLost(t *testing.T) {
	testenv.NoGoroutinesLeft(t)
	s := newShop()
	respond := s.respond
	s.respond = func(tool string, args map[string]any) (*mcp.CallToolResult, error) {
		if args["id"] == "kill" {
			s.hangUp()
		}
		return respond(tool, args)
	}
	r := recorder(t, s, nil)
	r.Revisions = []wire.Revision{mcp.V2025_06_18}
	killer := Call{Tool: "buy", Arguments: json.RawMessage(`{"id":"kill"}`), Case: Given}
	rec, err := r.Record(t.Context(), []Call{killer, {Tool: "buy", Arguments: json.RawMessage(`{"id":"1"}`), Case: Given}})
	if err != nil {
		t.Fatal(err)
	}
	if o := rec.Revisions[0].Outcomes; o[0].Kind != Silence || o[1].Kind != Result {
		t.Errorf("outcomes %+v, want silence and a result", o[:2])
	}
	if _, err := r.Record(t.Context(), slices.Repeat([]Call{killer}, maxLost+1)); err == nil || !strings.Contains(err.Error(), "has ended the connection 21 times") {
		t.Errorf("a server that always ends the connection: %v", err)
	}
}
