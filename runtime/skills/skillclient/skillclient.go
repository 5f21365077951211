// Package skillclient reads the skills of a server, by the extension io.modelcontextprotocol/skills. Nothing is used that
// the entry of a skill does not say: length, digest and front matter of a file are compared with it, and a file that it does
// not list cannot be read. Nothing is read before it is asked for.
//
//	for skill, err := range skillclient.Of(c, nil).List(ctx) {
//		...
//	}
//	text, err := skill.Load(ctx) // once the user has agreed
//
// What a host must do remains with the host: to say to the model and to the user which server a skill comes from, to ask the
// user before code runs, and to ignore allowed-tools. A digest says that the file is the one that the entry means, not that
// either can be trusted.
//
// The package links go.yaml.in/yaml/v3.
//
// See specification/stable/skills.mdx of https://github.com/modelcontextprotocol/ext-skills, and SEP-2640.
package skillclient

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/skills"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/skills"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Options configures how skills are read.
type Options struct {
	// Dynamic allows to read skills whose files are made on request, and so have no digests: by default that is
	// [ErrDynamic].
	Dynamic bool
}

// ErrDynamic is the error for a file of a skill whose files are made on request.
var ErrDynamic = errors.New("the files of the skill have no digests")

// A VerifyError says that a file, or an entry, is not what it must be. The file must not be used. It may be that the skill has
// changed: [Source.Get] returns the entry as it is now, and what a user has approved of the skill no longer counts.
type VerifyError struct {
	URI string // of the file, or of the SKILL.md of the entry
	Err error
}

func (e *VerifyError) Error() string { return fmt.Sprintf("skill: %s: %v", excerpt.Of(e.URI), e.Err) }

func (e *VerifyError) Unwrap() error { return e.Err }

// A Source is the skills of one server.
type Source struct {
	client *client.Client
	opts   Options
}

// Of returns the skills of the server that a client is connected to. Opts may be nil.
func Of(c *client.Client, opts *Options) *Source { return &Source{client: c, opts: option.Of(opts)} }

// Supported reports whether the server declares the extension. If not, the other methods fail.
func (s *Source) Supported() bool { return s.client.HasExtension(extension.Extension) }

// CanReadDirectories reports whether the server declares that it has resources/directory/read.
func (s *Source) CanReadDirectories() bool {
	var settings extension.SkillsCapability
	raw := s.client.Server().Capabilities.Extensions[extension.Extension]
	return wire.Decode(raw, &settings) == nil && settings.GetDirectoryRead()
}

// need returns an error if the server does not declare what a method needs.
//
// REQ SKILL-12
func (s *Source) need(m *wire.Method, has bool, setting string) error {
	if !has {
		return &client.CapabilityError{Method: m.Name, Capability: "extensions." + extension.Extension + setting}
	}
	return nil
}

// maxPages is how many pages of a list are requested.
const maxPages = 1000

// List returns an iterator over the skills that the server lists. It may have more: see [Source.Get]. An entry that is not
// valid is a *[VerifyError], after which the others follow; any other error is the last. Two skills may have the same name:
// a skill is named by its server and its URI.
func (s *Source) List(ctx context.Context) iter.Seq2[*Skill, error] {
	return func(yield func(*Skill, error) bool) {
		if err := s.need(&extension.MethodListSkills, s.Supported(), ""); err != nil {
			yield(nil, err)
			return
		}
		err := eachPage(func(cursor *mcp.Cursor) (next *mcp.Cursor, err error) {
			r := new(extension.ListSkillsResult)
			if err := s.client.Call(ctx, &extension.MethodListSkills, &mcp.PaginatedRequestParams{Cursor: cursor}, r); err != nil {
				return nil, err
			}
			for i := range r.Skills {
				if !yield(s.skill(&r.Skills[i])) {
					return nil, nil
				}
			}
			return r.NextCursor, nil
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// eachPage requests one page after the other, until there is no next one.
func eachPage(request func(cursor *mcp.Cursor) (next *mcp.Cursor, err error)) error {
	seen := map[mcp.Cursor]bool{}
	var cursor *mcp.Cursor
	for range maxPages {
		next, err := request(cursor)
		switch {
		case err != nil:
			return err
		case next == nil:
			return nil
		case seen[*next]:
			return fmt.Errorf("skill: the cursor %q is returned a second time", excerpt.Of(string(*next)))
		}
		seen[*next] = true
		cursor = next
	}
	return fmt.Errorf("skill: want a list of at most %d pages", maxPages)
}

// Get returns the skill whose SKILL.md has a URI, listed or not, as it is now. Nothing of the skill is read. If the entry is
// not valid, the error is a *[VerifyError].
func (s *Source) Get(ctx context.Context, uri string) (*Skill, error) {
	if err := s.need(&extension.MethodGetSkill, s.Supported(), ""); err != nil {
		return nil, err
	}
	r := new(extension.GetSkillResult)
	if err := s.client.Call(ctx, &extension.MethodGetSkill, &extension.GetSkillRequestParams{URI: uri}, r); err != nil {
		return nil, err
	}
	if r.Skill.URI != uri {
		return nil, &VerifyError{uri, fmt.Errorf("the server returned the entry of %s", excerpt.Of(r.Skill.URI))}
	}
	return s.skill(&r.Skill)
}

// skill returns the skill of an entry.
func (s *Source) skill(entry *extension.Skill) (*Skill, error) {
	m, err := skills.Read(entry)
	if err != nil {
		return nil, &VerifyError{entry.URI, err}
	}
	return &Skill{Manifest: m, source: s}, nil
}

// ReadDirectory returns an iterator over what the server has directly in a directory, which need not belong to a skill. It
// shows the server of now, and adds nothing to the files that a [Skill] may read.
func (s *Source) ReadDirectory(ctx context.Context, uri string) iter.Seq2[*mcp.Resource, error] {
	return func(yield func(*mcp.Resource, error) bool) {
		m := &extension.MethodReadResourceDirectory
		if err := s.need(m, s.CanReadDirectories(), ".directoryRead"); err != nil {
			yield(nil, err)
			return
		}
		err := eachPage(func(cursor *mcp.Cursor) (next *mcp.Cursor, err error) {
			r := new(extension.ReadResourceDirectoryResult)
			if err := s.client.Call(ctx, m, &extension.ReadResourceDirectoryRequestParams{URI: uri, Cursor: cursor}, r); err != nil {
				return nil, err
			}
			for i := range r.Resources {
				if !yield(&r.Resources[i], nil) {
					return nil, nil
				}
			}
			return r.NextCursor, nil
		})
		if err != nil {
			yield(nil, err)
		}
	}
}
