package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools"
)

// A base is the commit that contracts are compared with.
type base struct {
	ref   string         // the commit, or what names it; empty: the lock files are all that is known
	shown string         // what people read
	lock  *tools.Release // nil if there is no ref
}

// baseOf finds the commit that the contract of a package is compared with: ref or, if that is empty, the last tag,
// or else the last commit. Without git, or outside a repository, there is only the lock file.
func baseOf(dir, ref string) (*base, error) {
	if ref != "" {
		if _, err := git(dir, "rev-parse", "--verify", "--end-of-options", ref+"^{commit}"); err != nil {
			return nil, fmt.Errorf("-base %s: git finds no such commit: %w", ref, err)
		}
		return (&base{ref: ref, shown: ref}).read(dir)
	}
	if _, err := git(dir, "rev-parse", "--git-dir"); err != nil {
		b := &base{shown: "it was written"}
		if !errors.Is(err, exec.ErrNotFound) && !strings.Contains(err.Error(), "not a git repository") {
			b.shown += "; git knows no more: " + err.Error()
		}
		return b, nil
	}
	if _, err := git(dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		return &base{ref: "HEAD", shown: "the first commit, which is yet to come", lock: &tools.Release{}}, nil
	}
	if tag, err := git(dir, "describe", "--tags", "--abbrev=0", "HEAD"); err == nil {
		tag := strings.TrimSpace(string(tag))
		return (&base{ref: tag, shown: tag + ", the last tag"}).read(dir)
	}
	return (&base{ref: "HEAD", shown: "HEAD, for lack of a tag"}).read(dir)
}

// read reads the lock file as it was at the commit.
func (b *base) read(dir string) (*base, error) {
	b.lock = &tools.Release{Name: b.ref + ":" + tools.LockFile}
	entry, err := git(dir, "ls-tree", b.ref+"^{commit}", "--", tools.LockFile)
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(string(entry)) // mode, type, object, name
	if len(fields) < 3 || fields[1] != "blob" {
		return b, nil // it had none
	}
	b.lock.Lock, err = git(dir, "cat-file", "blob", fields[2])
	if err != nil {
		return nil, err
	}
	b.lock.Lock = bytes.ReplaceAll(b.lock.Lock, []byte("\r\n"), []byte("\n"))
	b.lock.Version, err = b.version(dir)
	return b, err
}

// version returns the version that the server of the package had at the commit, "" if its code does not state it.
func (b *base) version(dir string) (string, error) {
	tree := b.ref + "^{commit}"
	found, err := git(dir, "-c", "grep.fullName=false", "grep", "--no-color", "-l", "-z", "-G", "-e", "^//mcp:server[[:space:]]", tree, "--", ":(glob)*.go")
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return "", nil // no file has the directive
	}
	if err != nil {
		return "", err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(found), "\x00"), "\x00") {
		name = strings.TrimPrefix(name, tree+":")
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := git(dir, "cat-file", "blob", tree+":./"+name)
		if err != nil {
			return "", err
		}
		if v := tools.ServerVersion(src); v != "" {
			return v, nil
		}
	}
	return "", nil
}

// ofHook lists the variables by which git tells a hook its repository. A package may be in another one.
var ofHook = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"}

// git runs git in a folder and returns what it prints.
func git(dir string, args ...string) ([]byte, error) {
	c := exec.Command("git", args...)
	c.Dir = dir
	c.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(ofHook, name)
	})
	c.Env = append(c.Env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0")
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if said, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n"); err != nil && said != "" {
		err = fmt.Errorf("git %s: %s", args[0], said)
	}
	return out, err
}
