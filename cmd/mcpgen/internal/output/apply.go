package output

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Temporary files are called temporaryPrefix, random text, temporarySuffix. The go command and shells
// leave them out.
const (
	temporaryPrefix = ".mcpgen-"
	temporarySuffix = ".tmp"
)

// isTemporary reports whether name, which has no folder, is that of a temporary file.
func isTemporary(name string) bool {
	return strings.HasPrefix(name, temporaryPrefix) && strings.HasSuffix(name, temporarySuffix)
}

// abandoned is the age at which a temporary file is assumed to belong to a run that was killed.
const abandoned = time.Minute

// Apply makes the changes, and the folders that they need. Each file is changed completely or not at all, whatever
// happens. If there is no room for one file, none is changed.
func Apply(changes []Change) (err error) {
	var written []temporary
	defer func() {
		for _, t := range written {
			err = errors.Join(err, os.Remove(t.name))
		}
	}()
	for _, c := range changes {
		if c.New == nil {
			continue
		}
		t, err := c.write()
		if err != nil {
			return err
		}
		written = append(written, t)
		sweep(filepath.Dir(t.name))
	}
	for len(written) > 0 {
		if err := os.Rename(written[0].name, written[0].target); err != nil {
			return err
		}
		written = written[1:]
	}
	for _, c := range changes {
		if c.New != nil {
			continue
		}
		if err := os.Remove(c.Path); err != nil {
			return err
		}
	}
	return nil
}

// A temporary is a file with the future contents of another file.
type temporary struct{ name, target string }

// write writes the future contents of a file to a temporary file in the same folder.
func (c Change) write() (temporary, error) {
	if err := os.MkdirAll(filepath.Dir(c.Path), os.ModePerm); err != nil {
		return temporary{}, err
	}
	t := temporary{target: c.Path}
	if target, err := filepath.EvalSymlinks(c.Path); err == nil {
		t.target = target // a link stays a link
	}
	t.name = filepath.Join(filepath.Dir(t.target), temporaryPrefix+rand.Text()+temporarySuffix)
	if err := t.fill(c.New); err != nil {
		var named *fs.PathError
		if errors.As(err, &named) {
			err = named.Err // the name would tell nobody anything
		}
		return temporary{}, fmt.Errorf("%s cannot be written: %w", filepath.ToSlash(c.Path), err)
	}
	return t, nil
}

// fill writes the temporary file, with the permissions of the other file. If it fails, it leaves no file behind.
func (t temporary) fill(content []byte) (err error) {
	f, err := os.OpenFile(t.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			os.Remove(t.name) // its error would say nothing more
		}
	}()
	if info, err := os.Stat(t.target); err == nil {
		if err := f.Chmod(info.Mode().Perm()); err != nil { // the umask counts for new files only
			return err
		}
	}
	if _, err := f.Write(content); err != nil {
		return err
	}
	return f.Sync()
}

// sweep removes the temporary files that a killed run left in a folder, and not those of a run that is at work. One
// that cannot be removed does no harm.
func sweep(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !isTemporary(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
