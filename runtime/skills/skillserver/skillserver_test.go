package skillserver_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/skills"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/skills"
	"github.com/mcpgen/mcpgen/runtime/skills/skillclient"
	"github.com/mcpgen/mcpgen/runtime/skills/skillserver"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// document returns a SKILL.md with a name.
func document(name string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("---\nname: " + name + "\ndescription: What " + name + " is for.\n---\n\nBe kind.\n")}
}

func text(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }

// refunds are two skills, one inside the other.
func refunds() fstest.MapFS {
	return fstest.MapFS{
		"README.md":                         text("of no skill"),
		"refunds/SKILL.md":                  document("refunds"),
		"refunds/examples/an email.md":      text("Dear\n"),
		"refunds/examples/logo":             text("\xff\xfe"),
		"refunds/parts/partial/SKILL.md":    document("partial"),
		"refunds/parts/partial/scripts/a.q": text(""),
	}
}

func newServer(t *testing.T, fsys fs.FS, opts *skillserver.Options) *server.Server {
	t.Helper()
	return server.New(mcp.Implementation{Name: "skills", Version: "1"}, &server.Options{Setup: []server.Setup{skillserver.Enable(fsys, opts)}})
}

// setup returns the error of skills that cannot be served.
func setup(fsys fs.FS, opts *skillserver.Options) error {
	return skillserver.Enable(fsys, opts)(server.New(mcp.Implementation{Name: "skills", Version: "1"}, nil))
}

// REQ SKILL-01, SKILL-02, SKILL-03: files are resources in every revision, and the rest is there since 2026-07-28.
func TestRevisions(t *testing.T) {
	mcptest.EachRevision(t, func(t *testing.T, rev wire.Revision) {
		c := mcptest.Connect(t, newServer(t, refunds(), &skillserver.Options{Prefix: "acme"}), &mcptest.Options{Revision: rev})
		var uris []string
		for r, err := range c.Resources(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			uris = append(uris, r.URI)
		}
		want := []string{
			"skill://acme/refunds/SKILL.md", "skill://acme/refunds/examples/an%20email.md", "skill://acme/refunds/examples/logo",
			"skill://acme/refunds/parts/partial/SKILL.md", "skill://acme/refunds/parts/partial/scripts/a.q",
		}
		if slices.Sort(uris); !slices.Equal(uris, want) {
			t.Errorf("got %q, want %q", uris, want)
		}
		r, err := c.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: want[1]})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Contents[0].(*mcp.TextResourceContents); got.Text != "Dear\n" || got.MIMEType != "text/markdown" {
			t.Errorf("got %+v", got)
		}
		if r, err = c.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: want[2]}); err != nil {
			t.Fatal(err)
		}
		blob := r.Contents[0].(*mcp.BlobResourceContents)
		if b, err := blob.Blob.Bytes(); err != nil || !bytes.Equal(b, []byte("\xff\xfe")) || blob.MIMEType != "application/octet-stream" {
			t.Errorf("got %+v", blob)
		}
		if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: "skill://acme/README.md"}); !client.IsNotFound(err) {
			t.Errorf("a file of no skill: got %v", err)
		}
		modern := rev.Since(mcp.V2026_07_28)
		source := skillclient.Of(c.Client, nil)
		settings := string(c.Server().Capabilities.Extensions[extension.Extension])
		if c.Server().Capabilities.Resources == nil || source.Supported() != modern || (settings == `{"directoryRead":true}`) != modern {
			t.Errorf("the server declares %+v", c.Server().Capabilities)
		}
		if _, err := source.Get(t.Context(), want[0]); (err == nil) != modern {
			t.Errorf("skills/get: %v", err)
		}
		if _, err := methods.Call[wire.Raw](t.Context(), c, "skills/list", nil); (err == nil) != modern {
			t.Errorf("skills/list: %v", err)
		}
	})
}

// REQ SKILL-04, SKILL-05, SKILL-06, SKILL-08: entries are complete, alike in both methods, and say how long they last.
func TestEntries(t *testing.T) {
	s := newServer(t, refunds(), &skillserver.Options{Cache: server.CacheHint{TTL: time.Minute, Public: true}})
	c := mcptest.Connect(t, s, nil)
	list, err := extension.ServerCalls{Caller: c}.ListSkills(t.Context(), &mcp.PaginatedRequestParams{})
	if err != nil {
		t.Fatal(err)
	}
	if !list.HasResultType || list.TTLMs != 60_000 || list.CacheScope != extension.CacheScopePublic || list.NextCursor != nil || len(list.Skills) != 2 {
		t.Fatalf("got %+v", list)
	}
	file := func(path, content string) string {
		return fmt.Sprintf(`{"uri":"skill://%s","digest":"%s","size":%d}`, path, skills.Digest([]byte(content)), len(content))
	}
	inner := file("refunds/parts/partial/SKILL.md", string(document("partial").Data)) + "," + file("refunds/parts/partial/scripts/a.q", "")
	for i, want := range []string{
		`{"uri":"skill://refunds/SKILL.md","frontmatter":{"name":"refunds","description":"What refunds is for."},"resources":[` +
			file("refunds/SKILL.md", string(document("refunds").Data)) + "," + file("refunds/examples/an%20email.md", "Dear\n") + "," +
			file("refunds/examples/logo", "\xff\xfe") + "," + inner + `]}`,
		`{"uri":"skill://refunds/parts/partial/SKILL.md","frontmatter":{"name":"partial","description":"What partial is for."},"resources":[` + inner + `]}`,
	} {
		got, err := list.Skills[i].MarshalJSON()
		if err != nil || string(got) != want {
			t.Errorf("got  %s, %v\nwant %s", got, err, want)
		}
		one, err := extension.ServerCalls{Caller: c}.GetSkill(t.Context(), &extension.GetSkillRequestParams{URI: list.Skills[i].URI})
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := one.Skill.MarshalJSON(); string(again) != want || one.TTLMs != 60_000 || one.CacheScope != extension.CacheScopePublic {
			t.Errorf("skills/get returns %s, %+v", again, one)
		}
	}
	for cache, want := range map[server.CacheHint]int64{{}: 0, {TTL: time.Millisecond}: 1, {TTL: -time.Hour}: 0} {
		c := mcptest.Connect(t, newServer(t, refunds(), &skillserver.Options{Cache: cache}), nil)
		list, err := extension.ServerCalls{Caller: c}.ListSkills(t.Context(), &mcp.PaginatedRequestParams{})
		if err != nil || list.TTLMs != want || list.CacheScope != extension.CacheScopePrivate {
			t.Errorf("%v: got %+v, %v", cache, list, err)
		}
	}
	resource := func(uri string) *mcp.Resource {
		for r, err := range c.Resources(t.Context()) {
			if err == nil && r.URI == uri {
				return r
			}
		}
		t.Fatalf("there is no %s", uri)
		return nil
	}
	if r := resource("skill://refunds/SKILL.md"); r.Name != "refunds" || r.Description != "What refunds is for." || r.MIMEType != "text/markdown" {
		t.Errorf("got %+v", r)
	}
	if r := resource("skill://refunds/parts/partial/scripts/a.q"); r.Name != "a.q" || r.MIMEType != "text/plain" {
		t.Errorf("got %+v", r)
	}
}

// REQ SKILL-05: an entry is on one page, and pages follow each other.
func TestPages(t *testing.T) {
	fsys := fstest.MapFS{}
	for i := range 100 {
		name := fmt.Sprintf("skill-%03d", i)
		fsys["many/"+name+"/SKILL.md"] = document(name)
	}
	c := mcptest.Connect(t, newServer(t, fsys, nil), nil)
	seen := map[string]bool{}
	for s, err := range skillclient.Of(c.Client, nil).List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		seen[s.URI] = true
	}
	if len(seen) != len(fsys) {
		t.Errorf("%d skills, want %d", len(seen), len(fsys))
	}
	for _, cursor := range []mcp.Cursor{"", "0", "-50", "49", "51", "100", "150", "99999999999999999999", "x"} {
		_, err := extension.ServerCalls{Caller: c}.ListSkills(t.Context(), &mcp.PaginatedRequestParams{Cursor: &cursor})
		wantInvalid(t, err, "cursor: want one that the same list has returned")
		_, err = extension.ServerCalls{Caller: c}.ReadResourceDirectory(t.Context(), &extension.ReadResourceDirectoryRequestParams{URI: "skill://many", Cursor: &cursor})
		wantInvalid(t, err, "cursor: want one that the same list has returned")
	}
}

// REQ SKILL-07: each directory is listed by itself, those above skills too.
func TestDirectories(t *testing.T) {
	c := mcptest.Connect(t, newServer(t, refunds(), &skillserver.Options{Prefix: "acme/billing"}), nil)
	for uri, want := range map[string]string{
		"skill://acme":                          "billing/",
		"skill://acme/billing":                  "refunds/",
		"skill://acme/billing/refunds":          "refunds examples/ parts/",
		"skill://acme/billing/refunds/parts":    "partial/",
		"skill://acme/billing/refunds/examples": "an email.md logo",
	} {
		var names []string
		for _, r := range directory(t, c, uri) {
			if r.MIMEType == "inode/directory" {
				r.Name += "/"
			}
			names = append(names, r.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s has %s, want %s", uri, got, want)
		}
	}
	for _, uri := range []string{"skill://", "skill://acme/", "skill://acme/billing/refunds/SKILL.md", "skill://acme/billing/refunds/..", "skill://none"} {
		_, err := extension.ServerCalls{Caller: c}.ReadResourceDirectory(t.Context(), &extension.ReadResourceDirectoryRequestParams{URI: uri})
		wantInvalid(t, err, "uri: there is no directory "+uri)
		_, err = extension.ServerCalls{Caller: c}.GetSkill(t.Context(), &extension.GetSkillRequestParams{URI: uri + "/SKILL.md"})
		wantInvalid(t, err, "uri: there is no skill "+uri)
	}
}

func wantInvalid(t *testing.T, err error, text string) {
	t.Helper()
	var e *jsonrpc.Error
	if !errors.As(err, &e) || e.Code != mcp.CodeInvalidParams || !strings.Contains(e.Message, text) {
		t.Errorf("got %v, want invalid params: %s", err, text)
	}
}

// An endless is a file without an end.
type endless struct{ fstest.MapFS }

func (e endless) Open(name string) (fs.File, error) {
	f, err := e.MapFS.Open(name)
	if err == nil && strings.HasSuffix(name, ".bin") {
		f = zeros{f}
	}
	return f, err
}

type zeros struct{ fs.File }

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

// REQ SKILL-08, SKILL-11: what could not be loaded, or would lead elsewhere, is not served.
func TestRefused(t *testing.T) {
	many := fstest.MapFS{"a/SKILL.md": document("a")}
	for i := range skills.MaxFiles {
		many[fmt.Sprintf("a/f%d", i)] = text("")
	}
	with := func(name string, f *fstest.MapFile) fstest.MapFS {
		fsys := fstest.MapFS{"a/SKILL.md": document("a")}
		fsys[name] = f
		return fsys
	}
	for want, fsys := range map[string]fs.FS{
		"no folder has a SKILL.md":                               fstest.MapFS{"a/skill.md": document("a")},
		"SKILL.md is in no folder":                               fstest.MapFS{"SKILL.md": document("a"), "-/SKILL.md": document("a")},
		"the skill in a: want at most 512 files":                 many,
		"a/b: want files of at most 16777216 bytes together":     with("a/b", text(strings.Repeat("x", skills.MaxBytes-50))),
		"a/b.bin: want files of at most 16777216 bytes together": endless{with("a/b.bin", text(""))},
		"a/b: want a regular file, got one of type L":            with("a/b", &fstest.MapFile{Data: []byte("../../etc"), Mode: fs.ModeSymlink}),
		`a/b\..\c: "b\\..\\c": want the name of a file`:          with(`a/b\..\c`, text("")),
		"a/b\nc: \"b\\nc\": want the name of a file":             with("a/b\nc", text("")),
		"a b/c/SKILL.md: want a first folder of letters":         fstest.MapFS{"a b/c/SKILL.md": document("c")},
		"want a folder with the name of the skill, b":            fstest.MapFS{"a/SKILL.md": document("b")},
		`name: want 1 to 64 letters`:                             fstest.MapFS{"A/SKILL.md": document("A")},
		"SKILL.md: front matter: want --- as the first line":     fstest.MapFS{"a/SKILL.md": text("# A\n")},
		"missing required member: description":                   fstest.MapFS{"a/SKILL.md": text("---\nname: a\n---\n")},
		"description: want at most 1024 characters, got 1025":    fstest.MapFS{"a/SKILL.md": text("---\nname: a\ndescription: " + strings.Repeat("é", 1025) + "\n---\n")},
	} {
		if err := setup(fsys, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for _, prefix := range []string{"../a", "/a", "a/", "."} {
		if err := setup(refunds(), &skillserver.Options{Prefix: prefix}); err == nil || !strings.Contains(err.Error(), "Options.Prefix") {
			t.Errorf("prefix %q: got %v", prefix, err)
		}
	}
	if err := setup(with("b/SKILL.md/x", text("")), nil); err != nil {
		t.Errorf("a folder with the name of a skill's file: %v", err)
	}
	if err := setup(fstest.MapFS{"a/SKILL.md": text("---\nname: a\ndescription: " + strings.Repeat("é", 1024) + "\n---\n")}, nil); err != nil {
		t.Errorf("a description that is just short enough: %v", err)
	}
	full := maps.Clone(many)
	delete(full, "a/f0")
	full["a/f1"] = text(strings.Repeat("x", skills.MaxBytes-len(document("a").Data)))
	if err := setup(full, nil); err != nil {
		t.Errorf("as many files and bytes as there may be: %v", err)
	}
}

// A broken file system fails at one of its names.
type broken struct {
	fstest.MapFS
	name string
	err  error
}

func (b broken) Open(name string) (fs.File, error) {
	if name == b.name {
		return nil, b.err
	}
	return b.MapFS.Open(name)
}

func (b broken) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == b.name {
		return nil, b.err
	}
	return b.MapFS.ReadDir(name)
}

// An unreadable file system has files that are open, but cannot be read.
type unreadable struct {
	fstest.MapFS
	err error
}

func (u unreadable) Open(name string) (fs.File, error) {
	f, err := u.MapFS.Open(name)
	return unreadableFile{f, u.err}, err
}

type unreadableFile struct {
	fs.File
	err error
}

func (u unreadableFile) Read([]byte) (int, error) { return 0, u.err }

// What cannot be read is not served in part, and neither is what the server has already.
func TestBroken(t *testing.T) {
	disk := errors.New("the disk is broken")
	for name, fsys := range map[string]fs.FS{
		"the root": broken{refunds(), ".", disk}, "a folder": broken{refunds(), "refunds/examples", disk}, "the folder of a skill": broken{refunds(), "refunds", disk},
		"a file": broken{refunds(), "refunds/examples/logo", disk}, "all files": unreadable{refunds(), disk},
	} {
		if err := setup(fsys, nil); !errors.Is(err, disk) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	s := newServer(t, refunds(), nil)
	if err := skillserver.Enable(refunds(), nil)(s); err == nil || !strings.Contains(err.Error(), "skill://refunds/SKILL.md") {
		t.Errorf("the same skills twice: %v", err)
	}
	if err := skillserver.Enable(fstest.MapFS{"b/SKILL.md": document("b")}, nil)(s); err == nil || !strings.Contains(err.Error(), "skills/list") && !strings.Contains(err.Error(), "skills/get") && !strings.Contains(err.Error(), "resources/directory/read") {
		t.Errorf("other skills at the same server: %v", err)
	}
}

// REQ SKILL-07: a large directory has several pages.
func TestLargeDirectory(t *testing.T) {
	fsys := fstest.MapFS{}
	for i := range 1001 {
		name := fmt.Sprintf("skill-%04d", i)
		fsys["many/"+name+"/SKILL.md"] = document(name)
	}
	if n := len(directory(t, mcptest.Connect(t, newServer(t, fsys, nil), nil), "skill://many")); n != len(fsys) {
		t.Errorf("%d folders, want %d", n, len(fsys))
	}
}

// directory returns what is in a directory, on all pages.
func directory(t *testing.T, c *mcptest.Client, uri string) (all []mcp.Resource) {
	t.Helper()
	p := extension.ReadResourceDirectoryRequestParams{URI: uri}
	for {
		r, err := extension.ServerCalls{Caller: c}.ReadResourceDirectory(t.Context(), &p)
		if err != nil {
			t.Fatalf("%s: %v", uri, err)
		}
		all = append(all, r.Resources...)
		if p.Cursor = r.NextCursor; p.Cursor == nil {
			return all
		}
	}
}

// A folder on disk whose symbolic link leads out of it is refused, and what is served does not change with the disk.
func TestDisk(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	main := filepath.Join(dir, "a", "SKILL.md")
	write(main, string(document("a").Data))
	c := mcptest.Connect(t, newServer(t, os.DirFS(dir), nil), nil)
	write(main, string(document("b").Data))
	skill, err := skillclient.Of(c.Client, nil).Get(t.Context(), "skill://a/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := skill.Load(t.Context()); err != nil || got != string(document("a").Data) {
		t.Errorf("got %q, %v", got, err)
	}
	write(filepath.Join(dir, "secret"), "s")
	if err := os.Symlink(filepath.Join(dir, "secret"), filepath.Join(dir, "a", "link")); err != nil {
		t.Skipf("this system has no symbolic links: %v", err)
	}
	if err := setup(os.DirFS(dir), nil); err == nil || !strings.Contains(err.Error(), "want a regular file") {
		t.Errorf("got %v", err)
	}
}
