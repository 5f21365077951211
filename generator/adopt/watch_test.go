package adopt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// A talk is a conversation that a Watcher sees, and what is expected of it.
type talk struct {
	*Conversation
	id int
}

// calls sends a call of a tool, and its response.
func (c *talk) calls(tool, args, response string) {
	c.id++
	c.FromClient(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, c.id, tool, args), "")
	c.FromServer(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,%s}`, c.id, response))
}

func texted(text string) string {
	return fmt.Sprintf(`"result":{"content":[{"type":"text","text":%q}]}`, text)
}

func summaries(seen []SeenCall) (all []string) {
	for _, s := range seen {
		all = append(all, fmt.Sprintf("%s %s %s %s: %s", s.Revision, s.Tool, s.Arguments, s.Outcome.Kind, s.Outcome.Value))
	}
	return all
}

// TestWatcher shows a Watcher messages of all kinds.
func TestWatcher(t *testing.T) {
	secrets, err := NewSecrets(map[string]string{"KEY": "secret-of-the-city"})
	if err != nil {
		t.Fatal(err)
	}
	w := NewWatcher(secrets)
	c := &talk{Conversation: w.Conversation("")}
	c.FromClient([]byte(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18"}}`), "")
	c.FromServer([]byte(`{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-03-26"}}`))
	c.calls("a", `{"b":1,"a":"secret-of-the-city"}`, texted("the key is secret-of-the-city"))
	c.calls("b", `null`, `"error":{"code":-32602,"message":"no","data":{"x":1}}`)
	c.calls("c", `{}`, `"result":{"isError":true,"content":[]}`)
	c.calls("d", `{}`, `"result":{"content":7}`)
	// What the client withdraws has no response, or one that nobody reads.
	c.FromClient([]byte(`{"jsonrpc":"2.0","id":"gone","method":"tools/call","params":{"name":"gone"}}`), "")
	c.FromClient([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"gone"}}`), "")
	c.FromServer([]byte(`{"jsonrpc":"2.0","id":"gone","result":{}}`))
	// A batch, with garbage in it; the responses are in another order.
	c.FromClient([]byte(`[{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"e"}},7,
		{"jsonrpc":"2.0","id":"y","method":"tools/call","params":{"name":"f","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}]`), "")
	c.FromServer([]byte(`[{"jsonrpc":"2.0","id":"y",` + texted("y") + `},{},{"jsonrpc":"2.0","id":"x",` + texted("x") + `}]`))
	c.FromClient([]byte(`{"jsonrpc":"2.0","id":"h","method":"tools/call","params":{"name":"g"}}`), "2025-11-25")
	c.FromServer([]byte(`{"jsonrpc":"2.0","id":"h","result":{"content":[],"resultType":"complete"}}`))
	for _, garbage := range []string{"", "{", "[]", "[", "null", "\xff", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`} {
		c.FromClient([]byte(garbage), "")
		c.FromServer([]byte(garbage))
	}
	want := []string{
		`2025-03-26 a {"a":"{{secret KEY}}","b":1} result: {"content":[{"text":"the key is {{secret KEY}}","type":"text"}]}`,
		`2025-03-26 b  error response: {"code":-32602,"data":{"x":1},"message":"no"}`,
		`2025-03-26 c {} tool error: {"content":[],"isError":true}`,
		`2025-03-26 d {} invalid result: `,
		`2026-07-28 f  result: {"content":[{"text":"y","type":"text"}]}`,
		`2025-03-26 e  result: {"content":[{"text":"x","type":"text"}]}`,
		`2025-11-25 g  result: {"content":[]}`,
	}
	<-w.News()
	if diff := cmp.Diff(want, summaries(w.Take())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if again, left := w.Take(), w.Left(); again != nil || left != nil {
		t.Errorf("left are %v, and again %v", left, again)
	}

	// What cannot be made again is left out, and counted.
	c.calls("t", `{},"task":{}`, `"result":{}`)
	c.calls("t", `{},"requestState":"s"`, texted("done"))
	c.calls("t", `{}`, `"result":{"resultType":"input_required","inputRequests":{},"requestState":"s"}`)
	c.FromClient([]byte(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"t"}}`), "")
	c.FromServer([]byte(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}`))
	c.FromServer([]byte(`{"jsonrpc":"2.0","id":"a",` + texted("Ada") + `}`))
	c.calls("t", `{"x":"{{secret KEY}}"}`, texted("x"))
	c.calls("t", `{"x":"`+strings.Repeat("x", maxResult)+`"}`, texted("x"))
	want = []string{
		"Left out: 1 call, since " + leftLarge + ".",
		"Left out: 1 call, since " + leftSecret + ".",
		"Left out: 4 calls, since " + leftAsked + ".",
	}
	if diff := cmp.Diff(want, w.Left()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if seen := w.Take(); seen != nil {
		t.Errorf("got %v", summaries(seen))
	}
	// A server may ping meanwhile.
	c.FromClient([]byte(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"t"}}`), "")
	c.FromServer([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	c.FromServer([]byte(`{"jsonrpc":"2.0","id":"a",` + texted("Ada") + `}`))
	if seen := w.Take(); len(seen) != 1 {
		t.Errorf("got %v", summaries(seen))
	}
}

// TestWatcherBounds shows a Watcher more than it keeps.
func TestWatcherBounds(t *testing.T) {
	w := NewWatcher(nil)
	c := &talk{Conversation: w.Conversation("2025-06-18")}
	opens := func(id int, args string) {
		c.FromClient(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t","arguments":{"x":%q}}}`, id, args), "")
	}
	closes := func(id int, text string) int {
		c.FromServer(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,%s}`, id, texted(text)))
		return len(w.Take())
	}
	for id := range maxOpen + 1 {
		opens(id, "")
	}
	if n := closes(0, ""); n != 0 || len(c.open) != maxOpen {
		t.Errorf("the oldest of %d requests is kept", maxOpen+1)
	}
	if n := closes(1, ""); n != 1 {
		t.Error("the second oldest is not kept")
	}
	long := strings.Repeat("x", maxResult-100)
	for id := range maxOpenBytes / maxResult * 2 {
		opens(1000+id, long)
	}
	if c.bytes > maxOpenBytes || len(c.open) > maxOpenBytes/len(long) {
		t.Errorf("%d bytes of %d requests are kept, want at most %d", c.bytes, len(c.open), maxOpenBytes)
	}
	for len(c.open) > 0 {
		c.closes(c.open[0].id)
	}
	if c.bytes != 0 {
		t.Errorf("%d bytes are kept of no requests", c.bytes)
	}

	// Of what nobody takes, no more than a recording may have.
	for id := range maxUntaken + 5 {
		c.calls("t", fmt.Sprintf(`{"n":%d}`, id), texted(long[:maxResults/maxUntaken]))
	}
	seen := w.Take()
	bytes := 0
	for _, s := range seen {
		bytes += len(s.Outcome.Value)
	}
	last := seen[len(seen)-1].Outcome
	if left := w.Left(); len(seen) != maxUntaken || bytes > maxResults || last.Digest == "" || !slices.Equal(left, []string{"Left out: 5 calls, since " + leftFull + "."}) {
		t.Errorf("%d calls with %d bytes are kept, %v", len(seen), bytes, left)
	}

	rec := &Recording{Revisions: []Revision{{Revision: "2025-06-18"}}}
	c.calls("t", `{}`, texted("more"))
	lost := 0
	if added := rec.Add(append(seen, w.Take()...), func(string) { lost++ }); added != maxCalls || lost != 1 {
		t.Errorf("%d calls added, %d left out", added, lost)
	}
}

// TestSeen adds calls to a recording: they are made again in the order, the sessions and the revisions in which they were seen.
func TestSeen(t *testing.T) {
	var served atomic.Int64
	newNotes := func() *shop { // each connection has its own notes
		s := newShop()
		var notes []string
		s.connected = func() { notes = nil }
		respond := s.respond
		s.respond = func(tool string, args map[string]any) (*mcp.CallToolResult, error) {
			switch tool {
			case "buy":
				notes = append(notes, fmt.Sprint(args["id"]))
				return server.TextResult(fmt.Sprint(len(notes))), nil
			case "logo":
				served.Add(1)
				return server.TextResult(strings.Join(notes, ",")), nil
			}
			return respond(tool, args)
		}
		return s
	}
	secrets, err := NewSecrets(map[string]string{"KEY": "secret-of-the-city"})
	if err != nil {
		t.Fatal(err)
	}
	rec := record(t, newNotes(), secrets)
	calls := len(rec.Calls)
	w := NewWatcher(secrets)
	session := func(n int, revision string) int {
		c := &talk{Conversation: w.Conversation(revision)}
		c.calls("logo", `{}`, texted(""))
		c.calls("logo", `{}`, texted("")) // nothing new
		c.calls("buy", `{"id":"secret-of-the-city"}`, texted("1"))
		c.calls("buy", `{"id":"secret-of-the-city"}`, texted("2"))
		c.calls("logo", `{}`, texted("secret-of-the-city,secret-of-the-city"))
		seen := w.Take()
		for i := range seen {
			seen[i].Session = n
		}
		return rec.Add(seen, w.Leave)
	}
	for n, test := range []struct {
		revision string
		added    int
	}{{"2025-06-18", 4}, {"2025-06-18", 4}, {"2025-11-25", 4}, {"1999-01-01", 0}} {
		if got := session(n+1, test.revision); got != test.added || rec.Sessions() != min(n+1, 3) {
			t.Errorf("session %d: %d calls added, want %d; %d sessions", n+1, got, test.added, rec.Sessions())
		}
	}
	text, err := rec.Format(secrets)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "secret-of") {
		t.Error("the recording has the secret")
	}
	if rec, err = Parse("r", text); err != nil {
		t.Fatal(err)
	}

	served.Store(0)
	if all := compare(t, rec, newNotes(), secrets); len(all) > 0 {
		t.Errorf("the same server differs: %+v", all)
	}
	made := 0 // calls of logo from its schema, in every revision
	for i := range rec.Calls {
		if c := &rec.Calls[i]; c.Tool == "logo" && c.isMade() {
			made += len(rec.Revisions)
		}
	}
	if got := int(served.Load()) - made; got != 6 {
		t.Errorf("what was seen was made %d times, want 6: twice in each of three sessions", got)
	}
	s := newNotes()
	s.reply("logo", func(r *mcp.CallToolResult) { r.Content[0] = server.Text("new") })
	all := compare(t, rec, s, secrets)
	if !slices.ContainsFunc(all, func(d Difference) bool {
		return d.Breaking && slices.Equal(d.Revisions, []string{"2025-06-18", "2025-11-25"}) && strings.HasPrefix(d.What, "tool logo: call with {} (seen): content[0].text: ")
	}) {
		t.Errorf("a changed server is not found: %+v", all)
	}

	// A new recording takes over what was seen.
	again := record(t, newNotes(), secrets)
	if added := again.Add(rec.Seen(), nil); added != 12 || len(again.Calls) != calls+12 {
		t.Errorf("%d of 12 calls are taken over", added)
	}
	second, err := again.Format(secrets)
	if err != nil || string(second) != string(text) {
		t.Errorf("what was taken over is another, %v", err)
	}
}

// TestSeenVaries sees what varies although nothing has changed.
func TestSeenVaries(t *testing.T) {
	rec := record(t, newShop(), nil)
	rec.Calls = nil
	for i := range rec.Revisions {
		rec.Revisions[i].Outcomes = nil
	}
	w := NewWatcher(nil)
	c := &talk{Conversation: w.Conversation("2025-06-18")}
	c.calls("logo", `{}`, texted("10:00"))
	c.calls("logo", `{ }`, texted("10:01"))
	c.calls("logo", `{}`, texted("10:02"))
	c.calls("logo", `{}`, `"error":{"code":1,"message":"no time"}`) // it is something else
	if added := rec.Add(w.Take(), nil); added != 2 {
		t.Errorf("%d calls added, want 2", added)
	}
	want := []Outcome{
		{Call: 0, Kind: Result, Value: json.RawMessage(`{"content":["text"]}`), Varies: true},
		{Call: 1, Kind: Refused, Value: json.RawMessage(`{"code":1,"message":"no time"}`)},
	}
	if diff := cmp.Diff(want, rec.revision("2025-06-18").Outcomes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
