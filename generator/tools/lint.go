package tools

import (
	"github.com/mcpgen/mcpgen/generator/tools/internal/lint"
)

// A LintFinding is a part of a tool that is valid, but that some clients refuse or change.
type LintFinding = lint.Finding

// A LintRule is the rule of a LintFinding.
type LintRule = lint.Rule

// MaxTools is how many tools clients accept, as far as is known.
const MaxTools = lint.MaxTools

// LintProfiles returns the names of the clients that rules are about.
func LintProfiles() []string { return lint.Profiles }

// ModelProfile is one more profile: its rules are about what a model cannot make out.
const ModelProfile = lint.Model

// LintRules returns the rules, with their sources.
func LintRules() []LintRule { return lint.Rules() }

// Lint returns what clients of the profiles refuse or change in the tools of the package.
func (p *Package) Lint(profiles []string, maxTools int) []*LintFinding {
	found := lint.Check(p.ir, profiles, maxTools)
	for _, f := range found {
		f.Pos = relative(f.Pos, p.base)
	}
	return found
}
