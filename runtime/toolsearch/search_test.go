package toolsearch

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/roomtest"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestRanking is the table of what is found by words, the best first.
func TestRanking(t *testing.T) {
	var tools []*mcp.Tool
	for _, line := range strings.Split(strings.TrimSpace(`
calendar_add_event: Adds an event to a calendar. (title start end attendees)
calendar_delete_event: Deletes an event from a calendar. (id)
calendar_list_events: Lists the events of a calendar in a range of time. (from until)
createIssue: Opens an issue in a repository. (repository title body labels)
get: Returns something by its key. (key)
getIssue: Returns an issue of a repository with its comments. (repository number)
getUserByID: Returns a user. (id)
issue_search: Finds issues by words, state and label. (query state labels)
mail_send: Sends an email to people, with attachments. (recipients subject text)
translate: Translates text from one language to another. (text language)
weather_forecast: The weather of the next days in a city. (city days)
weather_now: The weather at this moment. (city)
Überprüfe: Prüft die Größe. ()
天気: 都市 の 天気 (都市)`), "\n") {
		name, rest, _ := strings.Cut(line, ": ")
		text, args, _ := strings.Cut(strings.TrimSuffix(rest, ")"), "(")
		properties := map[string]any{}
		for arg := range strings.FieldsSeq(args) {
			properties[arg] = true
		}
		tools = append(tools, &mcp.Tool{Name: name, Description: text, InputSchema: encode(map[string]any{"type": "object", "properties": properties})})
	}
	x := newIndex(tools)
	for _, test := range []struct{ query, want string }{
		{"weather", "weather_now weather_forecast"},
		{"weather forecast", "weather_forecast weather_now"},
		{"WEATHER of the next days", "weather_forecast weather_now"},
		{"delete calendar event", "calendar_delete_event"},
		{"events", "calendar_delete_event calendar_add_event calendar_list_events"},
		{"recipients", "mail_send"},
		{"attachment", "mail_send"},
		{"user id", "getUserByID calendar_delete_event"},
		{"labels issue", "issue_search createIssue getIssue"},
		{"create issue", "createIssue issue_search getIssue"},
		{"get", "get"},
		{"getIssue", "getIssue"},
		{"get_issue", "getIssue"},
		{" getUserByID ", "getUserByID"},
		{"language translate", "translate"},
		{"größe", "Überprüfe"},
		{"überprüfe", "Überprüfe"},
		{"天気", "天気"},
		{"city", "weather_forecast weather_now"},
		{"nothing of the sort at all zzz", ""},
		{"zzz", ""}, {"", ""}, {"   ", ""}, {"?!;'\"()", ""}, {"\x00\xff", ""},
	} {
		got := x.search(test.query)
		want := strings.Fields(test.want)
		if len(got) < len(want) || !slices.Equal(got[:len(want)], want) || test.want == "" && len(got) > 0 && !strings.Contains(test.query, "of") {
			t.Errorf("%q: got %q, want %q", test.query, got, want)
		}
	}
	titled := newIndex([]*mcp.Tool{{Name: "a", Title: "Sunny days", InputSchema: wire.Raw(`7`)}, {Name: "b", Title: "Rain"}})
	if got := titled.search("sunny"); !slices.Equal(got, []string{"a"}) {
		t.Errorf("by the title: %q", got)
	}
	if got := newIndex(nil).search("a"); len(got) > 0 {
		t.Errorf("without tools: %q", got)
	}
}

// A search returns definitions, of the tools that there are at the moment.
func TestSearch(t *testing.T) {
	s := newServer(t, nil, &Options{Results: 3})
	c := roomtest.NewClient(t, s, mcp.V2025_11_25, `{}`)
	got, failed := call(c, searchTool, `{"query":"positive"}`)
	positive := of(`{"type":"integer","minimum":1}`)
	if want := `{"tools":[{"description":"It is positive.","inputSchema":` + positive + `,"name":"positive","outputSchema":` + positive + `}`; same(t, got) != same(t, want+`]}`) {
		t.Errorf("got %s%s", got, failed)
	}
	count := func(query string) (names []string) {
		var r struct{ Tools []struct{ Name string } }
		got, failed := call(c, searchTool, query)
		if err := json.Unmarshal([]byte(got), &r); err != nil {
			t.Fatal(err, failed)
		}
		for _, tool := range r.Tools {
			names = append(names, tool.Name)
		}
		return names
	}
	expect(t, "most", len(count(`{"query":"it is"}`)), 3)
	expect(t, "limit", len(count(`{"query":"it is","limit":1}`)), 1)
	expect(t, "before", count(`{"query":"new"}`), "[]")
	add(t, s, "new", open, "", echo)
	expect(t, "added", count(`{"query":"new"}`), "[new]")
	s.RemoveTools("new")
	expect(t, "removed", count(`{"query":"new"}`), "[]")
	expect(t, "its own", count(`{"query":"search_tools"}`), "[]")
	for query, want := range map[string]string{
		`{}`:                        "missing property 'query'",
		`{"query":""}`:              "query: minLength: got 0, want 1",
		`{"query":7}`:               "query: got number, want string",
		`{"query":"a","limit":4}`:   "limit: maximum: got 4, want 3",
		`{"query":"a","more":true}`: "additional properties 'more' not allowed",
		`{"query":"a","query":"b"}`: "duplicate member",
		`{"query":"` + strings.Repeat("a", maxQuery+1) + `"}`: "query: maxLength: got 1,001, want 1,000",
	} {
		if _, failed := call(c, searchTool, query); !strings.Contains(failed, want) {
			t.Errorf("%.60s: got %q, want %q", query, failed, want)
		}
	}
}

// What a search returns is bounded, but one tool is returned in any case.
func TestFoundSize(t *testing.T) {
	s := roomtest.NewServer(Enable(nil, nil))
	for i := range 5 {
		servertest.Check(t, s.AddTool(mcp.Tool{Name: fmt.Sprint("big", i), Description: "big " + strings.Repeat("x", maxFound*3/4)}, roomtest.Says("")))
	}
	got, _ := call(roomtest.NewClient(t, s, mcp.V2026_07_28, `{}`), searchTool, `{"query":"big"}`)
	expect(t, "tools", strings.Count(got, `"name"`), 1)
}

// manyTools adds tools with descriptions of some words.
func manyTools(t testing.TB, s *server.Server, n int) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string { return fmt.Sprintf("word%d", r.IntN(3000)) }
	for i := range n {
		var text []string
		for range 30 {
			text = append(text, word())
		}
		servertest.Check(t, s.AddTool(mcp.Tool{
			Name: fmt.Sprintf("%s_%s_%d", word(), word(), i), Description: strings.Join(text, " ") + " tool",
			InputSchema: wire.Raw(fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"string"},%q:{"type":"integer"}}}`, word(), word())),
		}, roomtest.Says("")))
	}
}

// Ten thousand tools are found in bounded time, whatever the query; the index takes longer, once.
func TestManyTools(t *testing.T) {
	testenv.Measures(t)
	s := roomtest.NewServer(Enable(nil, nil))
	manyTools(t, s, maxTools+1)
	c := roomtest.NewClient(t, s, mcp.V2026_07_28, `{}`)
	within := func(what string, most time.Duration, f func()) {
		begin := limits.CPUTime()
		f()
		took := limits.CPUTime() - begin
		t.Logf("%s: %v", what, took)
		if took > most {
			t.Errorf("%s: took %v, want at most %v", what, took, most)
		}
	}
	within("the first search", 5*time.Second, func() { call(c, searchTool, `{"query":"word1"}`) })
	for what, query := range map[string]string{
		"a word": "word7", "a word of all": "tool", "all words": strings.Repeat("tool ", maxQuery/5), "many words": strings.Join(strings.Split(fmt.Sprint(rand.Perm(200)), " "), " word"),
		"a long word": strings.Repeat("a", maxQuery), "capitals": strings.Repeat("aB", maxQuery/2), "no words": strings.Repeat(";", maxQuery),
	} {
		within(what, time.Second, func() {
			if _, failed := call(c, searchTool, string(encode(map[string]string{"query": query[:min(len(query), maxQuery)]}))); failed != "" {
				t.Error(failed)
			}
		})
	}
}

// What the two tools save, for a server with 120.
func TestSaved(t *testing.T) {
	size := func(s *server.Server) (bytes int) {
		var r struct{ Tools []json.RawMessage }
		servertest.Check(t, json.Unmarshal([]byte(roomtest.NewClient(t, s, mcp.V2026_07_28, `{}`).Must("tools/list", `{}`)), &r))
		for _, tool := range r.Tools {
			bytes += len(tool)
		}
		return bytes
	}
	all, two := roomtest.NewServer(nil), roomtest.NewServer(Enable(nil, nil))
	for _, s := range []*server.Server{all, two} {
		for i := range 120 {
			add(t, s, fmt.Sprint("tool_", i), of(`{"type":"string","description":"What the tool is about, in a few words."}`), userOut, echo)
		}
	}
	before, after := size(all), size(two)
	t.Logf("tools/list: %d bytes, about %d tokens; with search %d bytes, about %d tokens", before, (before+3)/4, after, (after+3)/4)
	if after > 3000 || before < 20*after {
		t.Errorf("%d bytes instead of %d", after, before)
	}
}
