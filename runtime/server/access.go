package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// There are two questions about an item: whether its caller may know of it, and whether he may use it. Revision, capabilities
// and features decide about both, because a client that cannot use a tool should not show it to a model. Scopes decide about
// use alone, because a client can ask its user for more of them, if it knows what for. Lists and calls are decided by the same
// code, so that a list never shows what a call would not find.
//
// What must be checked for each call is in the gate, which is made once, when the item is added.

// An Access says who may see and use a tool, a prompt, a resource or a template. The zero value admits everyone.
type Access struct {
	// Scopes are those that callers must have, all of them. The requests of others fail by a
	// *[transport.ScopeError]. Lists show the item to them all the same, so that their clients can ask for more
	// scopes; a [Filter] can hide it.
	//
	// Those of a template may contain its variables: with "repo:{owner}", a resource whose variable owner has the value
	// ada requires the scope "repo:ada". Characters of a value other than letters, digits and "-._~" are escaped in the
	// scope as in URIs.
	Scopes []string

	// Needs are capabilities without which the item is of no use: elicitation, elicitation.url, roots or
	// sampling. It is hidden from clients that do not declare them; a call fails by a
	// *[MissingCapabilityError].
	Needs []string

	// MinRevision is the oldest revision of the protocol in which the item is offered.
	MinRevision wire.Revision

	// Groups are names by any of which a [Filter] selects the item, such as one of package toolset.
	Groups []string

	// Features are names of what is not for everybody yet, or no longer: the item is offered only where a [Filter] that
	// concerns it, such as one of package toolset, finds all of them switched on, and those that begin with ! off. Without a
	// filter all are off. Tools whose features exclude each other, as beta and !beta do, may have one name: they are
	// variants, of which each caller has one.
	Features []string
}

// What an item needs of the client is a set of bits, so that a list is filtered, and its pages are kept, by comparing numbers.

// A gate is what an [Access] says about clients. The zero gate is open to all.
type gate struct {
	min   wire.Revision // 0 admits all
	needs abilities     // all of which the client must have
}

// abilities are capabilities of clients, as bits.
type abilities uint8

const (
	ableForm abilities = 1 << iota // elicitation, unless the client has URLs alone
	ableURL
	ableRoots
	ableSampling
	ableSamplingTools // which no item needs by name
)

// abilityNames are the names of the abilities that items may need, in the order of their bits.
var abilityNames = []string{
	mcp.ClientCapabilityElicitation, mcp.ClientCapabilityElicitationURL, mcp.ClientCapabilityRoots, mcp.ClientCapabilitySampling,
}

// newGate returns what an Access says about clients. A name that is not one of a capability is an error: a typing mistake would
// hide the item from everybody.
func newGate(a *Access) (made gate, err error) {
	made.min = a.MinRevision
	for _, name := range a.Needs {
		i := slices.Index(abilityNames, name)
		if i < 0 {
			return made, fmt.Errorf("needs: want elicitation, elicitation.url, roots or sampling, got %q", name)
		}
		made.needs |= 1 << i
	}
	if made.min != 0 && !slices.Contains(mcp.Revisions(), made.min) {
		return made, errors.New("the oldest revision is not one of the protocol")
	}
	return made, nil
}

// abilities returns which of these capabilities the client declares, in a revision that has them. A client that declares
// elicitation and names no mode can show forms: until 2025-11-25 there was no other.
func (c *Call) abilities(of abilities) (has abilities) {
	if of == 0 { // without decoding what the client declares
		return has
	}
	caps := c.Capabilities()
	if e := caps.Elicitation; e != nil {
		if mcp.MethodElicit.Reaches(wire.Client, c.rev) && (e.Form != nil || e.URL == nil) {
			has |= ableForm
		}
		if e.URL != nil && mcp.HasElicitRequestParams(c.rev, (*mcp.ElicitRequestURLParams)(nil)) {
			has |= ableURL
		}
	}
	if caps.Roots != nil {
		has |= ableRoots
	}
	if caps.Sampling != nil {
		has |= ableSampling
		if caps.Sampling.Tools != nil && c.rev >= firstSamplingTools {
			has |= ableSamplingTools
		}
	}
	return has & of
}

// admits reports whether the gate is open to clients with these abilities in a revision.
func (g *gate) admits(rev wire.Revision, has abilities) bool {
	return rev >= g.min && g.needs&^has == 0
}

// admitsCaller reports whether the gate is open to the caller of c.
func (g *gate) admitsCaller(c *Call) bool { return g.admits(c.rev, c.abilities(g.needs)) }

// refusal returns the error for a caller who sees the item, but cannot use it; nil if it can.
func (g *gate) refusal(c *Call, kind, name string) error {
	if c.rev < g.min {
		return jsonrpcError(codeInvalidParams, fmt.Sprintf("%s %q: want revision %s or later, got %s", kind, excerpt.Of(name), g.min, c.rev), nil)
	}
	return c.lacks(g.needs)
}

// lacks returns a *[MissingCapabilityError] if the client does not declare all of these abilities.
//
// REQ CAP-08
func (c *Call) lacks(needs abilities) error {
	lacks := needs &^ c.abilities(needs)
	if lacks == 0 {
		return nil
	}
	e := new(MissingCapabilityError)
	caps := &e.Required
	if lacks&(ableForm|ableURL) != 0 {
		caps.Elicitation = &mcp.ClientCapabilitiesElicitation{}
	}
	if lacks&ableURL != 0 {
		caps.Elicitation.URL = mcp.JSONObject{}
	}
	// A client that names its modes has no others; one that names none has forms.
	if have := c.Capabilities().Elicitation; lacks&ableForm != 0 && have != nil && have.URL != nil {
		caps.Elicitation.Form = mcp.JSONObject{}
	}
	if lacks&ableRoots != 0 {
		caps.Roots = &mcp.ClientCapabilitiesRoots{}
	}
	if lacks&(ableSampling|ableSamplingTools) != 0 {
		caps.Sampling = &mcp.ClientCapabilitiesSampling{}
	}
	if lacks&ableSamplingTools != 0 {
		caps.Sampling.Tools = mcp.JSONObject{}
	}
	return e
}

// Offered reports whether the features of an item are on, or off where they begin with !, as a function says which are on.
// It is for filters.
func (a *Access) Offered(on func(feature string) bool) bool {
	return !slices.ContainsFunc(a.Features, func(f string) bool {
		name, off := strings.CutPrefix(f, "!")
		return on(name) == off
	})
}

// isOn reports whether the first of two lists of features has one that the second excludes.
func isOn(x, y []string) bool {
	return slices.ContainsFunc(x, func(f string) bool { return slices.Contains(y, "!"+f) })
}

// excludes reports whether nobody can have both of two items.
func (a *Access) excludes(b *Access) bool {
	return isOn(a.Features, b.Features) || isOn(b.Features, a.Features)
}
