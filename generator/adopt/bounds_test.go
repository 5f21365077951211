package adopt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/outputcheck"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestWhichRevisions records in the revisions that are asked for, oldest first, and fails where there is none.
func TestWhichRevisions(t *testing.T) {
	revisions := func(r *Recording) (all []string) {
		for _, rev := range r.Revisions {
			all = append(all, rev.Revision)
		}
		return all
	}
	r := recorder(t, newShop(), nil)
	r.Revisions = []wire.Revision{mcp.V2025_11_25, mcp.V2025_03_26}
	rec, err := r.Record(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"2025-03-26", "2025-11-25"}, revisions(rec)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	r.Revisions = r.Revisions[:1]
	now, err := r.Replay(t.Context(), rec)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"2025-11-25"}, revisions(now)); diff != "" {
		t.Errorf("a part of the recording, -want +got:\n%s", diff)
	}
	if only := rec.Only(r.Revisions); !slices.Equal(revisions(only), revisions(now)) || len(rec.Revisions) != 2 {
		t.Errorf("only %v", revisions(only))
	}
	if only := rec.Only(nil); only != rec {
		t.Error("all revisions are another recording")
	}

	s := newShop()
	s.revisions = []wire.Revision{mcp.V2026_07_28}
	r = recorder(t, s, nil)
	r.Revisions = []wire.Revision{mcp.V2025_06_18}
	if _, err := r.Record(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "none of the revisions") {
		t.Errorf("a server of other revisions: %v", err)
	}
	if _, err := r.Replay(t.Context(), &Recording{Revisions: []Revision{{Revision: "soon"}}}); err == nil || !strings.HasPrefix(err.Error(), "the recording: ") {
		t.Error("a recording of an unknown revision is replayed:", err)
	}
}

// TestCancelledBetween makes no recording of some of the revisions when it is cancelled between two.
func TestCancelledBetween(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := recorder(t, newShop(), nil)
	connect := r.Connect
	r.Connect = func(ctx context.Context, rev wire.Revision) (*client.Client, func() error, error) {
		c, end, err := connect(ctx, rev)
		return c, func() error {
			cancel()
			return end()
		}, err
	}
	if rec, err := r.Record(ctx, nil); err == nil {
		t.Errorf("%d revisions, and no error", len(rec.Revisions))
	}
	broken := errors.New("broken")
	r = recorder(t, newShop(), nil)
	connect = r.Connect
	ctx, cancel = context.WithCancel(t.Context())
	r.Connect = func(ctx context.Context, rev wire.Revision) (*client.Client, func() error, error) {
		c, end, err := connect(ctx, rev)
		return c, func() error {
			cancel()
			end()
			return broken
		}, err
	}
	if _, err := r.Replay(ctx, with("2025-06-18", mcp.Tool{})); !errors.Is(err, broken) {
		t.Errorf("cancelled at the end: %v, want %v", err, broken)
	}
}

// TestPause waits before each call.
func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := recorder(t, newShop(), nil)
		r.Revisions, r.Pause = []wire.Revision{mcp.V2025_06_18}, time.Hour
		began := time.Now()
		rec, err := r.Record(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took.Truncate(time.Hour) != time.Duration(2*len(rec.Calls))*time.Hour {
			t.Errorf("%d calls, each made twice, took %s", len(rec.Calls), took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began = time.Now()
		if _, err := r.Record(ctx, nil); err == nil || time.Since(began) != time.Minute {
			t.Errorf("after %s of a pause that is cancelled: %v", time.Since(began), err)
		}
	})
}

// TestSilent gives up on a call after half a minute.
func TestSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		s.respond = func(string, map[string]any) (*mcp.CallToolResult, error) {
			time.Sleep(30*time.Second + time.Millisecond)
			return server.TextResult(""), nil
		}
		r := recorder(t, s, nil)
		r.Revisions = []wire.Revision{mcp.V2026_07_28}
		began := time.Now()
		rec, err := r.Replay(t.Context(), &Recording{Calls: []Call{{Tool: "buy", Case: Given}}, Revisions: []Revision{{Revision: "2026-07-28", Outcomes: []Outcome{{Kind: Silence}}}}})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took.Truncate(time.Second) != 30*time.Second || rec.Revisions[0].Outcomes[0].Kind != Silence {
			t.Errorf("after %s: %+v", took, rec.Revisions[0].Outcomes)
		}
	})
}

// TestMade makes no more calls than a recording has, and says whose it left out.
func TestMade(t *testing.T) {
	var notes []string
	r := Recorder{Notes: func(note string) { notes = append(notes, note) }}
	rev := Revision{}
	for i := range maxCalls/4 + 1 { // four calls each
		rev.Tools = append(rev.Tools, mcp.Tool{
			Name: fmt.Sprintf("t%03d", i), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: yes()},
			InputSchema: wire.Raw(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`),
		})
	}
	if calls := r.made([]Revision{rev}); len(calls) != maxCalls || calls[0].Tool != "t000" {
		t.Errorf("%d calls, want %d", len(calls), maxCalls)
	}
	if want := []string{"1 tools have no calls: a recording has at most 2000."}; !slices.Equal(notes, want) {
		t.Errorf("notes %q, want %q", notes, want)
	}
	notes = nil
	if calls := r.made([]Revision{{Tools: rev.Tools[1:]}}); len(calls) != maxCalls || len(notes) > 0 {
		t.Errorf("%d calls, notes %q", len(calls), notes)
	}
	older := rev.Tools[0]
	older.InputSchema = wire.Raw(`{"type":"object"}`)
	if calls := r.made([]Revision{{Tools: []mcp.Tool{older}}, {Tools: rev.Tools[:1]}}); len(calls) != 4 {
		t.Errorf("the schema of the older revision is asked: %v", calls)
	}
	if calls := (&Recorder{}).made([]Revision{{Tools: []mcp.Tool{{Name: "t", Annotations: rev.Tools[0].Annotations, InputSchema: wire.Raw(`{"not":{}}`)}}}}); len(calls) != 0 {
		t.Errorf("calls that are not valid: %v", calls)
	}
}

// TestCallsOf makes one call for each mistake that a schema forbids.
func TestCallsOf(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"a":{},"b":{"type":"object"}},"required":["a","b"]}`:                           `valid {"a":"example","b":{}} missing a {"b":{}} wrong type of b {"a":"example","b":"x"} unknown argument {"a":"example","b":{},"mcpgen_unknown_argument":true}`,
		`{"type":"object","properties":{"mcpgen_unknown_argument":{}}}`:                                                `valid {}`,
		`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"if":{"required":["a"]},"else":true}`: `valid {"a":1} missing a {} wrong type of a {"a":{}} unknown argument {"a":1,"mcpgen_unknown_argument":true}`,
		`{"type":"string"}`: "", `true`: "", `{`: "", `{"type":"object","minProperties":1}`: "",
		`{"type":"object","required":["a"],"properties":{"a":` + strings.Repeat(`{"type":"array","minItems":1,"items":`, 20) + `true` + strings.Repeat("}", 20) + `}}`: `valid {"a":` + strings.Repeat("[", 20) + `"example"` + strings.Repeat("]", 20) + "}",
		`{"type":"object","allOf":[` + strings.Repeat(`{"allOf":[`, 10) + `{"type":"object","required":["a"]}` + strings.Repeat("]}", 10) + `]}`:                       `valid {"a":"example"} unknown argument {"a":"example","mcpgen_unknown_argument":true}`,
		`{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/a0"}},"$defs":{` + chain(20) + `}}`:                                                      `valid {"a":"x"}`,
		strings.Repeat(`{"type":"object","required":["a"],"properties":{"a":`, maxDepth) + `true` + strings.Repeat("}}", maxDepth):                                     `valid ` + strings.Repeat(`{"a":`, maxDepth) + `"example"` + strings.Repeat("}", maxDepth),
		strings.Repeat(`{"type":"object","required":["a"],"properties":{"a":`, maxDepth+1) + `true` + strings.Repeat("}}", maxDepth+1):                                 ``,
	} {
		calls, why := callsOf(&mcp.Tool{Name: "t", InputSchema: wire.Raw(schema)}, new(outputcheck.Checker))
		var all []string
		for _, c := range calls {
			all = append(all, c.Case+" "+string(c.Arguments))
			if !c.Repeat || c.Tool != "t" {
				t.Errorf("a call is %+v", c)
			}
		}
		got := strings.Join(all, " ")
		if len(schema) > 500 {
			got, _, _ = strings.Cut(got, " missing")
			got, _, _ = strings.Cut(got, " unknown")
		}
		if got != want || (why == "") != (want != "") {
			t.Errorf("%.100s: got %s, %s, want %s", schema, got, why, want)
		}
	}
}

// chain returns definitions a0, a1, …, each of which is a reference to the next; the last is a constant.
func chain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"a%d":{"$ref":"#/$defs/a%d"},`, i, i+1)
	}
	return b.String() + fmt.Sprintf(`"a%d":{"const":"x"}`, n)
}

// TestLarge keeps of large results the digests alone, and of those that vary nothing.
func TestLarge(t *testing.T) {
	s := newShop()
	size := maxResult - len(`{"content":[{"text":"","type":"text"}]}`)
	var n atomic.Int64
	s.respond = func(tool string, args map[string]any) (*mcp.CallToolResult, error) {
		switch tool {
		case "logo":
			return server.TextResult(strings.Repeat("x", size)), nil
		case "find":
			return server.TextResult(fmt.Sprint(n.Add(1)) + strings.Repeat("x", size)), nil
		}
		return server.TextResult(strings.Repeat("x", size+1)), nil
	}
	r := recorder(t, s, nil)
	r.Revisions = []wire.Revision{mcp.V2025_06_18}
	rec, err := r.Record(t.Context(), []Call{{Tool: "buy", Case: Given}, {Tool: "buy", Case: Given}, {Tool: "logo", Case: Given}, {Tool: "find", Case: Given, Repeat: true}})
	if err != nil {
		t.Fatal(err)
	}
	o := rec.Revisions[0].Outcomes
	if o[0].Value != nil || o[0].Digest == "" || o[0].Digest != o[1].Digest {
		t.Errorf("a large result is %.200s, %s and %s", o[0].Value, o[0].Digest, o[1].Digest)
	}
	if o[2].Value == nil || o[2].Digest != "" {
		t.Errorf("one of %d bytes is kept as %s", maxResult, o[2].Digest)
	}
	if o[3].Value != nil || o[3].Digest != "" || !o[3].Varies {
		t.Errorf("one that varies is %.200s, %s, %t", o[3].Value, o[3].Digest, o[3].Varies)
	}
	r = recorder(t, s, nil)
	r.Revisions = []wire.Revision{mcp.V2025_06_18}
	calls := slices.Repeat([]Call{{Tool: "logo", Case: Given}}, maxResults/maxResult+1)
	var outcomes []Outcome
	for i := range calls {
		outcomes = append(outcomes, Outcome{Call: i, Kind: Result})
	}
	now, err := r.Replay(t.Context(), &Recording{Calls: calls, Revisions: []Revision{{Revision: "2025-06-18", Outcomes: outcomes}}})
	if err != nil {
		t.Fatal(err)
	}
	o = now.Revisions[0].Outcomes
	if o[len(o)-2].Value == nil || o[len(o)-1].Value != nil {
		t.Errorf("of %d results, not the last alone is beyond all", len(o))
	}
}

// TestSecretsTold prefers the longest of several secrets, and writes no recording that cannot do without one.
func TestSecretsTold(t *testing.T) {
	secrets, err := NewSecrets(map[string]string{"B": "secret-1", "A": "secret-12", "D": "secret-1", "C": "other-secret"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"secret-12": "{{secret A}}", "secret-1": "{{secret B}}", "secret-": "secret-", "xsecret-1x": "x{{secret B}}x"} {
		if got := secrets.Hide(text); got != want {
			t.Errorf("Hide(%s) = %s, want %s", text, got, want)
		}
	}
	if got := secrets.names(); !slices.Equal(got, []string{"A", "B", "C", "D"}) {
		t.Errorf("names %v", got)
	}
	if got := string(secrets.reveal(json.RawMessage(`{"a":"{{secret A}} {{secret C}} {{secret E}}"}`))); got != `{"a":"secret-12 other-secret {{secret E}}"}` {
		t.Errorf("revealed %s", got)
	}
	var none *Secrets
	if none.Hide("x") != "x" || none.names() != nil || string(none.reveal(json.RawMessage("1"))) != "1" {
		t.Error("no secrets hide something")
	}
	odd, err := NewSecrets(map[string]string{"ODD": "???>>>~~~"})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Pz8/Pj4+fn5+", "Pz8_Pj4-fn5-", "Basic dTo/Pz8+Pj5+fn4="} {
		if got := odd.Hide("x," + text + "."); !strings.Contains(got, "{{secret ODD}}.") || strings.Contains(got, text) {
			t.Errorf("Base64 %s is hidden as %s", text, got)
		}
	}
	html, err := NewSecrets(map[string]string{"HTML": `<b>"x"`})
	if err != nil {
		t.Fatal(err)
	}
	if got := html.Hide(`{"a":"<b>\"x\""}`); got != `{"a":"{{secret HTML}}"}` {
		t.Errorf("hidden in JSON: %s", got)
	}
	word, err := NewSecrets(map[string]string{"WORD": "secret"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := recorder(t, newShop(), word).Record(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "the secret WORD is part of what the recording cannot do without") {
		t.Errorf("a secret that is a part of every placeholder: %v", err)
	}
	if _, err := NewSecrets(map[string]string{"PIN": "123456"}); err != nil {
		t.Error(err)
	}
}

// TestFormat writes no recording that it could not read.
func TestFormat(t *testing.T) {
	broken := with("2025-06-18", mcp.Tool{})
	broken.Calls = []Call{{Tool: "t", Arguments: json.RawMessage("{")}}
	if _, err := broken.Format(nil); err == nil {
		t.Error("broken JSON is written")
	}
	if _, err := Parse("r.json", make([]byte, maxRecording+1)); err == nil || !strings.Contains(err.Error(), "want at most") {
		t.Errorf("a file beyond the limit: %v", err)
	}
	for text, want := range map[string]string{
		"x": "want a recording: ", "{}": "which mcpgen adopt -record writes", `{"mcpgenRecording":2}`: "a newer mcpgen wrote it", `{"mcpgenRecording":1}`: "it has no revision",
	} {
		if _, err := Parse("r.json", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%s): %v, want %s", text, err, want)
		}
	}
	two := with("2025-06-18", mcp.Tool{})
	two.Revisions = append(two.Revisions, with("2025-11-25", mcp.Tool{}).Revisions[0])
	two.Revisions[1].Prompts = []mcp.Prompt{{Name: "p"}}
	if got, want := two.Contents(), "1 tool, 1 prompt, in 2025-06-18, 2025-11-25"; got != want {
		t.Errorf("contents %s, want %s", got, want)
	}
	two.Calls = []Call{{Tool: "t"}, {Tool: "t"}}
	if got, want := two.Contents(), "1 tool, 1 prompt, 2 calls, in 2025-06-18, 2025-11-25"; got != want {
		t.Errorf("contents %s, want %s", got, want)
	}
	html := with("2025-06-18", mcp.Tool{Description: "<b> & \u202e"})
	text, err := html.Format(nil)
	if err != nil || !strings.Contains(string(text), "\n          \"description\": \"<b> & \\u202e\"") {
		t.Errorf("%s, %v", text, err)
	}
	lines := strings.Repeat("{\"tool\":\"t\"}\n", maxCalls)
	if calls, err := ParseCalls("calls", []byte(lines)); err != nil || len(calls) != maxCalls {
		t.Errorf("%d calls, %v", len(calls), err)
	}
	if _, err := ParseCalls("calls", []byte(lines+`{"tool":"t"}`)); err == nil || !strings.HasPrefix(err.Error(), "calls:2001: ") {
		t.Errorf("too many calls: %v", err)
	}
}

// TestItems compares what is listed, beyond tools.
func TestItems(t *testing.T) {
	made := func(text string) *Recording {
		r, err := Parse("r.json", []byte(`{"mcpgenRecording":1,"revisions":[{"protocolVersion":"2025-11-25",`+text+`}]}`))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	was := made(`"instructions":"a","serverInfo":{"name":"s","version":"1","title":"S"},
		"tools":[{"name":"t","inputSchema":{"type":"object"}},{"name":"gone","inputSchema":{"type":"object","maxProperties":1e1000}},{"name":"odd","inputSchema":{"type":"object","maxProperties":1e1000}},{"name":"same","inputSchema":{"type":"object","maxProperties":1e1000}},{"name":"twice","inputSchema":{"type":"object"}},{"name":"twice","inputSchema":{"type":"object"}}],
		"prompts":[{"name":"p","title":"P","description":"a"},{"name":"q"}],
		"resources":[{"uri":"a:1","name":"a"},{"uri":"a:2","name":"b","mimeType":"text/plain"}],
		"resourceTemplates":[{"uriTemplate":"a:{b}","name":"a","title":"A"}]`)
	is := made(`"instructions":"b","serverInfo":{"name":"s","version":"2","title":"T"},
		"tools":[{"name":"new","inputSchema":{"type":"object","maxProperties":1e1000}},{"name":"t","inputSchema":{"type":"object"},"icons":[{"src":"data:,"}]},{"name":"odd","inputSchema":{"type":"object","maxProperties":1e1001}},{"name":"same","inputSchema":{"type":"object","maxProperties":1e1000}},{"name":"twice","inputSchema":{"type":"object"}},{"name":"twice","inputSchema":{"type":"object"}}],
		"prompts":[{"name":"q"},{"name":"p","title":"Q","description":"b"},{"name":"r"}],
		"resources":[{"uri":"a:1","name":"b","mimeType":"text/plain"},{"uri":"a:2","name":"b"}],
		"resourceTemplates":[{"uriTemplate":"a:{b}","name":"a","title":"B"}]`)
	want := []Difference{
		{Breaking: true, What: "tool gone: removed", Cure: "offer it"},
		{Breaking: true, What: "tool odd: it differs, and its schemas cannot be compared by what they mean", Cure: "keep the schemas as they were"},
		{Breaking: true, What: `resource a:2: MIME type: removed, was "text/plain"`, Cure: "keep the MIME type"},
		{What: `server: title: changed from "S" to "T"`},
		{What: `instructions: changed from "a" to "b"`},
		{What: "tool new: added"},
		{What: "prompt r: added"},
		{What: "prompt p: description changed"},
		{What: `tool t: icons: added: [{"src":"data:,"}]`},
		{What: `prompt p: title: changed from "P" to "Q"`},
		{What: "prompts: listed in another order"},
		{What: `resource template a:{b}: title: changed from "A" to "B"`},
		{What: `resource a:1: mimeType: added: "text/plain"`},
		{What: `resource a:1: name: changed from "a" to "b"`},
		{What: `resource a:2: mimeType: removed, was "text/plain"`},
	}
	if diff := cmp.Diff(want, Compare(was, is)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	renamed := made(`"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"string","title":"A","examples":["a"]},"b":{"anyOf":[{"title":"A"}]}}}}]`)
	other := made(`"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"integer","title":"B","examples":["b"]},"b":{"anyOf":[{"title":"B"}]}}}}]`)
	all := Compare(renamed, other)
	if len(all) != 4 || all[0].Cure != "offer what was offered" || all[1].What != `tool t: input.a.examples: changed from ["a"] to ["b"]` || all[3].What != `tool t: input.b.anyOf[0].title: changed from "A" to "B"` {
		t.Errorf("a type, a title and examples: %+v", all)
	}
}

// TestManyDifferences keeps so many differences, and says that there are more.
func TestManyDifferences(t *testing.T) {
	c := &comparison{at: map[diffKey]int{}, revision: "2025-11-25"}
	for i := range maxDifferences {
		c.add(false, "", fmt.Sprint(i))
	}
	if len(c.all) != maxDifferences {
		t.Fatalf("%d differences", len(c.all))
	}
	c.revision = "2026-07-28"
	for i := range 3 {
		c.add(false, "", fmt.Sprint("more ", i))
		c.add(false, "", "0")
	}
	last := c.all[len(c.all)-1]
	if len(c.all) != maxDifferences+1 || !last.Breaking || last.Revisions != nil || !slices.Equal(c.all[0].Revisions, []string{"2025-11-25", "2026-07-28"}) || len(c.all[1].Revisions) != 1 ||
		last.What != "there are more differences, which are not shown" {
		t.Errorf("%d differences, the last is %+v, the first %+v", len(c.all), last, c.all[0])
	}
}
