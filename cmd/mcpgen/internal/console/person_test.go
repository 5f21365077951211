package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// typist returns a person who types these lines, and nothing more; what is shown goes to the builder, with what is typed
// in brackets.
func typist(t *testing.T, lines ...string) (*Person, *strings.Builder) {
	t.Helper()
	shown := new(strings.Builder)
	p := &Person{out: NewPrinter(shown, noEnv), asks: make(chan struct{}, 1), wants: make(chan question), lines: make(chan answeredLine, 1)}
	go func() {
		for q := range p.wants {
			p.out.control(q.text)
			if q.secret {
				p.out.control("(secret) ")
			}
			line := answeredLine{err: io.EOF}
			if len(lines) > 0 {
				line = answeredLine{text: lines[0]}
				p.out.control("{" + lines[0] + "}\n")
				lines = lines[1:]
			}
			p.lines <- line
		}
	}()
	t.Cleanup(func() { close(p.wants) })
	return p, shown
}

func form(t *testing.T, message, schema string) *mcp.ElicitRequestFormParams {
	t.Helper()
	params := &mcp.ElicitRequestFormParams{Message: message}
	if err := json.Unmarshal([]byte(schema), &params.RequestedSchema); err != nil {
		t.Fatal(err)
	}
	return params
}

// TestForms fills in forms.
func TestForms(t *testing.T) {
	for _, test := range []struct {
		name, schema string
		lines        []string
		want         string // the action and the content, or the error
		shown        string // below what the server asks; empty if it does not matter
	}{
		{"nothing to fill in", `{"type":"object","properties":{}}`, []string{"maybe", "YES"}, "accept {}",
			"Answer? [yes, no, cancel] {maybe}\nAnswer? [yes, no, cancel] {YES}\n"},
		{"no", `{"type":"object","properties":{"a":{"type":"string"}}}`, []string{"n"}, "decline null", ""},
		{"cancel", `{"type":"object","properties":{"a":{"type":"string"}}}`, []string{"cancel"}, "cancel null", ""},
		{"the end of the input", `{"type":"object","properties":{"a":{"type":"string"}}}`, nil, "context canceled", ""},
		{"the end of the input in a form", `{"type":"object","properties":{"a":{"type":"string"}}}`, []string{"y"}, "context canceled", ""},
		{"texts", `{"type":"object","properties":{"a":{"type":"string","title":"An a","description":"What an a is."},"b":{"type":"string"},"c":{"type":"string","default":"x"},"p":{"type":"string","title":"Password"}},"required":["a","p"]}`,
			[]string{"", "", "", "", "p"}, `accept {"a":"","c":"x","p":"p"}`,
			"Answer? [yes, no, cancel] {}\n  What an a is.\n  An a: {}\n  b (optional): {}\n  c [\"x\"]: {}\n  Password: (secret) {p}\n"},
		{"numbers", `{"type":"object","properties":{"n":{"type":"number"},"i":{"type":"integer"},"m":{"type":"integer"}},"required":["n","i"]}`,
			[]string{"y", "", "x", "1.5", "3", ""}, `accept {"i":3,"n":1.5}`,
			"Answer? [yes, no, cancel] {y}\n  n: {}\n  n: {x}\n  \"x\" is not a number\n  n: {1.5}\n  i: {3}\n  m (optional): {}\n"},
		{"yes or no", `{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"boolean","default":true}},"required":["a","b"]}`,
			[]string{"y", "maybe", "No", ""}, `accept {"a":false,"b":true}`,
			"Answer? [yes, no, cancel] {y}\n  a: {maybe}\n  \"maybe\" is not yes or no\n  a: {No}\n  b [true]: {}\n"},
		{"choices", `{"type":"object","properties":{"e":{"type":"string","enum":["a","b"],"enumNames":["A"]},"o":{"type":"string","oneOf":[{"const":"c","title":"C"}]},"l":{"type":"array","items":{"type":"string","enum":["x","y"]}}},"required":["e","o","l"]}`,
			[]string{"y", "0", "3", "1", "C", "x, 3", "x, 2"}, `accept {"e":"a","l":["x","y"],"o":"c"}`,
			"Answer? [yes, no, cancel] {y}\n    1) a A\n    2) b\n  e: {0}\n  \"0\" is not one of the choices\n  e: {3}\n  \"3\" is not one of the choices\n  e: {1}\n" +
				"    1) c C\n  o: {C}\n    1) x\n    2) y\n  l: {x, 3}\n  \"x, 3\" is not a list of numbers from above, with commas between them\n  l: {x, 2}\n"},
		{"again what is wrong", `{"type":"object","properties":{"a":{"type":"string","minLength":2},"b":{"type":"integer","minimum":1}},"required":["a"]}`,
			[]string{"y", "x", "1", "xy"}, `accept {"a":"xy","b":1}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, shown := typist(t, test.lines...)
			result, err := p.elicit(t.Context(), form(t, "Please.", test.schema))
			got := fmt.Sprint(err)
			if err == nil {
				content, _ := json.Marshal(result.Content)
				got = string(result.Action) + " " + string(content)
			}
			if got != test.want {
				t.Errorf("got %s, want %s, after\n%s", got, test.want, shown)
			}
			if test.shown != "" {
				diff(t, shown.String(), "The server asks: Please.\n"+test.shown)
			}
			if len(p.asks) > 0 {
				t.Error("nobody else can ask")
			}
		})
	}
}

func TestFieldValues(t *testing.T) {
	choices := []choice{{"a", "A"}, {"2", ""}, {"c", ""}}
	for _, test := range []struct {
		kind    string
		choices []choice
		text    string
		want    string
	}{
		{"string", nil, `a"b`, `"a\"b"`}, {"string", nil, "", `""`},
		{"string", choices, "1", `"a"`}, {"string", choices, "2", `"2"`}, {"string", choices, "3", `"c"`}, {"string", choices, "4", ""}, {"string", choices, "-1", ""}, {"string", choices, "0", ""},
		{"string", choices, "A", `"a"`}, {"string", choices, "c", `"c"`}, {"string", choices, "", ""},
		{"boolean", nil, "Y", "true"}, {"boolean", nil, "yes", "true"}, {"boolean", nil, "true", "true"}, {"boolean", nil, "n", "false"}, {"boolean", nil, "no", "false"}, {"boolean", nil, "false", "false"}, {"boolean", nil, "1", ""},
		{"integer", nil, "1", "1"}, {"number", nil, "1.5", "1.5"}, {"number", nil, "true", ""}, {"integer", nil, `"1"`, ""},
		{"array", choices, "1, c", `["a","c"]`}, {"array", choices, "1,x", ""}, {"array", choices, "", ""},
	} {
		f := formField{Type: test.kind}
		if got := string(f.value(test.text, test.choices)); got != test.want {
			t.Errorf("%s %q: got %s, want %s", test.kind, test.text, got, test.want)
		}
	}
	for _, f := range []formField{{Type: "string", Title: "Your PASSWORD"}, {Type: "string", Format: "password"}} {
		if !f.secret("x") {
			t.Errorf("%+v is no secret", f)
		}
	}
	if plain := (&formField{Type: "string"}); plain.secret("x") || !plain.secret("apiKey") || (&formField{Type: "boolean"}).secret("token") {
		t.Error("what is a secret is not, or the reverse")
	}
}

// TestLateAnswer types a line only after the question was cancelled: it is the answer to the next one.
func TestLateAnswer(t *testing.T) {
	shown := new(strings.Builder)
	p := &Person{out: NewPrinter(shown, noEnv), asks: make(chan struct{}, 1), wants: make(chan question, 1), lines: make(chan answeredLine, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.ask(ctx, "one?", false); !errors.Is(err, context.Canceled) || len(p.wants) != 1 {
		t.Fatalf("got %v", err)
	}
	p.lines <- answeredLine{text: "late"}
	if text, err := p.ask(t.Context(), "two?", false); text != "late" || err != nil || len(p.wants) != 1 || shown.String() != "two? " {
		t.Errorf("got %q, %v, shown %q", text, err, shown)
	}
	<-p.wants
	p.lines <- answeredLine{text: "in time"}
	if text, err := p.ask(t.Context(), "three?", true); text != "in time" || err != nil || (<-p.wants) != (question{"three? ", true}) {
		t.Errorf("got %q, %v", text, err)
	}
	wrong := errors.New("wrong")
	p.lines <- answeredLine{err: wrong}
	if _, err := p.ask(t.Context(), "four?", false); err != wrong {
		t.Errorf("got %v", err)
	}
}

// TestOneQuestion lets nobody ask while another question is open.
func TestOneQuestion(t *testing.T) {
	p, _ := typist(t)
	done, err := p.alone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.elicit(ctx, &mcp.ElicitRequestFormParams{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a form: %v", err)
	}
	if _, err := p.visit(ctx, &mcp.ElicitRequestURLParams{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a page: %v", err)
	}
	if _, err := p.sample(ctx, &mcp.CreateMessageRequestParams{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a message: %v", err)
	}
	done()
	done, err = p.alone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done()
}

func TestVisit(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no browser
	for answer, want := range map[string]mcp.ElicitResultAction{"y": mcp.ElicitResultActionAccept, "n": mcp.ElicitResultActionDecline, "c": mcp.ElicitResultActionDecline} {
		p, shown := typist(t, answer)
		got, err := p.visit(t.Context(), &mcp.ElicitRequestURLParams{Message: "Please.", URL: "https://example.com/page"})
		if got != want || err != nil {
			t.Errorf("%s: got %v, %v", answer, got, err)
		}
		text := "The server asks you to visit a page: Please.\nhttps://example.com/page\nAnswer? [yes, no, cancel] {" + answer + "}\n"
		if answer == "y" {
			text += "No browser could be opened: visit the page yourself.\n"
		}
		diff(t, shown.String(), text)
	}
	p, _ := typist(t)
	if _, err := p.visit(t.Context(), &mcp.ElicitRequestURLParams{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestSample(t *testing.T) {
	params := &mcp.CreateMessageRequestParams{SystemPrompt: "Be kind.", Messages: []mcp.SamplingMessage{
		{Role: mcp.RoleUser, Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: "Hello"}, &mcp.ImageContent{MIMEType: "image/png", Data: wire.EncodeBase64([]byte("abc"))}}},
	}}
	p, shown := typist(t, "y", "Hi")
	got, err := p.sample(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := wire.Marshal(wire.Any, got)
	if err != nil || string(raw) != `{"role":"assistant","content":{"type":"text","text":"Hi"},"model":"person","stopReason":"endTurn"}` {
		t.Errorf("got %s, %v", raw, err)
	}
	diff(t, shown.String(), "The server asks a model; answer in its place.\n  system: Be kind.\n  user: Hello\n  user: {\"type\":\"image\",\"data\":\"YWJj\",\"mimeType\":\"image/png\"}\n"+
		"Answer? [yes, no, cancel] {y}\nassistant: {Hi}\n")
	p, shown = typist(t, "n")
	if _, err := p.sample(t.Context(), &mcp.CreateMessageRequestParams{}); err != client.ErrRejected {
		t.Errorf("got %v", err)
	}
	diff(t, shown.String(), "The server asks a model; answer in its place.\nAnswer? [yes, no, cancel] {n}\n")
	for _, lines := range [][]string{nil, {"y"}} {
		p, _ = typist(t, lines...)
		if _, err := p.sample(t.Context(), &mcp.CreateMessageRequestParams{}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

// TestRead reads lines from what is typed; nobody types into a file.
func TestRead(t *testing.T) {
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	fmt.Fprint(to, "one\r\ntwo")
	to.Close()
	shown := new(strings.Builder)
	p := &Person{out: NewPrinter(shown, noEnv), in: from, wants: make(chan question), lines: make(chan answeredLine, 1)}
	go p.read()
	defer close(p.wants)
	if text, err := p.ask(t.Context(), "a?", false); text != "one" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
	if text, err := p.ask(t.Context(), "b?", true); text != "" || err == nil {
		t.Errorf("a secret was read where nothing can be hidden: %q, %v", text, err)
	}
	if _, err := p.ask(t.Context(), "c\x1b?", false); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v at the end", err)
	}
	if shown.String() != `a? c\u001b? ` {
		t.Errorf("shown: %q", shown)
	}
	if NewPerson(from, p.out) != nil {
		t.Error("somebody types into a pipe")
	}
	var opts client.Options
	p.Offer(&opts)
	if opts.Elicit == nil || opts.Sample == nil {
		t.Error("the person offers too little")
	}
}
