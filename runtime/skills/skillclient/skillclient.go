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

// need returns an error if the server does not declare the extension.
//
// REQ SKILL-12
func (s *Source) need(m *wire.Method) error {
	if !s.Supported() {
		return &client.CapabilityError{Method: m.Name, Capability: "extensions." + extension.Extension}
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
		if err := s.need(&extension.MethodListSkills); err != nil {
			yield(nil, err)
			return
		}
		seen := map[mcp.Cursor]bool{}
		p := new(mcp.PaginatedRequestParams)
		for range maxPages {
			r := new(extension.ListSkillsResult)
			if err := s.client.Call(ctx, &extension.MethodListSkills, p, r); err != nil {
				yield(nil, err)
				return
			}
			for i := range r.Skills {
				if !yield(s.skill(&r.Skills[i])) {
					return
				}
			}
			p.Cursor = r.NextCursor
			switch {
			case p.Cursor == nil:
				return
			case seen[*p.Cursor]:
				yield(nil, fmt.Errorf("skill: the cursor %q is returned a second time", excerpt.Of(string(*p.Cursor))))
				return
			}
			seen[*p.Cursor] = true
		}
		yield(nil, fmt.Errorf("skill: want a list of at most %d pages", maxPages))
	}
}

// Get returns the skill whose SKILL.md has a URI, listed or not, as it is now. Nothing of the skill is read. If the entry is
// not valid, the error is a *[VerifyError].
func (s *Source) Get(ctx context.Context, uri string) (*Skill, error) {
	if err := s.need(&extension.MethodGetSkill); err != nil {
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
