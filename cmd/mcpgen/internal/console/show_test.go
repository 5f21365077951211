package console

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func noEnv(string) string { return "" }

// printed returns what is printed in so many columns; 0 is no terminal.
func printed(width int, show func(*Printer)) string {
	var b strings.Builder
	p := NewPrinter(&b, noEnv)
	p.Width = width
	show(p)
	return b.String()
}

func diff(t *testing.T, got, want string) {
	t.Helper()
	if d := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestDefinitions(t *testing.T) {
	all := &Definitions{
		Revision: "2025-11-25", Info: &mcp.Implementation{Name: "s", Title: "A server", Version: "1.2"}, Instructions: "Be kind.\n\nAlways.",
		Tools:             []*mcp.Tool{{Name: "add", Description: "Adds\nnumbers.\n\nAlways."}, {Name: "subtract"}},
		Prompts:           []*mcp.Prompt{{Name: "greet", Description: "Greets."}},
		Resources:         []*mcp.Resource{{URI: "a://d", Name: "n", Title: "t", Description: "d"}, {URI: "a://t", Name: "n", Title: "t"}, {URI: "a://n", Name: "n"}},
		ResourceTemplates: []*mcp.ResourceTemplate{{URITemplate: "b://{d}", Name: "n", Title: "t", Description: "d"}, {URITemplate: "b://{t}", Name: "n", Title: "t"}, {URITemplate: "b://{n}", Name: "n"}},
	}
	diff(t, printed(0, func(p *Printer) { p.Definitions(all) }), `A server 1.2, revision 2025-11-25

Instructions
  Be kind.

  Always.

Tools
  add       Adds numbers.
  subtract

Prompts
  greet  Greets.

Resources
  a://d    d
  a://t    t
  a://n    n
  b://{d}  d
  b://{t}  t
  b://{n}  n
`)
	none := func(info *mcp.Implementation) string {
		return printed(0, func(p *Printer) { p.Definitions(&Definitions{Revision: "2024-11-05", Info: info}) })
	}
	diff(t, none(nil)+none(&mcp.Implementation{Name: "s"}), "a server without a name , revision 2024-11-05\ns , revision 2024-11-05\n")
}

func TestPrompt(t *testing.T) {
	yes, no := true, false
	diff(t, printed(0, func(p *Printer) {
		p.Prompt(&mcp.Prompt{Name: "greet", Description: "Greets.", Arguments: []mcp.PromptArgument{
			{Name: "who", Description: "Whom.\n\nYes.", Required: &yes}, {Name: "how", Required: &no}, {Name: "when"},
		}})
		p.Prompt(&mcp.Prompt{Name: "none"})
	}), `greet

Description
  Greets.

Arguments
  who   required  Whom.
  how   optional
  when  optional
none

Arguments
  none
`)
}

// TestToolParts shows what tools may have beside members.
func TestToolParts(t *testing.T) {
	yes := true
	for _, test := range []struct {
		tool *mcp.Tool
		want string // or the error
	}{
		{&mcp.Tool{Name: "a", Title: "A", Description: "Does.\n\nA.", InputSchema: wire.Raw(`{}`), OutputSchema: wire.Raw(`{"type":"integer"}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: &yes}},
			"a\nA\n\nDescription\n  Does.\n\n  A.\n\nArguments\n  none\n\nResult\n  integer\n\nHints\n  {\"readOnlyHint\":true}\n"},
		{&mcp.Tool{Name: "a", InputSchema: wire.Raw(`{"properties":{"x":{"description":"An x.\n\nMore.","default":1},"y":{"description":"A y."},"o":{"properties":{"p":{"properties":{"q":{"properties":{"r":{"properties":{"s":{}}}}}}}}}},"required":["y"]}`)},
			"a\n\nArguments\n  o        any  optional\n  o.p      any  optional\n  o.p.q    any  optional\n  o.p.q.r  any  optional\n  x        any  optional  An x. (default 1)\n  y        any  required  A y.\n"},
		{&mcp.Tool{Name: "a", InputSchema: wire.Raw(`{`)}, "the input schema of a: unexpected end of JSON input"},
		{&mcp.Tool{Name: "a", InputSchema: wire.Raw(`{}`), OutputSchema: wire.Raw(`{`)}, "the output schema of a: unexpected end of JSON input"},
	} {
		got := printed(0, func(p *Printer) {
			if err := p.Tool(test.tool); err != nil {
				p.w.(*strings.Builder).Reset()
				fmt.Fprint(p, err)
			}
		})
		diff(t, got, test.want)
	}
	var members []string
	for i := range maxRows {
		members = append(members, fmt.Sprintf(`"m%d":{}`, i))
	}
	got := printed(0, func(p *Printer) {
		p.Tool(&mcp.Tool{Name: "a", InputSchema: wire.Raw(`{"properties":{` + strings.Join(members, ",") + `}}`)})
	})
	if n := strings.Count(got, "\n"); n != 3+maxRows || strings.Contains(got, "…") {
		t.Errorf("%d lines of %d members", n-3, maxRows)
	}
}

func TestFold(t *testing.T) {
	for _, test := range []struct {
		line  string
		width int
		want  []string
	}{
		{"one two", 0, []string{"one two"}},
		{"one two", -1, []string{"one two"}},
		{"one  two", 8, []string{"one  two"}},
		{"one  two", 7, []string{"one two"}},
		{"one two", 6, []string{"one", "two"}},
		{"öne twö", 7, []string{"öne twö"}},
		{"one two three", 7, []string{"one two", "three"}},
		{"abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"a bcdefg h", 3, []string{"a", "bcd", "efg", "h"}},
		{"abc abcd", 3, []string{"abc", "abc", "d"}},
		{"", 3, []string{""}},
	} {
		if got := fold(test.line, test.width); !slices.Equal(got, test.want) {
			t.Errorf("fold(%q, %d) = %q, want %q", test.line, test.width, got, test.want)
		}
	}
}

func TestTable(t *testing.T) {
	rows := [][]string{{"  name", "string", "The name of a thing that has one"}, {"  other-name", "integer"}, {}}
	for width, want := range map[int]string{
		0:  "  name        string   The name of a thing that has one\n  other-name  integer\n",
		55: "  name        string   The name of a thing that has one\n  other-name  integer\n",
		54: "  name        string   The name of a thing that has\n                       one\n  other-name  integer\n",
		40: "  name        string   The name of a\n                       thing that has\n                       one\n  other-name  integer\n",
	} {
		diff(t, printed(width, func(p *Printer) { p.table(rows) }), want)
	}
	wide := [][]string{{"one two three four", "a"}, {"b", "c"}}
	diff(t, printed(30, func(p *Printer) { p.table(wide) }), "one two     a\nthree four\nb           c\n")
	diff(t, printed(21, func(p *Printer) { p.table(wide) }), "one two   a\nthree\nfour\nb         c\n")
}

func TestParagraph(t *testing.T) {
	got := printed(12, func(p *Printer) {
		p.paragraph("  ", "one two three\r\nfour\n\n")
		p.asIs("  ", "one two three four\r\nfive  \n")
		p.heading("Six")
		p.Colour = true
		p.heading("Seven")
	})
	if want := "  one two\n  three\n  four\n\n  one two three four\n  five  \n\nSix\n\n\x1b[1mSeven\n\x1b[0m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestProgress(t *testing.T) {
	total := func(n float64) *float64 { return &n }
	params := []*mcp.ProgressNotificationParams{
		{Progress: 1}, {Progress: 1.5, Total: total(3)}, {Progress: 5, Total: total(4), Message: "almost\n done"}, {Progress: -1, Total: total(4)}, {Progress: 1, Total: total(0)}, {Progress: 1, Total: total(1)},
	}
	got := printed(0, func(p *Printer) {
		for _, one := range params {
			p.Progress(one)
		}
		p.EndProgress()
	})
	diff(t, got, "1\n1.5 of 3\n5 of 4 almost done\n-1 of 4\n1\n1 of 1\n")
	got = printed(34, func(p *Printer) {
		p.Terminal = true
		for _, one := range params {
			p.Progress(one)
		}
		fmt.Fprintln(p, "a line")
		p.EndProgress()
		p.Width = 0
		p.Progress(params[2])
		p.Width = 31
		p.Progress(params[5])
		p.Width = 32
		p.Progress(params[5])
		p.EndProgress()
		p.EndProgress()
	})
	const end = "\r\x1b[K"
	want := end + "1" + end + "[############            ]  50%" + end + "[########################] 100% a" +
		end + "[                        ]   0%" + end + "1" + end + "[########################] 100%" + end + "a line\n" +
		end + "[########################] 100% almost done" + end + "[########################] 100" + end + "[########################] 100%" + end
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// failing fails to write.
type failing struct{ errs []error }

func (f *failing) Write([]byte) (int, error) {
	err := f.errs[0]
	f.errs = f.errs[1:]
	return 0, err
}

func TestPrinterErr(t *testing.T) {
	first := errors.New("first")
	p := NewPrinter(&failing{[]error{first, errors.New("second")}}, noEnv)
	if p.Err() != nil {
		t.Error(p.Err())
	}
	fmt.Fprint(p, "a")
	fmt.Fprint(p, "b")
	if p.Err() != first {
		t.Errorf("got %v, want the first error", p.Err())
	}
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if NewPrinter(file, noEnv).Terminal {
		t.Error("a file is a terminal")
	}
}

func TestImages(t *testing.T) {
	for env, want := range map[string]imageProtocol{
		"": noImages, "KITTY_WINDOW_ID=1": kitty, "TERM=xterm-ghostty": kitty, "TERM_PROGRAM=iTerm.app": iterm, "TERM_PROGRAM=WezTerm": iterm,
		"TMUX=1 KITTY_WINDOW_ID=1": noImages, "TERM=screen.xterm KITTY_WINDOW_ID=1": noImages, "TERM=xterm": noImages, "TERM_PROGRAM=vscode": noImages,
	} {
		got := imagesOf(func(key string) string {
			for pair := range strings.FieldsSeq(env) {
				if value, ok := strings.CutPrefix(pair, key+"="); ok {
					return value
				}
			}
			return ""
		})
		if got != want {
			t.Errorf("%s: got %v, want %v", env, got, want)
		}
	}
	png, svg, text := client.Blob{MIMEType: "image/png", Data: []byte("abc")}, client.Blob{MIMEType: "image/svg+xml", Data: []byte("abc")}, client.Blob{MIMEType: "text/plain"}
	jpeg := client.Blob{MIMEType: "image/jpeg", Data: []byte("abc")}
	large := client.Blob{MIMEType: "image/png", Data: bytes.Repeat([]byte{0}, 3072*2)}
	for _, test := range []struct {
		protocol imageProtocol
		blob     client.Blob
		want     string
	}{
		{noImages, png, ""},
		{kitty, png, "\x1b_Ga=T,f=100,m=0;YWJj\x1b\\"},
		{kitty, jpeg, ""},
		{kitty, large, "\x1b_Ga=T,f=100,m=1;" + strings.Repeat("A", 4096) + "\x1b\\\x1b_Gm=0;" + strings.Repeat("A", 4096) + "\x1b\\"},
		{iterm, png, "\x1b]1337;File=inline=1;size=3:YWJj\a"},
		{iterm, jpeg, "\x1b]1337;File=inline=1;size=3:YWJj\a"},
		{iterm, svg, ""},
		{iterm, text, ""},
	} {
		if got := test.protocol.show(test.blob); got != test.want {
			t.Errorf("%v, %s: got %.100q", test.protocol, test.blob.MIMEType, got)
		}
	}
	for mediaType, want := range map[string]string{"image/png": ".png", "image/PNG; a=b": ".png", "audio/wav": ".wav", "x/y": ".bin", "": ".bin", "image/png; a": ".bin"} {
		if got := extension(mediaType); got != want {
			t.Errorf("%s: got %s, want %s", mediaType, got, want)
		}
	}
}

// results shows results, with names of files replaced, and returns how many files were saved.
func results(t *testing.T, show func(*Results) error) (string, int) {
	t.Helper()
	dir := t.TempDir()
	text := printed(0, func(p *Printer) {
		if err := show(&Results{Printer: p, Dir: dir}); err != nil {
			fmt.Fprintln(p, err)
		}
	})
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(dir + "/" + e.Name())
		if err != nil || string(data) != "abc" {
			t.Errorf("saved %q, %v", data, err)
		}
	}
	return regexp.MustCompile(regexp.QuoteMeta(dir)+`/mcpgen-\d+`).ReplaceAllString(text, "FILE"), len(entries)
}

func TestToolResult(t *testing.T) {
	for _, test := range []struct {
		result *mcp.CallToolResult
		want   string
	}{
		{&mcp.CallToolResult{}, ""},
		{&mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: "one\ntwo"}}}, "one\ntwo\n"},
		{&mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: ` { "a" : 1 }`}, &mcp.TextContent{Text: "b"}}, StructuredContent: wire.Raw(`{"a":1}`)}, "b\n{\n  \"a\": 1\n}\n"},
		{&mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: `{"a":2}`}}, StructuredContent: wire.Raw(`{"a":1}`)}, "{\"a\":2}\n{\n  \"a\": 1\n}\n"},
		{&mcp.CallToolResult{StructuredContent: wire.Raw(`{`)}, "unexpected end of JSON input\n"},
		{&mcp.CallToolResult{Content: []mcp.ContentBlock{
			&mcp.ResourceLink{URI: "a://b", Name: "n"},
			&mcp.EmbeddedResource{Resource: &mcp.TextResourceContents{URI: "a://c", Text: "text"}},
			&mcp.EmbeddedResource{Resource: &mcp.BlobResourceContents{URI: "a://c", Blob: wire.EncodeBase64([]byte("abc"))}},
			&mcp.ImageContent{MIMEType: "image/png", Data: wire.EncodeBase64([]byte("abc"))},
			&mcp.UnknownContentBlock{Raw: wire.Raw(`{"type":"x"}`)},
		}}, "link: a://b n\ntext\nbytes, 3 bytes, saved as FILE.bin\nimage/png, 3 bytes, saved as FILE.png\n{\"type\":\"x\"}\n"},
	} {
		got, _ := results(t, func(r *Results) error { return r.Tool(test.result) })
		diff(t, got, test.want)
	}
	all := &mcp.CallToolResult{}
	for range maxSaved + 1 {
		all.Content = append(all.Content, &mcp.AudioContent{MIMEType: "audio/wav", Data: wire.EncodeBase64([]byte("abc"))})
	}
	text, saved := results(t, func(r *Results) error { return r.Tool(all) })
	if saved != maxSaved || !strings.HasSuffix(text, "FILE.wav\naudio/wav, 3 bytes, not saved: 100 files are enough; -json has all\n") {
		t.Errorf("%d files, %s", saved, text)
	}
	image := &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.ImageContent{MIMEType: "image/png", Data: wire.EncodeBase64([]byte("abc"))}, &mcp.ImageContent{MIMEType: "image/gif", Data: wire.EncodeBase64([]byte("abc"))}}}
	text, saved = results(t, func(r *Results) error {
		r.Terminal, r.images = true, kitty
		return r.Tool(image)
	})
	if saved != 1 || !strings.HasPrefix(text, "\x1b_Ga=T,f=100,m=0;YWJj\x1b\\\nimage/gif") {
		t.Errorf("%d files, %q", saved, text)
	}
	text, _ = results(t, func(r *Results) error {
		r.images, r.Dir = kitty, r.Dir+"/missing"
		return r.Tool(image)
	})
	if !strings.HasPrefix(text, "open ") {
		t.Errorf("no error where no file can be: %s", text)
	}
}

func TestOtherResults(t *testing.T) {
	got, _ := results(t, func(r *Results) error {
		return r.Prompt(&mcp.GetPromptResult{Description: "Asks.", Messages: []mcp.PromptMessage{
			{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: "one"}}, {Role: mcp.RoleAssistant, Content: &mcp.TextContent{Text: "two"}},
		}})
	})
	diff(t, got, "Asks.\n\nuser:\n  one\n\nassistant:\n  two\n")
	got, _ = results(t, func(r *Results) error { return r.Prompt(&mcp.GetPromptResult{}) })
	diff(t, got, "")
	one := &mcp.TextResourceContents{URI: "a://b", Text: "one"}
	got, _ = results(t, func(r *Results) error {
		return r.Resource(&mcp.ReadResourceResult{Contents: []mcp.ResourceContents{one}})
	})
	diff(t, got, "one\n")
	got, _ = results(t, func(r *Results) error {
		return r.Resource(&mcp.ReadResourceResult{Contents: []mcp.ResourceContents{one, one}})
	})
	diff(t, got, "\npart 1:\none\n\npart 2:\none\n")
}
