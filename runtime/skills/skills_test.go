package skills_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	extension "github.com/mcpgen/mcpgen/mcp/skills"
	"github.com/mcpgen/mcpgen/runtime/skills"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// resources returns the files of an entry, the URIs and sizes of which are given: "skill://a/SKILL.md 7".
func resources(files ...string) wire.Raw {
	var items []string
	for _, file := range files {
		uri, size, _ := strings.Cut(file, " ")
		items = append(items, fmt.Sprintf(`{"uri":%q,"digest":%q,"size":%s}`, uri, skills.Digest([]byte(uri)), size))
	}
	return wire.Raw("[" + strings.Join(items, ",") + "]")
}

// Read returns what an entry says, and Entry makes the entry of it.
//
// REQ SKILL-09, SKILL-10
func TestRead(t *testing.T) {
	const main = "skill://x/an%20a/a-1/SKILL.md"
	entry := &extension.Skill{
		URI: main, Frontmatter: extension.SkillFrontmatter{Name: "a-1", Description: "d"},
		Resources: resources("skill://x/an%20a/a-1/b/c%C3%A4 0", main+" 7"),
	}
	want := &skills.Manifest{
		URI: main, Root: "skill://x/an%20a/a-1", Frontmatter: entry.Frontmatter,
		Files: []skills.File{
			{Path: "b/cä", URI: "skill://x/an%20a/a-1/b/c%C3%A4", Digest: skills.Digest([]byte("skill://x/an%20a/a-1/b/c%C3%A4"))},
			{Path: "SKILL.md", URI: main, Digest: skills.Digest([]byte(main)), Size: 7},
		},
	}
	got, err := skills.Read(entry)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(entry, got.Entry()); diff != "" {
		t.Error(diff)
	}
	for path, listed := range map[string]bool{"b/cä": true, "SKILL.md": true, "b/c%C3%A4": false, "b": false, "": false} {
		if f, ok := got.File(path); ok != listed || ok && f.Path != path || !ok && f != (skills.File{}) {
			t.Errorf("%q: got %+v and %t", path, f, ok)
		}
	}

	entry.Resources = wire.Raw(`"dynamic"`)
	got, err = skills.Read(entry)
	if err != nil || !got.Dynamic || got.Files != nil || got.Fingerprint() != "" {
		t.Fatalf("made on request: got %+v and %v", got, err)
	}
	if diff := cmp.Diff(entry, got.Entry()); diff != "" {
		t.Error(diff)
	}
}

// A fingerprint belongs to the URIs and digests of the files, in whatever order.
//
// REQ SKILL-15
func TestFingerprint(t *testing.T) {
	print := func(files ...skills.File) string { return (&skills.Manifest{Files: files}).Fingerprint() }
	a, b := skills.File{URI: "a", Digest: "1"}, skills.File{URI: "b", Digest: "2"}
	if print(a, b) != print(b, a) || print(a, b) == "" {
		t.Errorf("got %s and %s", print(a, b), print(b, a))
	}
	for _, other := range []string{print(a), print(a, skills.File{URI: "b", Digest: "1"}), print(a, skills.File{URI: "c", Digest: "2"})} {
		if other == print(a, b) {
			t.Errorf("other files have the fingerprint %s, too", other)
		}
	}
}

// REQ SKILL-08, SKILL-09, SKILL-10, SKILL-11
func TestReadErrors(t *testing.T) {
	const main = "skill://a/SKILL.md 1"
	many := func(n int) wire.Raw {
		files := []string{main}
		for i := range n - 1 {
			files = append(files, fmt.Sprintf("skill://a/%d 1", i))
		}
		return resources(files...)
	}
	for _, test := range []struct {
		uri, name string
		resources wire.Raw
		err       string // empty: none
	}{
		{"skill://a/SKILL.md", "a", resources(main), ""},
		{"skill://a/skill.md", "a", resources(main), "ends with /SKILL.md"},
		{"a/SKILL.md", "a", resources(main), "such as skill://NAME/SKILL.md"},
		{"skill://b/SKILL.md", "a", resources(main), "with the name of the skill, a"},
		{"skill://a/b/SKILL.md", "a", resources(main), "with the name of the skill, a"},
		{"skill://../a/SKILL.md", "a", resources(main), "name of a file or folder"},
		{"skill://%zz/SKILL.md", "a", resources(main), "invalid URL escape"},
		{"skill://a?b/SKILL.md", "a?b", resources(main), "without ? and #"},
		{"skill://a/SKILL.md", "a", wire.Raw(`{}`), `want a list of files or "dynamic", got {}`},
		{"skill://a/SKILL.md", "a", wire.Raw(`[{}]`), "missing required member"},
		{"skill://a/SKILL.md", "a", wire.Raw(`[]`), "SKILL.md is missing"},
		{"skill://a/SKILL.md", "a", resources("skill://a/b 1"), "SKILL.md is missing"},
		{"skill://a/SKILL.md", "a", resources(main, "skill://b/b 1"), "want a URI below skill://a"},
		{"skill://a/SKILL.md", "a", resources(main, "skill://a 1"), "want a URI below skill://a"},
		{"skill://a/SKILL.md", "a", resources(main, "skill://a/b 1", "skill://a/%62 1"), "each file once"},
		{"skill://a/SKILL.md", "a", resources(main, "skill://a/b#c 1"), "without ? and #"},
		{"skill://a/SKILL.md", "a", resources(main, "skill://a/b -1"), "size -1"},
		{"skill://a/SKILL.md", "a", resources(main, "skill://a/b 16777215"), ""},
		{"skill://a/SKILL.md", "a", resources(main, "skill://a/b 16777216"), "at most 16777216 bytes"},
		{"skill://a/SKILL.md", "a", many(512), ""},
		{"skill://a/SKILL.md", "a", many(513), "513 files, want at most 512"},
		{"skill://a/SKILL.md", "a", wire.Raw(`[{"uri":"skill://a/SKILL.md","digest":"sha256:A","size":1}]`), "digest: want"},
	} {
		entry := &extension.Skill{URI: test.uri, Frontmatter: extension.SkillFrontmatter{Name: test.name, Description: "d"}, Resources: test.resources}
		m, err := skills.Read(entry)
		if (err == nil) != (test.err == "") || err != nil && (m != nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%s, %s, %.100s: got %v and %v, want ... %s", test.uri, test.name, test.resources, m, err, test.err)
		}
	}
	if _, err := skills.Read(&extension.Skill{URI: "skill://a/SKILL.md", Frontmatter: extension.SkillFrontmatter{Name: "a"}, Resources: resources(main)}); err == nil || !strings.Contains(err.Error(), "description") {
		t.Errorf("got %v", err)
	}
	for name, good := range map[string]bool{
		"a": true, "az-09": true, strings.Repeat("z", 64): true, "0-9-z": true,
		"": false, "-a": false, "a-": false, "-": false, "a--b": false, "A": false, "a_b": false, "a.b": false, "a`": false, "a{": false, "a:": false, "ä": false,
		strings.Repeat("z", 65): false,
	} {
		uri := "skill://x/" + name + "/SKILL.md"
		_, err := skills.Read(&extension.Skill{URI: uri, Frontmatter: extension.SkillFrontmatter{Name: name, Description: "d"}, Resources: resources(uri + " 1")})
		if (err == nil) != good {
			t.Errorf("the name %q: got %v", name, err)
		}
	}
}

// REQ SKILL-11
func TestCheckName(t *testing.T) {
	for name, good := range map[string]bool{
		"a": true, "a b": true, "...": true, ".a": true, "\u0080": true,
		"": false, ".": false, "..": false, "a/b": false, `a\b`: false, "a\x1fb": false, "a\x00": false, "a\x7f": false,
	} {
		if err := skills.CheckName(name); (err == nil) != good {
			t.Errorf("%q: got %v", name, err)
		}
	}
}
