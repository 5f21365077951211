package analyze

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/mcp"
)

// capabilities lists the capabilities of clients that a tool, prompt or resource may need.
var capabilities = []string{mcp.ClientCapabilityElicitation, mcp.ClientCapabilityElicitationURL, mcp.ClientCapabilityRoots, mcp.ClientCapabilitySampling}

// access reads who may use a tool, prompt or resource. Variables are those of a template, which its scopes may
// name.
func (a *analyzer) access(d *directive.Directive, variables []string) ir.Access {
	access := ir.Access{Scopes: a.scopes(d, variables), Groups: a.words(d, "group"), Features: a.features(d)}
	if v := d.Get("needs"); v != nil {
		for _, name := range directive.Split(v.Text) {
			switch {
			case !slices.Contains(capabilities, name):
				a.problems.Addf(v.Pos, "%s: needs=%s: want capabilities of a client, from %s%s", d, directive.Visible(v.Text), strings.Join(capabilities, ", "), spelling.DidYouMean(name, capabilities))
			case slices.Contains(access.Needs, name):
				a.problems.Addf(v.Pos, "%s: the capability %s is given twice", d, name)
			default:
				access.Needs = append(access.Needs, name)
			}
		}
	}
	if v := d.Get("min-revision"); v != nil {
		access.MinRevision = v.Text
		var known []string
		for _, rev := range mcp.Revisions() {
			known = append(known, rev.String())
		}
		if !slices.Contains(known, v.Text) {
			a.problems.Addf(v.Pos, "%s: min-revision=%s: want a revision of the protocol, of %s", d, directive.Visible(v.Text), strings.Join(known, ", "))
		}
	}
	return access
}

// features reads the features that must be on, or off if they begin with !.
func (a *analyzer) features(d *directive.Directive) (features []string) {
	v := d.Get("feature")
	if v == nil {
		return nil
	}
	for _, word := range directive.Split(v.Text) {
		name := strings.TrimPrefix(word, "!")
		if slices.Contains(features, name) || slices.Contains(features, "!"+name) {
			a.problems.Addf(v.Pos, "%s: the feature %s is given twice", d, name)
			continue
		}
		a.checkWord(d, "feature", v, name)
		features = append(features, word)
	}
	return features
}

// words reads a key whose value is a list of names for command lines.
func (a *analyzer) words(d *directive.Directive, key string) (words []string) {
	v := d.Get(key)
	if v == nil {
		return nil
	}
	for _, word := range directive.Split(v.Text) {
		if slices.Contains(words, word) {
			a.problems.Addf(v.Pos, "%s: the %s %s is given twice", d, key, word)
			continue
		}
		a.checkWord(d, key, v, word)
		words = append(words, word)
	}
	return words
}

func (a *analyzer) checkWord(d *directive.Directive, key string, v *directive.Value, word string) {
	if !toolName.MatchString(word) {
		a.problems.Addf(v.Pos, "%s: %s=%s: want 1 to 128 of the characters A-Z a-z 0-9 _ . -", d, key, directive.Visible(word))
	}
}
