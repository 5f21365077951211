package skillserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/skills"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/skills"
)

// A tree is what a file system has of skills. It never changes.
type tree struct {
	skills  []extension.Skill // in the order of their paths
	byURI   map[string]int    // among skills
	files   []*file           // of all skills, each once, in the order of their paths
	folders map[string][]mcp.Resource
}

// A file is a file of one or more skills.
type file struct {
	path    string // of the file system
	content []byte
	def     mcp.Resource
}

// read reads the file as a resource.
//
// REQ SKILL-03
func (f *file) read(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
	if utf8.Valid(f.content) {
		return server.TextResource(f.def.MIMEType, string(f.content)), nil
	}
	return server.BlobResource(f.def.MIMEType, f.content), nil
}

// load reads the skills of a file system.
func load(fsys fs.FS, prefix string) (*tree, error) {
	if prefix != "" && !fs.ValidPath(prefix) || prefix == "." {
		return nil, fmt.Errorf("Options.Prefix: want a path such as acme/billing, got %q", prefix)
	}
	t := &tree{byURI: map[string]int{}, folders: map[string][]mcp.Resource{}}
	roots, err := rootsOf(fsys)
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		// The files of a skill inside another one are read with those of the outer one.
		if !slices.ContainsFunc(roots, func(outer string) bool { return strings.HasPrefix(root, outer+"/") }) {
			if err := t.readFiles(fsys, root, prefix); err != nil {
				return nil, fmt.Errorf("the skill in %s: %w", root, err)
			}
		}
	}
	for _, root := range roots {
		if err := t.addSkill(root); err != nil {
			return nil, fmt.Errorf("the skill in %s: %w", root, err)
		}
	}
	t.addFolders()
	return t, nil
}

// rootsOf returns the folders of all skills, in the order of their paths.
func rootsOf(fsys fs.FS) (roots []string, err error) {
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && path.Base(name) == skills.Main && !d.IsDir() {
			roots = append(roots, path.Dir(name))
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case len(roots) == 0:
		return nil, fmt.Errorf("no folder has a %s", skills.Main)
	case slices.Contains(roots, "."):
		return nil, fmt.Errorf("%s is in no folder, want one with the name of the skill", skills.Main)
	}
	slices.Sort(roots)
	return roots, nil
}

// readFiles reads all files below the folder of a skill. What is not a file or a folder, such as a symbolic link, could lead
// out of the skill.
//
// REQ SKILL-11
func (t *tree) readFiles(fsys fs.FS, root, prefix string) error {
	count, left := 0, int64(skills.MaxBytes)
	return fs.WalkDir(fsys, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if count++; count > skills.MaxFiles {
			return fmt.Errorf("want at most %d files", skills.MaxFiles)
		}
		uri, err := uriOf(path.Join(prefix, name))
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s: want a regular file, got one of type %v", name, d.Type())
		}
		content, err := readFile(fsys, name, left)
		if err != nil {
			return err
		}
		left -= int64(len(content))
		t.files = append(t.files, &file{path: name, content: content, def: mcp.Resource{
			Name: path.Base(name), URI: uri, MIMEType: mimeType(name, content), Size: new(int64(len(content))),
		}})
		return nil
	})
}

// readFile reads a file of at most that many bytes.
func readFile(fsys fs.FS, name string, most int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(f, most+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if int64(len(content)) > most {
		return nil, fmt.Errorf("%s: want files of at most %d bytes together", name, skills.MaxBytes)
	}
	return content, nil
}

// addSkill adds the skill in a folder whose files have been read.
//
// REQ SKILL-04, SKILL-08
func (t *tree) addSkill(root string) error {
	m := new(skills.Manifest)
	for _, f := range t.files {
		below, ok := strings.CutPrefix(f.path, root+"/")
		if !ok {
			continue
		}
		m.Files = append(m.Files, skills.File{Path: below, URI: f.def.URI, Digest: skills.Digest(f.content), Size: *f.def.Size})
		if below != skills.Main {
			continue
		}
		front, err := skills.Frontmatter(f.content)
		if err != nil {
			return fmt.Errorf("%s: %w", skills.Main, err)
		}
		if n := utf8.RuneCountInString(front.Description); n > maxDescription {
			return fmt.Errorf("%s: description: want at most %d characters, got %d", skills.Main, maxDescription, n)
		}
		m.URI, m.Frontmatter = f.def.URI, *front
		f.def.Name, f.def.Description = front.Name, front.Description
	}
	entry := m.Entry()
	if _, err := skills.Read(entry); err != nil { // as clients do
		return err
	}
	t.byURI[entry.URI] = len(t.skills)
	t.skills = append(t.skills, *entry)
	return nil
}

// maxDescription is how many characters a description has, by https://agentskills.io/specification.
const maxDescription = 1024

// addFolders makes the directories, up to the first segment after skill://.
func (t *tree) addFolders() {
	for _, f := range t.files {
		child := f.def
		for {
			i := strings.LastIndexByte(child.URI, '/')
			parent := child.URI[:i]
			if strings.HasSuffix(parent, "/") { // skill:/
				break
			}
			_, known := t.folders[parent]
			t.folders[parent] = append(t.folders[parent], child)
			if known {
				break
			}
			name, _ := url.PathUnescape(path.Base(parent)) // which uriOf has escaped
			child = mcp.Resource{Name: name, URI: parent, MIMEType: "inode/directory"}
		}
	}
}

var authority = regexp.MustCompile(`^[A-Za-z0-9._~-]+$`)

// uriOf returns the URI of the file whose path is name.
//
// REQ SKILL-03
func uriOf(name string) (string, error) {
	segments := strings.Split(name, "/")
	if !authority.MatchString(segments[0]) {
		return "", fmt.Errorf("%s: want a first folder of letters, digits and . _ ~ -, got %q", name, segments[0])
	}
	for i, s := range segments {
		if err := skills.CheckName(s); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		segments[i] = url.PathEscape(s)
	}
	return "skill://" + strings.Join(segments, "/"), nil
}

// mimeTypes are those of files, by the end of their names. Those of the system would differ between systems.
var mimeTypes = map[string]string{
	".css": "text/css", ".csv": "text/csv", ".gif": "image/gif", ".html": "text/html", ".jpeg": "image/jpeg", ".jpg": "image/jpeg",
	".js": "text/javascript", ".json": "application/json", ".md": "text/markdown", ".pdf": "application/pdf", ".png": "image/png",
	".svg": "image/svg+xml", ".webp": "image/webp", ".xml": "application/xml", ".yaml": "application/yaml", ".yml": "application/yaml",
}

func mimeType(name string, content []byte) string {
	if t := mimeTypes[strings.ToLower(path.Ext(name))]; t != "" {
		return t
	}
	if utf8.Valid(content) {
		return "text/plain"
	}
	return "application/octet-stream"
}
