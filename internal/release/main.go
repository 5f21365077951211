// Release prepares a release of all modules of this repository, which have one version.
//
//	go run ./internal/release -set VERSION          # the modules require each other at that version, to be committed
//	go run ./internal/release -proxy DIR VERSION    # HEAD as a module proxy in a folder, as after the tags were pushed
//	go run ./internal/release -tags VERSION         # prints the tags
//
// With GOPROXY=file://DIR the go command takes a release from such a folder; that is how a release is tried before there is
// one. Nothing is made of a version that no section of CHANGELOG.md is about, or that the modules do not require.
//
// See https://go.dev/ref/mod#goproxy-protocol and https://go.dev/ref/mod#vcs-version.
package main

import (
	archivezip "archive/zip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/zip"
)

const self = "github.com/mcpgen/mcpgen"

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	set := flag.Bool("set", false, "let the modules require each other at the version")
	proxy := flag.String("proxy", "", "make a module proxy of HEAD in the folder `DIR`")
	tags := flag.Bool("tags", false, "print the tags of the release")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("want a version, such as v1.0.0")
	}
	if err := run(".", flag.Arg(0), *set, *tags, *proxy); err != nil {
		log.Fatal(err)
	}
}

func run(root, version string, set, tags bool, proxy string) error {
	if semver.Canonical(version) != version || semver.Major(version) != "v1" && semver.Major(version) != "v0" {
		return fmt.Errorf("want a version such as v1.0.0 or v1.0.0-rc.1, got %q", version)
	}
	modules, err := modulesIn(root)
	if err != nil {
		return err
	}
	if set {
		return setVersions(root, modules, version)
	}
	if err := check(root, modules, version); err != nil {
		return err
	}
	if tags {
		for _, m := range modules {
			if m.public() {
				fmt.Println(m.tag(version))
			}
		}
	}
	if proxy != "" {
		return makeProxy(root, modules, version, proxy)
	}
	return nil
}

// A mod is a module of the repository.
type mod struct {
	dir  string // below the root, with slashes; empty for the root itself
	file *modfile.File
}

func (m *mod) path() string { return m.file.Module.Mod.Path }

// tag returns the tag of a version of the module.
func (m *mod) tag(version string) string { return path.Join(m.dir, version) }

// public reports whether others may import the module: it is no example, no test, and not the documentation.
func (m *mod) public() bool {
	return !slices.ContainsFunc(strings.Split(m.dir, "/"), func(folder string) bool {
		return slices.Contains([]string{"bench", "browsertest", "examples", "internal", "interop", "site"}, folder)
	})
}

// modulesIn returns the modules in a folder, the root first.
func modulesIn(root string) (all []*mod, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", "node_modules", "testdata"}, d.Name()) {
			return filepath.SkipDir
		}
		if d.Name() != "go.mod" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		file, err := modfile.Parse(name, text, nil)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(name))
		if dir = filepath.ToSlash(dir); dir == "." {
			dir = ""
		}
		if p := path.Join(self, dir); file.Module.Mod.Path != p {
			return fmt.Errorf("%s: want the module %s, got %s", name, p, file.Module.Mod.Path)
		}
		all = append(all, &mod{dir, file})
		return err
	})
	slices.SortFunc(all, func(a, b *mod) int { return strings.Compare(a.dir, b.dir) })
	return all, err
}

// isOwn reports whether a module is of this repository.
func isOwn(path string) bool { return path == self || strings.HasPrefix(path, self+"/") }

// setVersions makes the modules require each other at a version. In a clone, replace lines lead to the folders.
func setVersions(root string, modules []*mod, version string) error {
	for _, m := range modules {
		for _, r := range m.file.Require {
			if isOwn(r.Mod.Path) {
				if err := m.file.AddRequire(r.Mod.Path, version); err != nil {
					return err
				}
			}
		}
		text, err := m.file.Format()
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(m.dir), "go.mod"), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// check returns why there can be no release of that version.
func check(root string, modules []*mod, version string) error {
	var problems []error
	for _, m := range modules {
		for _, r := range m.file.Require {
			if isOwn(r.Mod.Path) && r.Mod.Version != version {
				problems = append(problems, fmt.Errorf("%s requires %s %s, want %s: run go run ./internal/release -set %[4]s, and commit", path.Join(m.dir, "go.mod"), r.Mod.Path, r.Mod.Version, version))
			}
		}
		for _, r := range m.file.Replace {
			if !isOwn(r.Old.Path) {
				problems = append(problems, fmt.Errorf("%s replaces %s, which a release cannot", path.Join(m.dir, "go.mod"), r.Old.Path))
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	section := regexp.MustCompile(`(?m)^## ` + regexp.QuoteMeta(strings.TrimPrefix(version, "v")) + `( |$)`)
	if !section.Match(text) {
		problems = append(problems, fmt.Errorf("CHANGELOG.md has no section %q", "## "+strings.TrimPrefix(version, "v")))
	}
	return errors.Join(problems...)
}

// makeProxy writes what a module proxy has of the version of each public module, as committed.
func makeProxy(root string, modules []*mod, version, dir string) error {
	when, err := git(root, "log", "-1", "--format=%cI")
	if err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, when)
	if err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{version, at.UTC()})
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "mcpgen-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := export(root, modules, temp); err != nil {
		return err
	}
	for _, m := range modules {
		if !m.public() {
			continue
		}
		escaped, err := module.EscapePath(m.path())
		if err != nil {
			return err
		}
		folder := filepath.Join(dir, filepath.FromSlash(escaped), "@v")
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
		text, err := git(root, "show", "HEAD:"+path.Join(m.dir, "go.mod"))
		if err != nil {
			return err
		}
		for name, content := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": info, version + ".mod": []byte(text + "\n")} {
			if err := os.WriteFile(filepath.Join(folder, name), content, 0o666); err != nil {
				return err
			}
		}
		if err := writeZip(filepath.Join(folder, version+".zip"), filepath.Join(temp, "tree"), m, version); err != nil {
			return fmt.Errorf("%s: %w", m.path(), err)
		}
	}
	return nil
}

// export copies HEAD to a folder. Each module has the license there, as the go command gives it to modules of a repository.
func export(root string, modules []*mod, dir string) error {
	archive := filepath.Join(dir, "archive.zip")
	if _, err := git(root, "-c", "core.autocrlf=false", "archive", "--format=zip", "--output="+archive, "HEAD"); err != nil {
		return err
	}
	files, err := archivezip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer files.Close()
	if err := os.CopyFS(filepath.Join(dir, "tree"), files); err != nil {
		return err
	}
	license, err := fs.ReadFile(files, "LICENSE")
	for _, m := range modules {
		if err == nil && m.public() {
			err = os.WriteFile(filepath.Join(dir, "tree", filepath.FromSlash(m.dir), "LICENSE"), license, 0o666)
		}
	}
	return err
}

func writeZip(name, tree string, m *mod, version string) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return zip.CreateFromDir(f, module.Version{Path: m.path(), Version: version}, filepath.Join(tree, filepath.FromSlash(m.dir)))
}

func git(root string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = root
	out, err := cmd.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(failed.Stderr)))
	}
	return strings.TrimSuffix(string(out), "\n"), err
}
