package skillclient_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/skills"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/skills"
	"github.com/mcpgen/mcpgen/runtime/skills/skillclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	root     = "skill://acme/refunds"
	document = "---\nname: refunds\ndescription: How money goes back.\n---\n\nSee forms/A.md.\n"
	form     = "A form.\n"
)

// A host is a server that says and returns whatever a test wants.
type host struct {
	settings string
	entries  []string           // of skills/list
	get      string             // the entry of skills/get
	contents map[string]string  // by URI; as a blob if it begins with "blob:"
	list     func(p int) string // the cursor that follows a page of any list
	cursors  []string           // that were sent
	reads    []string
}

// file returns the JSON of a file in an entry.
func file(path, content string) string {
	return fmt.Sprintf(`{"uri":%q,"digest":%q,"size":%d}`, root+"/"+path, skills.Digest([]byte(content)), len(content))
}

// entry returns the JSON of an entry.
func entry(files ...string) string { return entryOf("[" + strings.Join(files, ",") + "]") }

func entryOf(resources string) string {
	return `{"uri":"` + root + `/SKILL.md","frontmatter":{"name":"refunds","description":"How money goes back."},"resources":` + resources + `}`
}

// honest returns a host that says what is true.
func honest() *host {
	e := entry(file("forms/deep/b.bin", "\xff"), file("SKILL.md", document), file("forms/A.md", form))
	return &host{
		settings: `{"directoryRead":true}`, entries: []string{e}, get: e,
		contents: map[string]string{root + "/SKILL.md": document, root + "/forms/A.md": form, root + "/forms/deep/b.bin": "blob:/w=="},
	}
}

func (h *host) connect(t *testing.T, opts *skillclient.Options) *skillclient.Source {
	t.Helper()
	s := server.New(mcp.Implementation{Name: "host", Version: "1"}, nil)
	err := s.AddTemplate(mcp.ResourceTemplate{Name: "all", URITemplate: "skill://{+path}"},
		func(uri string) (map[string]string, bool) { return nil, true },
		func(_ context.Context, _ *server.Call, uri string, _ map[string]string) (*mcp.ReadResourceResult, error) {
			h.reads = append(h.reads, uri)
			content, ok := h.contents[uri]
			if !ok {
				return nil, server.ErrNotFound
			}
			if blob, ok := strings.CutPrefix(content, "blob:"); ok {
				return &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{&mcp.BlobResourceContents{Blob: wire.Base64{Text: blob}}}}, nil
			}
			if text, ok := strings.CutPrefix(content, "other:"); ok {
				return &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{&mcp.TextResourceContents{URI: "skill://acme/other", Text: text}}}, nil
			}
			r := server.TextResource("text/markdown", strings.TrimPrefix(content, "two:"))
			if strings.HasPrefix(content, "two:") {
				r.Contents = append(r.Contents, r.Contents[0])
			}
			return r, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	const cached = `"resultType":"complete","ttlMs":0,"cacheScope":"private"`
	next := func(c *server.Call) string {
		if h.cursors = append(h.cursors, c.Params().StringAt("cursor")); h.list == nil {
			return ""
		}
		return `,"nextCursor":"` + h.list(len(h.cursors)) + `"`
	}
	result := func(text func(c *server.Call) string) server.Handler {
		return func(_ context.Context, c *server.Call) (wire.Encodable, error) { return wire.Raw(text(c)), nil }
	}
	err = s.AddExtension(server.Extension{
		Capabilities: func(_ *server.Call, caps *mcp.ServerCapabilities) {
			if h.settings != "" {
				caps.Extensions = map[string]wire.Raw{extension.Extension: wire.Raw(h.settings)}
			}
		},
		Methods: map[string]server.Handler{
			"skills/list": result(func(c *server.Call) string {
				return `{"skills":[` + strings.Join(h.entries, ",") + `],` + cached + next(c) + `}`
			}),
			"skills/get": result(func(*server.Call) string { return `{"skill":` + h.get + `,` + cached + `}` }),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return skillclient.Of(mcptest.Connect(t, s, nil).Client, opts)
}

// skill returns the only skill that is listed.
func (h *host) skill(t *testing.T, opts *skillclient.Options) *skillclient.Skill {
	t.Helper()
	for s, err := range h.connect(t, opts).List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Fatal("there is no skill")
	return nil
}

// REQ SKILL-14: a file is read when it is asked for, once, and no other one.
func TestLoad(t *testing.T) {
	h := honest()
	s := h.skill(t, nil)
	if len(h.reads) != 0 {
		t.Errorf("%q were read before the skill was loaded", h.reads)
	}
	if text, err := s.Load(t.Context()); err != nil || text != document {
		t.Errorf("got %q, %v", text, err)
	}
	for name, want := range map[string]string{"forms/A.md": form, "./forms/../forms/deep/b.bin": "\xff"} {
		if b, err := s.Read(t.Context(), name); err != nil || string(b) != want {
			t.Errorf("%s: got %q, %v", name, b, err)
		}
	}
	if len(h.reads) != 3 {
		t.Errorf("%q were read", h.reads)
	}
}

func isVerify(err error, text string) bool {
	var v *skillclient.VerifyError
	return errors.As(err, &v) && strings.Contains(err.Error(), text)
}

// REQ SKILL-13: what is not what the entry says is not used.
func TestTampered(t *testing.T) {
	other := strings.Replace(document, "How money goes back.", "Send it to me.", 1)
	for name, test := range map[string]struct {
		content, listed string
		want            string
	}{
		"digest":                {strings.Replace(document, "forms/A.md", "forms/B.md", 1), document, "does not have the digest"},
		"longer":                {document + "!", document, "the file has 74 bytes, and the entry says 73"},
		"shorter":               {document[:len(document)-1], document, "the file has 72 bytes"},
		"description":           {other, other, "front matter: description of the file is not that of the entry"},
		"one field more":        {strings.Replace(document, "---\n\n", "allowed-tools: Bash\n---\n\n", 1), "", "front matter: allowed-tools"},
		"no front matter":       {"# Refunds\n", "", "front matter: want --- as the first line"},
		"of another file":       {"other:" + document, document, "want the contents of that file"},
		"of two files":          {"two:" + document, document, "want the contents of one file, got 2"},
		"another than the text": {"blob:/w==", document, "the file has 1 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			h := honest()
			h.contents[root+"/SKILL.md"] = test.content
			if test.listed == "" {
				test.listed = test.content
			}
			h.entries = []string{entry(file("SKILL.md", test.listed), file("forms/A.md", form))}
			if text, err := h.skill(t, nil).Load(t.Context()); text != "" || !isVerify(err, test.want) {
				t.Errorf("got %q, %v; want %s", text, err, test.want)
			}
		})
	}
}

// A file that the server no longer has is the server's error.
func TestGone(t *testing.T) {
	h := honest()
	s := h.skill(t, nil)
	delete(h.contents, root+"/forms/A.md")
	if _, err := s.Read(t.Context(), "forms/A.md"); !client.IsNotFound(err) {
		t.Errorf("got %v", err)
	}
}

// REQ SKILL-11: no path leads to a file that the entry does not list.
func TestEscapes(t *testing.T) {
	h := honest()
	h.contents["skill://acme/other/SKILL.md"] = "secret"
	h.contents[root+"/unlisted.md"] = "new"
	s := h.skill(t, nil)
	for _, name := range []string{
		"", ".", "..", "../other/SKILL.md", "forms/../../other/SKILL.md", "/etc/passwd", `forms\A.md`, `..\other`, "unlisted.md", "forms", "forms/A.md/x",
		"%2e%2e/other/SKILL.md", "forms%2FA.md", "forms/A.md?x", "file:///etc/passwd", "skill://acme/other/SKILL.md",
	} {
		if b, err := s.Read(t.Context(), name); b != nil || !isVerify(err, "") {
			t.Errorf("%q: got %q, %v", name, b, err)
		}
	}
	if len(h.reads) != 0 {
		t.Errorf("%q were read", h.reads)
	}
}

// REQ SKILL-09, SKILL-10, SKILL-11: an entry that is not valid costs the client that entry alone, and nothing is read.
func TestEntries(t *testing.T) {
	main := file("SKILL.md", document)
	many := make([]string, skills.MaxFiles+1)
	for i := range many {
		many[i] = file(fmt.Sprint("f", i), "")
	}
	big := func(size string) string {
		return `{"uri":"` + root + `/big","digest":"` + skills.Digest(nil) + `","size":` + size + `}`
	}
	at := func(uri string) string { return `{"uri":"` + uri + `","digest":"` + skills.Digest(nil) + `","size":0}` }
	for _, test := range []struct{ entry, want string }{
		{entry(), "want all files, but SKILL.md is missing"},
		{entry(file("forms/A.md", form)), "want all files, but SKILL.md is missing"},
		{entry(main, main), "want each file once"},
		{entry(main, file("a", ""), at(root+"/%61")), "want each file once"},
		{entry(many...), "513 files, want at most 512"},
		{entry(main, big("16777216")), "want files of at most 16777216 bytes together"},
		{entry(main, big("9223372036854775807")), "want files of at most 16777216 bytes together"},
		{entry(main, big("-1")), "size -1"},
		{entry(main, at("skill://acme/other/x")), "want a URI below skill://acme/refunds"},
		{entry(main, at("skill://acme/refundsx/y")), "want a URI below skill://acme/refunds"},
		{entry(main, at(root+"/../other/x")), `"..": want the name of a file or folder`},
		{entry(main, at(root+"/%2e%2e/x")), `"..": want the name of a file or folder`},
		{entry(main, at(root+"/a%2Fb")), `"a/b": want the name of a file or folder`},
		{entry(main, at(root+"/a%5Cb")), `want the name of a file or folder`},
		{entry(main, at(root+"/a%00b")), `want the name of a file or folder`},
		{entry(main, at(root+"//b")), `"": want the name of a file or folder`},
		{entry(main, at(root+"/a?b")), "want a URI without ? and #"},
		{entry(main, at(root+"/a%zz")), "invalid URL escape"},
		{entry(strings.ToUpper(main)), "missing required members"},
		{entry(strings.Replace(main, "sha256:", "sha1:", 1)), "digest: want sha256:"},
		{entry(strings.Replace(main, "sha256:", "sha256:0", 1)), "digest: want sha256:"},
		{entryOf(`"static"`), `want a list of files or "dynamic"`},
		{entryOf(`null`), `want a list of files or "dynamic"`},
		{entryOf(`{}`), `want a list of files or "dynamic"`},
		{strings.Replace(entry(main), `"name":"refunds"`, `"name":"refund"`, 1), "want a folder with the name of the skill, refund"},
		{strings.Replace(entry(main), `"name":"refunds"`, `"name":"Refunds"`, 1), "want 1 to 64 letters"},
		{strings.Replace(entry(main), `"How money goes back."`, `""`, 1), "description: want a text"},
		{strings.ReplaceAll(entry(main), "SKILL.md", "skill.md"), "want a URI that ends with /SKILL.md"},
		{strings.ReplaceAll(entry(main), "skill://", "skill:"), "want a URI such as skill://NAME/SKILL.md"},
		{strings.ReplaceAll(entry(main), "acme/", "acme/%2e%2e/"), `"..": want the name of a file or folder`},
	} {
		h := honest()
		h.entries = []string{test.entry, h.get}
		h.get = test.entry
		source := h.connect(t, nil)
		var found []string
		var failed error
		for s, err := range source.List(t.Context()) {
			if err != nil {
				failed = errors.Join(failed, err)
				continue
			}
			found = append(found, s.URI)
		}
		if !isVerify(failed, test.want) || len(found) != 1 {
			t.Errorf("%s:\ngot %v and %q, want %s", test.entry, failed, found, test.want)
		}
		if _, err := source.Get(t.Context(), root+"/SKILL.md"); !isVerify(err, "") {
			t.Errorf("skills/get: got %v", err)
		}
		if len(h.reads) != 0 {
			t.Errorf("%q were read", h.reads)
		}
	}
	h := honest()
	h.get = strings.ReplaceAll(h.get, "acme", "other")
	if _, err := h.connect(t, nil).Get(t.Context(), root+"/SKILL.md"); !isVerify(err, "the server returned the entry of skill://other/refunds/SKILL.md") {
		t.Errorf("another entry: got %v", err)
	}
}

// REQ SKILL-12: nothing is requested that the server does not declare.
func TestUndeclared(t *testing.T) {
	h := honest()
	h.settings = ""
	source := h.connect(t, nil)
	var missing *client.CapabilityError
	if err := last(source.List(t.Context())); !errors.As(err, &missing) || missing.Capability != "extensions.io.modelcontextprotocol/skills" || missing.Method != "skills/list" {
		t.Errorf("got %v", err)
	}
	if _, err := source.Get(t.Context(), root+"/SKILL.md"); !errors.As(err, &missing) {
		t.Errorf("got %v", err)
	}
}

// last returns the last error of a list.
func last[T any](list iter.Seq2[T, error]) (err error) {
	for _, err = range list {
	}
	return err
}

// REQ SKILL-15: the fingerprint is that of all URIs and digests.
func TestFingerprint(t *testing.T) {
	main, a := file("SKILL.md", document), file("a", "1")
	of := func(files ...string) string {
		h := honest()
		h.entries = []string{entry(files...)}
		return h.skill(t, nil).Fingerprint()
	}
	same := of(main, a)
	if of(a, main) != same {
		t.Error("the order changes it")
	}
	for _, other := range []string{of(main), of(main, file("a", "2")), of(main, file("b", "1")), of(main, a, file("b", ""))} {
		if other == same {
			t.Error("another set of files has the same one")
		}
	}
}

// REQ SKILL-10: what has no digests is read only if the program allows it, and only within the limits.
func TestDynamic(t *testing.T) {
	h := honest()
	h.entries = []string{entryOf(`"dynamic"`)}
	if s := h.skill(t, nil); s.Fingerprint() != "" {
		t.Error("there is a fingerprint")
	} else if _, err := s.Load(t.Context()); !errors.Is(err, skillclient.ErrDynamic) || len(h.reads) > 0 {
		t.Errorf("got %v", err)
	}
	s := h.skill(t, &skillclient.Options{Dynamic: true})
	if text, err := s.Load(t.Context()); err != nil || text != document {
		t.Errorf("got %q, %v", text, err)
	}
	h.contents[root+"/b%20c"] = strings.Repeat("x", skills.MaxBytes-len(document))
	if _, err := s.Read(t.Context(), "b c"); err != nil {
		t.Errorf("a skill of as many bytes as there may be: %v", err)
	}
	h.contents[root+"/more"] = "x"
	if _, err := s.Read(t.Context(), "more"); !isVerify(err, "want at most 16777216 bytes of a skill") {
		t.Errorf("got %v", err)
	}
	h.contents[root+"/SKILL.md"] = strings.Replace(document, "refunds", "refund", 1)
	if _, err := h.skill(t, &skillclient.Options{Dynamic: true}).Load(t.Context()); !isVerify(err, "front matter: name") {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"../other", "", ".", `forms\A.md`} {
		if _, err := s.Read(t.Context(), name); !isVerify(err, "want the path of a file") {
			t.Errorf("%q: got %v", name, err)
		}
	}
}

// A list that does not end is an error.
func TestPagesEnd(t *testing.T) {
	for want, list := range map[string]func(int) string{
		`the cursor "same" is returned a second time`: func(int) string { return "same" },
		"want a list of at most 1000 pages":           func(p int) string { return fmt.Sprint(p) },
	} {
		h := honest()
		h.list = list
		if err := last(h.connect(t, nil).List(t.Context())); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A list is requested page by page, each by the cursor of the one before it, and no more of it than is wanted.
func TestPages(t *testing.T) {
	h := honest()
	h.entries = append(h.entries, h.get)
	h.list = func(p int) string { return fmt.Sprint("after", p) }
	source := h.connect(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for most, want := range map[int]string{1: "[]", 2: "[]", 3: "[ after1]", 5: "[ after1 after2]"} {
		h.cursors = nil
		if err := first(source.List(t.Context()), most); err != nil || fmt.Sprint(h.cursors) != want {
			t.Errorf("for %d, the cursors %q were sent, %v; want %s", most, h.cursors, err, want)
		}
	}
	if err := first(source.List(ctx), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := source.Get(ctx, root+"/SKILL.md"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// first takes the first so many of a list.
func first[T any](list iter.Seq2[T, error], most int) error {
	for _, err := range list {
		if most--; err != nil || most == 0 {
			return err
		}
	}
	return nil
}
