// Package skillserver serves the skills in a file system, by the extension io.modelcontextprotocol/skills. [Enable] is for
// the options of a server:
//
//	//go:embed skills
//	var files embed.FS
//
//	s := server.New(info, &server.Options{Setup: []server.Setup{skillserver.Enable(files, nil)}})
//
// Every folder with a SKILL.md is a skill, also one inside another; its files are resources below skill://. The extension
// exists since 2026-07-28. In older revisions the files are resources all the same, and nothing more is declared.
//
// The package links go.yaml.in/yaml/v3.
//
// See specification/stable/skills.mdx of https://github.com/modelcontextprotocol/ext-skills, and SEP-2640.
package skillserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/skills"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Options configures the skills of a server.
type Options struct {
	// Prefix is a path in front of those of the skills: with acme/billing the skill refunds is
	// skill://acme/billing/refunds/SKILL.md.
	Prefix string

	// Cache says how long clients may keep what skills/list and skills/get return. By default they may not.
	Cache server.CacheHint
}

// Enable returns what makes a server serve the skills in a file system, for [server.Options].Setup. All files of skills are
// read once, and are kept in memory: their digests are those of what is served, whatever happens to the file system later.
// Opts may be nil.
//
// It is an error, with which [server.New] panics and a call of the returned function returns, if there is no skill, if one of them is not valid or exceeds [skills.MaxFiles] or [skills.MaxBytes], or if a
// file of one is not a regular file, such as a symbolic link. Files outside of skills are not served.
func Enable(fsys fs.FS, opts *Options) server.Setup {
	return func(s *server.Server) error {
		o := option.Of(opts)
		t, err := load(fsys, o.Prefix)
		if err != nil {
			return fmt.Errorf("skillserver: %w", err)
		}
		for _, f := range t.files {
			err = errors.Join(err, s.AddResource(f.def, f.read))
		}
		return errors.Join(err, t.extend(s, o.Cache))
	}
}

// extend adds the extension to a server. It has no ID there, because it is the server alone that declares this one: its
// methods are for all clients.
//
// REQ SKILL-01, SKILL-02
func (t *tree) extend(s *server.Server, cache server.CacheHint) error {
	h := &handler{tree: t, cache: cache}
	d := &extension.ServerDispatcher{Handler: h, Alias: true}
	serve := func(m *wire.Method) server.Handler {
		return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
			return d.Request(ctx, c.Revision(), m.Name, c.Params())
		}
	}
	settings, err := wire.Marshal(mcp.V2026_07_28, &extension.SkillsCapability{DirectoryRead: new(true)})
	if err != nil {
		return err
	}
	return s.AddExtension(server.Extension{
		Since: mcp.V2026_07_28,
		Methods: map[string]server.Handler{
			extension.MethodListSkills.Name:            serve(&extension.MethodListSkills),
			extension.MethodGetSkill.Name:              serve(&extension.MethodGetSkill),
			extension.MethodReadResourceDirectory.Name: serve(&extension.MethodReadResourceDirectory),
		},
		Capabilities: func(_ *server.Call, caps *mcp.ServerCapabilities) {
			if caps.Extensions == nil {
				caps.Extensions = make(map[string]wire.Raw)
			}
			caps.Extensions[extension.Extension] = settings
		},
	})
}

// A handler handles the methods of the extension.
type handler struct {
	extension.UnimplementedServerHandler
	tree  *tree
	cache server.CacheHint
}

// The number of items on a page. An entry of a skill has up to [skills.MaxFiles] files.
const (
	skillsOnPage    = 50
	resourcesOnPage = 1000
)

// ListSkills handles skills/list.
//
// REQ SKILL-05
func (h *handler) ListSkills(_ context.Context, p *mcp.PaginatedRequestParams) (*extension.ListSkillsResult, error) {
	page, next, err := pageOf(h.tree.skills, p.Cursor, skillsOnPage)
	if err != nil {
		return nil, err
	}
	ttl, scope := h.hint()
	return &extension.ListSkillsResult{HasResultType: true, Skills: page, NextCursor: next, TTLMs: ttl, CacheScope: scope}, nil
}

// GetSkill handles skills/get.
//
// REQ SKILL-06
func (h *handler) GetSkill(_ context.Context, p *extension.GetSkillRequestParams) (*extension.GetSkillResult, error) {
	i, ok := h.tree.byURI[p.URI]
	if !ok {
		return nil, invalid("uri: there is no skill %s", p.URI)
	}
	ttl, scope := h.hint()
	return &extension.GetSkillResult{HasResultType: true, Skill: h.tree.skills[i], TTLMs: ttl, CacheScope: scope}, nil
}

// ReadResourceDirectory handles resources/directory/read.
//
// REQ SKILL-07
func (h *handler) ReadResourceDirectory(_ context.Context, p *extension.ReadResourceDirectoryRequestParams) (*extension.ReadResourceDirectoryResult, error) {
	list, ok := h.tree.folders[p.URI]
	if !ok {
		return nil, invalid("uri: there is no directory %s", p.URI)
	}
	page, next, err := pageOf(list, p.Cursor, resourcesOnPage)
	if err != nil {
		return nil, err
	}
	return &extension.ReadResourceDirectoryResult{HasResultType: true, Resources: page, NextCursor: next}, nil
}

func (h *handler) hint() (ttl int64, scope extension.CacheScope) {
	if scope = extension.CacheScopePrivate; h.cache.Public {
		scope = extension.CacheScopePublic
	}
	return max(h.cache.TTL.Milliseconds(), 0), scope
}

// pageOf returns a page of a list, which never changes: a cursor is the index at which the page begins.
func pageOf[T any](list []T, cursor *mcp.Cursor, size int) (page []T, next *mcp.Cursor, err error) {
	start := 0
	if cursor != nil {
		start, err = strconv.Atoi(string(*cursor))
		if err != nil || start <= 0 || start >= len(list) || start%size != 0 {
			return nil, nil, invalid("cursor: want one that the same list has returned, got %q", string(*cursor))
		}
	}
	end := min(start+size, len(list))
	if end < len(list) {
		next = new(mcp.Cursor(strconv.Itoa(end)))
	}
	return list[start:end], next, nil
}

func invalid(format, value string) error {
	return &jsonrpc.Error{Code: mcp.CodeInvalidParams, Message: fmt.Sprintf(format, excerpt.Of(value))}
}
