package skillclient

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"strings"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/skills"
)

// A Skill is a skill of a server, with the entry by which [Source.List] or [Source.Get] found it. A host keeps the Skill as
// long as it uses the skill: another call may find another entry. Its methods may be called by several goroutines.
type Skill struct {
	*skills.Manifest
	source *Source
	loaded atomic.Int64 // bytes, if the files are made on request
}

// Load returns the SKILL.md, with its front matter. Nothing else is read. The error is a *[VerifyError] if it is not what the
// entry says.
//
// REQ SKILL-13, SKILL-14
func (s *Skill) Load(ctx context.Context) (string, error) {
	content, err := s.Read(ctx, skills.Main)
	return string(content), err
}

// Read returns a file of the skill. Its name is a path as a SKILL.md has it: relative to the folder of the skill, with
// slashes. The error is a *[VerifyError] if the entry does not list the file, or if the file is not what the entry says.
//
// REQ SKILL-11, SKILL-13
func (s *Skill) Read(ctx context.Context, name string) ([]byte, error) {
	f, err := s.file(name)
	if err != nil {
		return nil, &VerifyError{s.Root + "/" + name, err}
	}
	r, err := s.source.client.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: f.URI})
	if err != nil {
		return nil, err
	}
	content, err := contentOf(r, f.URI)
	if err == nil {
		err = s.verify(f, content)
	}
	if err != nil {
		return nil, &VerifyError{f.URI, err}
	}
	return content, nil
}

// file returns the file with a name.
func (s *Skill) file(name string) (skills.File, error) {
	clean := path.Clean(name)
	if clean == "." || !fs.ValidPath(clean) || strings.Contains(clean, `\`) {
		return skills.File{}, errors.New("want the path of a file in the folder of the skill")
	}
	if !s.Dynamic {
		f, ok := s.File(clean)
		if !ok {
			return f, errors.New("the entry of the skill lists no such file")
		}
		return f, nil
	}
	if !s.source.opts.Dynamic {
		return skills.File{}, ErrDynamic
	}
	return skills.File{Path: clean, URI: s.Root + "/" + strings.ReplaceAll(url.PathEscape(clean), "%2F", "/")}, nil
}

// contentOf returns the bytes of a resource that is one file.
func contentOf(r *mcp.ReadResourceResult, uri string) ([]byte, error) {
	if len(r.Contents) != 1 {
		return nil, fmt.Errorf("want the contents of one file, got %d", len(r.Contents))
	}
	switch c := r.Contents[0].(type) {
	case *mcp.TextResourceContents:
		if c.URI == uri {
			return []byte(c.Text), nil
		}
	case *mcp.BlobResourceContents:
		if c.URI == uri {
			return c.Blob.Bytes()
		}
	}
	return nil, errors.New("want the contents of that file, as text or in Base64")
}

// verify compares a file with the entry.
func (s *Skill) verify(f skills.File, content []byte) error {
	switch size := int64(len(content)); {
	case s.Dynamic:
		if s.loaded.Add(size) > skills.MaxBytes {
			return fmt.Errorf("want at most %d bytes of a skill", skills.MaxBytes)
		}
	case size != f.Size:
		return fmt.Errorf("the file has %d bytes, and the entry says %d", size, f.Size)
	case skills.Digest(content) != f.Digest:
		return errors.New("the file does not have the digest that the entry says")
	}
	if f.Path != skills.Main {
		return nil
	}
	front, err := skills.Frontmatter(content)
	if err != nil {
		return err
	}
	return skills.Compare(&s.Frontmatter, front)
}
