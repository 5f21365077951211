package lint

import (
	"slices"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// A silence is a directive that suppresses findings.
type silence struct {
	*ir.Silence
	tools []string // that it is about; nil if that is all of them
	used  bool
}

// silences are the directives of a package.
type silences []*silence

// silencesOf returns the directives of a package. A directive above a function applies to all tools of that
// function.
func silencesOf(p *ir.Package) silences {
	var all silences
	for _, s := range p.Silences {
		all = append(all, &silence{Silence: s})
	}
	for _, t := range p.Tools {
		for _, s := range t.Silences {
			i := slices.IndexFunc(all, func(known *silence) bool { return known.Silence == s })
			if i < 0 {
				i, all = len(all), append(all, &silence{Silence: s})
			}
			all[i].tools = append(all[i].tools, t.Name)
		}
	}
	return all
}

// has reports whether a finding is silenced, and records by which directive.
func (all silences) has(f *Finding) (silenced bool) {
	for _, s := range all {
		if s.Rule == f.Rule && (s.tools == nil || slices.Contains(s.tools, f.Tool)) {
			s.used, silenced = true, true
		}
	}
	return silenced
}

// unused returns a finding for each directive that silences nothing. One of the package about its number of tools is
// never unused: how many are too many depends on the caller.
func (all silences) unused() (found []*Finding) {
	for _, s := range all {
		if s.used || s.tools == nil && s.Rule == "tools" {
			continue
		}
		f := &Finding{Rule: "nolint", Text: "//mcp:nolint " + s.Rule + " silences nothing", Cure: "remove it", Pos: s.Pos}
		if len(s.tools) > 0 {
			f.Tool = s.tools[0]
		}
		found = append(found, f)
	}
	return found
}
