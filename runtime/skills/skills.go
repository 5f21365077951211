// Package skills has the rules of the extension io.modelcontextprotocol/skills that servers and clients share: what an
// entry may say of a skill, and how the front matter of a SKILL.md becomes JSON. Package skillserver serves skills, and
// package skillclient reads them with every check.
//
// The package links go.yaml.in/yaml/v3.
//
// See specification/stable/skills.mdx of https://github.com/modelcontextprotocol/ext-skills, SEP-2640, and
// https://agentskills.io/specification for what is in a skill.
package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	extension "github.com/mcpgen/mcpgen/mcp/skills"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The limits of a skill. Every host takes skills up to them; this module neither serves nor loads larger ones.
const (
	MaxFiles = 512      // with SKILL.md
	MaxBytes = 16 << 20 // of all files together
)

// Main is the name of the file that makes a folder a skill.
const Main = "SKILL.md"

// dynamic is what an entry has in place of its files if these are made on request.
const dynamic = `"dynamic"`

// A Manifest is what an entry says of a skill. [Read] makes one, and checks it.
type Manifest struct {
	URI         string // of SKILL.md
	Root        string // the URI of the folder, without a slash at its end
	Frontmatter extension.SkillFrontmatter

	Files   []File // all of them, in the order of the entry; nil if they are made on request
	Dynamic bool   // the files are made on request, and so have no digests
}

// A File is a file of a skill.
type File struct {
	Path   string // below the folder of the skill, with slashes
	URI    string
	Digest string // as [Digest] returns it
	Size   int64
}

// Digest returns the digest of a file: "sha256:" and 64 lower-case hexadecimal digits.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

var digest = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// Read returns the manifest of an entry. The error says which rule the entry breaks: its URIs, the name of the skill, the
// digests, the limits, or that not each file is listed once.
//
// REQ SKILL-09
func Read(entry *extension.Skill) (*Manifest, error) {
	m := &Manifest{URI: entry.URI, Frontmatter: entry.Frontmatter}
	root, ok := strings.CutSuffix(entry.URI, "/"+Main)
	if !ok {
		return nil, fmt.Errorf("%s: want a URI that ends with /%s", excerpt.Of(entry.URI), Main)
	}
	m.Root = root
	_, rest, ok := strings.Cut(root, "://")
	segments, err := split(rest)
	switch name := entry.Frontmatter.Name; {
	case !ok:
		return nil, fmt.Errorf("%s: want a URI such as skill://NAME/%s", excerpt.Of(entry.URI), Main)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", excerpt.Of(entry.URI), err)
	case !isName(name):
		return nil, fmt.Errorf("%s: name: want 1 to 64 letters a to z, digits and single hyphens between them, got %q", excerpt.Of(entry.URI), excerpt.Of(name))
	case segments[len(segments)-1] != name:
		return nil, fmt.Errorf("%s: want a folder with the name of the skill, %s", excerpt.Of(entry.URI), name)
	case entry.Frontmatter.Description == "":
		return nil, fmt.Errorf("%s: description: want a text, got none", excerpt.Of(entry.URI))
	}
	if err := m.readFiles(entry.Resources); err != nil {
		return nil, fmt.Errorf("%s: resources: %w", excerpt.Of(entry.URI), err)
	}
	return m, nil
}

// readFiles reads the files of an entry.
//
// REQ SKILL-10
func (m *Manifest) readFiles(raw wire.Raw) error {
	if string(raw) == dynamic {
		m.Dynamic = true
		return nil
	}
	if raw.Kind() != wire.KindArray {
		return fmt.Errorf("want a list of files or %s, got %s", dynamic, excerpt.Of(string(raw)))
	}
	var list []extension.SkillResource
	err := wire.Decode(raw, wire.Into(&list, func(v *[]extension.SkillResource, d *wire.Decoder) {
		*v = wire.Slice(d, (*extension.SkillResource).DecodeWire)
	}))
	if err != nil {
		return err
	}
	if len(list) > MaxFiles {
		return fmt.Errorf("%d files, want at most %d", len(list), MaxFiles)
	}
	seen, left := map[string]bool{}, int64(MaxBytes)
	for _, r := range list {
		f := File{URI: r.URI, Digest: r.Digest, Size: r.Size}
		path, ok := strings.CutPrefix(r.URI, m.Root+"/")
		if !ok {
			return fmt.Errorf("%s: want a URI below %s", excerpt.Of(r.URI), m.Root)
		}
		segments, err := split(path)
		f.Path = strings.Join(segments, "/")
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", excerpt.Of(r.URI), err)
		case seen[f.Path]:
			return fmt.Errorf("%s: want each file once", excerpt.Of(r.URI))
		case !digest.MatchString(r.Digest):
			return fmt.Errorf("%s: digest: want sha256: and 64 lower-case hexadecimal digits, got %q", excerpt.Of(r.URI), excerpt.Of(r.Digest))
		case r.Size < 0 || r.Size > left:
			return fmt.Errorf("%s: size %d: want files of at most %d bytes together", excerpt.Of(r.URI), r.Size, MaxBytes)
		}
		seen[f.Path] = true
		left -= r.Size
		m.Files = append(m.Files, f)
	}
	if i := slices.IndexFunc(m.Files, func(f File) bool { return f.URI == m.URI }); i < 0 {
		return fmt.Errorf("want all files, but %s is missing", Main)
	}
	return nil
}

// File returns the file with a path, and reports whether the manifest lists it.
func (m *Manifest) File(path string) (File, bool) {
	i := slices.IndexFunc(m.Files, func(f File) bool { return f.Path == path })
	if i < 0 {
		return File{}, false
	}
	return m.Files[i], true
}

// Fingerprint returns a digest of the URIs and digests of all files. A host that keeps a user's approval of a skill keeps
// it for one fingerprint: with another one, the skill has changed. It is empty if the files are made on request, since then
// no approval can be kept.
//
// REQ SKILL-15
func (m *Manifest) Fingerprint() string {
	if m.Dynamic {
		return ""
	}
	lines := make([]string, len(m.Files))
	for i, f := range m.Files {
		lines[i] = f.URI + " " + f.Digest + "\n"
	}
	slices.Sort(lines)
	return Digest([]byte(strings.Join(lines, "")))
}

// Entry returns the entry that [Read] makes the manifest of.
func (m *Manifest) Entry() *extension.Skill {
	e := &extension.Skill{URI: m.URI, Frontmatter: m.Frontmatter, Resources: wire.Raw(dynamic)}
	if !m.Dynamic {
		e.Resources = wire.Raw{'['}
		for i, f := range m.Files {
			if i > 0 {
				e.Resources = append(e.Resources, ',')
			}
			// A file has no member that a revision lacks, and its texts are valid.
			e.Resources, _ = wire.Append(e.Resources, wire.Any, &extension.SkillResource{URI: f.URI, Digest: f.Digest, Size: f.Size})
		}
		e.Resources = append(e.Resources, ']')
	}
	return e
}

// isName reports whether a text is a name that https://agentskills.io/specification allows.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		hyphen := c == '-' && i > 0 && i < len(s)-1 && s[i-1] != '-'
		if !hyphen && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return len(s) > 0 && len(s) <= 64
}

// split returns the unescaped segments of a part of a URI: names of folders and files, none of which leads elsewhere on any
// system.
//
// REQ SKILL-11
func split(part string) ([]string, error) {
	if strings.ContainsAny(part, "?#") {
		return nil, fmt.Errorf("want a URI without ? and #")
	}
	segments := strings.Split(part, "/")
	for i, s := range segments {
		name, err := url.PathUnescape(s)
		if err != nil {
			return nil, err
		}
		if err := CheckName(name); err != nil {
			return nil, err
		}
		segments[i] = name
	}
	return segments, nil
}

// CheckName returns an error if a text is no name of a single file or folder, on whatever system.
func CheckName(name string) error {
	bad := func(r rune) bool { return r == '/' || r == '\\' || r < ' ' || r == 0x7f }
	if name == "" || name == "." || name == ".." || strings.ContainsFunc(name, bad) {
		return fmt.Errorf("%q: want the name of a file or folder", excerpt.Of(name))
	}
	return nil
}
