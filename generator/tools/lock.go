package tools

import (
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/contract"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
	"github.com/mcpgen/mcpgen/generator/tools/internal/terms"
)

// A Change is a difference between the contract that was accepted and the one that the code has.
type Change = contract.Change

// GroupChanges returns the indexes of changes: together those that are one change of a type, which several tools,
// prompts or resources use.
func GroupChanges(all []Change) (groups [][]int) { return contract.Groups(all) }

// Users counts the tools, prompts and resources that changes are about: "12 tools, 2 resources".
func Users(all []Change) string { return contract.Users(all) }

// A LockEntry is the entry of a tool, prompt or resource in a lock file.
type LockEntry = contract.Entry

// A LockContract is the contents of a lock file.
type LockContract struct{ contract *contract.Contract }

// ParseLock reads a lock file. The errors begin with its name.
func ParseLock(name string, data []byte) (LockContract, error) {
	c, err := contract.Parse(name, data)
	return LockContract{c}, err
}

// Changes returns how a later contract differs.
func (c LockContract) Changes(later LockContract) []Change {
	return contract.Compare(c.contract, later.contract)
}

// Entries returns the entries in order: tools, prompts, resources, each by name.
func (c LockContract) Entries() []LockEntry { return c.contract.Entries() }

// Lock returns what the lock file holds once the contract of the package, as the code has it, is
// accepted: what the callers of its tools, prompts and resources depend on. It is nil if there is
// nothing to call.
func (p *Package) Lock() []byte { return lockFile(terms.Of(p.ir)) }

// A Release is what callers have: the lock file of a package at a commit, such as that of the last release.
type Release struct {
	Name string // of the file, for errors
	Lock []byte // nil if there was no such file: nothing of the package had been released

	// Version is that of the server then, empty if it is not known.
	Version string
}

// ServerVersion returns the version that the directive //mcp:server states in a Go file, empty if it states none.
func ServerVersion(src []byte) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		return ""
	}
	return source.ServerVersion(f)
}

// A LockReview says how the contract of a package has changed.
type LockReview struct {
	Lock     []byte         // what the lock file should hold; nil if there should be none
	Accepted []byte         // what it would hold if all changes were accepted
	Deleted  bool           // there is no lock file, but the release has one
	Changes  []PlacedChange // since the release or, if none is known, since they were recorded
	Broken   bool           // a change breaks callers, and nobody has accepted it
	Version  string         // of the server in the code; empty if it states none
	Unstable bool           // the version of the server is, or was when released, 0.x, which may break callers
}

// Unaccepted returns the changes that break the contract.
func (r *LockReview) Unaccepted() []PlacedChange {
	if !r.Broken {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.Changes), func(c PlacedChange) bool { return !c.Breaking || c.Accepted })
}

// A PlacedChange is a change at its place in the code.
type PlacedChange struct {
	Change
	Pos      token.Position // of the function; of what is gone, that in the lock file
	Accepted bool           // it breaks callers, and somebody has accepted that
}

// ReviewLock compares the code with the lock file, which is nil if there is none, and with a release, which is
// nil if none is known; then what the lock file holds counts as released.
//
// Changes that only add to the contract are recorded in [LockReview.Lock], as are changes of tools, prompts and
// resources that have not been released yet. If a change breaks callers, the entry stays as it was until the change
// is accepted, by recording [LockReview.Accepted] instead.
//
// The errors are about the files, which may have been edited or merged, and begin with their names.
func (p *Package) ReviewLock(name string, file []byte, since *Release) (*LockReview, error) {
	next, accepted, released := terms.Of(p.ir), contract.New(), contract.New()
	r := &LockReview{Accepted: lockFile(next), Unstable: p.unstable(since)}
	var err error
	if since != nil && since.Lock != nil {
		if released, err = contract.Parse(since.Name, since.Lock); err != nil {
			return nil, err
		}
		accepted, r.Deleted = released, file == nil
	}
	if file != nil {
		if accepted, err = contract.Parse(name, file); err != nil {
			return nil, err
		}
	}
	if since == nil {
		released = accepted
	}
	if p.ir.Server != nil {
		r.Version = p.ir.Server.Version
	}
	pending := contract.Pending(released, accepted, next)
	if r.Unstable {
		pending = nil
	}
	r.Broken = len(pending) > 0
	r.Lock = lockFile(contract.Update(accepted, next, pending))
	if released.Empty() {
		return r, nil // all is new
	}
	for _, c := range contract.Compare(released, next) {
		r.Changes = append(r.Changes, PlacedChange{c, p.place(c, name, file), c.Breaking && !r.Unstable && !slices.Contains(pending, c)})
	}
	return r, nil
}

// unstable reports whether the server's version promises nothing yet, or promised nothing when it was released.
func (p *Package) unstable(since *Release) bool {
	return p.ir.Server != nil && strings.HasPrefix(p.ir.Server.Version, "0.") || since != nil && strings.HasPrefix(since.Version, "0.")
}

// place returns the position of the function that a change is about or, if it no longer exists, that of the entry
// in the lock file.
func (p *Package) place(c Change, name string, file []byte) token.Position {
	now := c.Name
	if to, ok := strings.CutPrefix(c.Text, "renamed to "); ok && c.Path == "" {
		now = to
	}
	if f := p.function(c.Kind, now); f != nil {
		return relative(f.Pos, p.base)
	}
	return token.Position{Filename: name, Line: contract.Line(file, c.Kind, c.Name)}
}

// function returns the function behind a tool, prompt or resource; nil if there is none.
func (p *Package) function(kind, name string) *ir.Func {
	switch kind {
	case "tool":
		if i := slices.IndexFunc(p.ir.Tools, func(t *ir.Tool) bool { return t.Name == name }); i >= 0 {
			return p.ir.Tools[i].Func
		}
	case "prompt":
		if i := slices.IndexFunc(p.ir.Prompts, func(x *ir.Prompt) bool { return x.Name == name }); i >= 0 {
			return p.ir.Prompts[i].Func
		}
	case "resource":
		if i := slices.IndexFunc(p.ir.Resources, func(r *ir.Resource) bool { return r.URI == name }); i >= 0 {
			return p.ir.Resources[i].Func
		}
	}
	return nil
}

func lockFile(c *contract.Contract) []byte {
	if c.Empty() {
		return nil
	}
	return c.Format()
}
