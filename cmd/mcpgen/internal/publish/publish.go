// Package publish writes what registries, catalogues and clients want to know of a server, from what its code says. One
// file of the package is about one format. The same input gives the same bytes.
//
// It is internal because the formats change by themselves: what others could build on is the description that
// generator/tools gives.
package publish

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools"
)

// A Project is a server and where its code is.
type Project struct {
	*tools.Description
	Module    string // the path of the module
	Subfolder string // of the server in its repository, with slashes; empty if it is the root
	Package   string // the import path
	Commit    string // of the release; empty if there is no such tag yet
}

// A File is a file to write, with its path in the folder of the server.
type File struct {
	Path    string
	Content []byte
}

// A Format is a form in which servers are published.
type Format struct {
	Name, Meaning string
	files         func(*Project) ([]File, error)
}

// Formats returns all formats but bundles, which are built, and the table in a README, which is part of a file: see
// [Bundles] and [Table].
func Formats() []Format {
	return []Format{
		{"registry", "server.json, for the MCP registry", registryFiles},
		{"docker", "server.yaml and tools.json, for Docker's catalogue", dockerFiles},
		{"card", "a server card, for discovery over HTTP", cardFiles},
		{"clients", "configurations of Claude Desktop, VS Code and Cursor", clientFiles},
		{"goreleaser", "a configuration of goreleaser that builds what the others name", goreleaserFiles},
	}
}

// Files returns the files of the format.
func (f Format) Files(p *Project) ([]File, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	return f.files(p)
}

var semver = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// check reports what the code does not say and every format needs.
func (p *Project) check() error {
	at := func(format string, args ...any) error {
		return fmt.Errorf("%s:%d: //mcp:server: "+format, append([]any{p.Pos.Filename, p.Pos.Line}, args...)...)
	}
	var all []error
	if !semver.MatchString(p.Version) {
		all = append(all, at("the version %q cannot be published: want version=1.2.3", p.Version))
	}
	if p.Text == "" {
		all = append(all, at(`a server that is published needs a description: want "description=what it is for"`))
	} else if n := len([]rune(p.Text)); n > 100 {
		all = append(all, at("the description has %d characters, and registries take 100: shorten it", n))
	}
	if p.registryName() == "" {
		all = append(all, at("the module %s has no domain to make a name for registries of: want //mcp:publish name=NAMESPACE/NAME", p.Module))
	}
	return errors.Join(all...)
}

// owner returns the owner and the name of a repository on github.com, "" if the module is elsewhere.
func (p *Project) owner() (owner, repo string) {
	parts := strings.Split(p.Module, "/")
	if len(parts) < 3 || parts[0] != "github.com" {
		return "", ""
	}
	return parts[1], parts[2]
}

// slug returns the server's name with the characters alone that all formats allow.
func (p *Project) slug() string {
	return strings.Trim(regexp.MustCompile(`[^a-z0-9._-]+`).ReplaceAllString(strings.ToLower(p.Name), "-"), "-._")
}

// registryName returns the name of the server in registries: the reversed domain, a slash and the name.
func (p *Project) registryName() string {
	if p.RegistryName != "" {
		return p.RegistryName
	}
	if owner, _ := p.owner(); owner != "" {
		return "io.github." + owner + "/" + p.slug()
	}
	domain, _, _ := strings.Cut(p.Module, "/")
	labels := strings.Split(domain, ".")
	if len(labels) < 2 {
		return ""
	}
	for i, j := 0, len(labels)-1; i < j; i, j = i+1, j-1 {
		labels[i], labels[j] = labels[j], labels[i]
	}
	return strings.Join(labels, ".") + "/" + p.slug()
}

// image returns the container image without its tag, "" if there is none.
func (p *Project) image() string {
	owner, _ := p.owner()
	switch {
	case p.Image == "none" || p.Image == "" && owner == "":
		return ""
	case p.Image != "":
		return p.Image
	}
	return "ghcr.io/" + strings.ToLower(owner) + "/" + p.slug()
}

// repository returns the URL of the repository, "" if the module's path does not say it.
func (p *Project) repository() string {
	owner, repo := p.owner()
	if owner == "" {
		return ""
	}
	return "https://github.com/" + owner + "/" + repo
}

func (p *Project) author() string {
	owner, _ := p.owner()
	for _, name := range []string{p.Author, owner} {
		if name != "" {
			return name
		}
	}
	return strings.Split(p.registryName(), "/")[0]
}

func (p *Project) title() string {
	if p.Title != "" {
		return p.Title
	}
	return p.Name
}

// key returns the name of a setting where variables have no place: weather_key for WEATHER_KEY.
func key(s tools.DescribedSetting) string {
	if s.Env != "" {
		return strings.ToLower(s.Env)
	}
	return strings.ReplaceAll(s.Flag, "-", "_")
}

// summary returns the first paragraph of a text on one line.
func summary(text string) string {
	first, _, _ := strings.Cut(text, "\n\n")
	return strings.Join(strings.Fields(first), " ")
}

// encode writes JSON as people read it.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(err) // the types of this package, which JSON has
	}
	return b.Bytes()
}

// below puts files that nobody edits into one folder.
func below(name string, content []byte) File { return File{path.Join("publish", name), content} }
