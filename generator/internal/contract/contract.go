// Package contract finds which changes to what a server offers break its callers.
//
// A contract holds what callers depend on: the names of tools, with the schemas of what they accept and return, and
// what they promise about their effects; prompts with their arguments; resources by their URIs or templates. It
// holds no titles, descriptions or examples: better words do not change the contract. Its schemas are exact: they have what generated code
// enforces beyond JSON Schema in keywords that begin with x-go-. A lock file keeps the contract that has been
// accepted, see [Parse] and [Contract.Format].
//
// # What breaks
//
// One rule decides: every value that callers could send by the schema from before must be valid now, and every value
// that they may receive by the schema of now must have been valid before, since callers validate results by the schema
// that they have. An oracle decides that for two schemas; where it cannot be sure, something breaks: docs/contract.md
// lists what it does not know. For schemas that are generated from Go, or given by directives, the rule means:
//
//	change                                              sent        returned
//	member added, required                              breaking    compatible
//	member added, optional                              compatible  compatible
//	  where no other member was allowed (1)             compatible  breaking
//	  where any other member was allowed                breaking    compatible
//	member removed, or renamed                          breaking    breaking
//	  where unknown members are allowed                 compatible  breaking
//	optional member is required                         breaking    compatible
//	required member is optional                         compatible  breaking
//	unknown members no longer allowed                   breaking    compatible
//	unknown members allowed                             compatible  breaking (1)
//	type integer becomes number, or is not limited      compatible  breaking
//	type number becomes integer, or is limited          breaking    compatible
//	any other change of type                            breaking    breaking
//	value of an enum removed, or limited to an enum     breaking    compatible
//	value of an enum added, or no longer limited        compatible  breaking
//	value that is known (8) added or removed            compatible  compatible
//	minimum… raised or added, maximum… lowered or added breaking    compatible
//	minimum… lowered or removed, maximum… the contrary  compatible  breaking
//	  likewise exclusiveMinimum…, and the one for the other
//	multipleOf, uniqueItems, or one of several members
//	  (x-go-oneof) demanded                             breaking    compatible
//	  no longer demanded                                compatible  breaking
//	  multipleOf changed to a multiple of it, or a part like demanded, or no longer
//	  one more, which is new, may be given (x-go-oneof) compatible  breaking
//	pattern, format or encoding added                   breaking    compatible
//	pattern, format or encoding removed                 compatible  breaking
//	pattern, format or encoding changed                 breaking    breaking
//	the Go type that reads or writes a text (6)         likewise    likewise
//	bounds of durations, of numbers in strings, and of
//	  bytes (x-go-min…)                                 like minimum…
//	arm of a union removed                              breaking    compatible
//	arm of a union added                                compatible  breaking
//	any other keyword changed                           breaking    breaking
//
// A change of one place that another place makes up for breaks nobody.
//
// What is no matter of values has rules of its own:
//
//	default added, removed or changed (3)               compatible  compatible
//	x-mcp-header added or changed (4)                   breaking    –
//	x-mcp-header removed                                compatible  –
//
//	tool, prompt or resource added                      compatible
//	tool, prompt or resource removed, or renamed        breaking
//	output schema added                                 compatible
//	output schema removed                               breaking
//	kind of a result (none, text, messages, content, blob,
//	  json, structured, structured with content, or
//	  whole: all of the protocol):
//	  from none, or from whole to another than none     compatible
//	  from content or messages to text                  compatible
//	  from content, or structured, to structured with
//	  content, and from that to structured              compatible
//	  any other change                                  breaking
//	readonly, nondestructive, idempotent, closedworld,
//	  tasks (calls may run as tasks)                    given: compatible, taken back: breaking
//	strict, task (calls must run as tasks), confirm
//	  (a person must agree)                             demanded: breaking, no longer: compatible
//	scope added                                         breaking
//	scope removed (7)                                   compatible
//	needs a capability of clients, or a newer revision  demanded: breaking, no longer: compatible
//	MIME type of a resource changed or removed          breaking
//	MIME type of a resource added                       compatible
//	name of a resource changed (5)                      compatible
//
// Arguments of prompts and variables of templates are sent; their schemas say what the strings spell.
//
// (1) The objects of generated results are open; until version 3 of lock files they were closed, and then one that has
// become open counts only where it has a member more. Clients send what arguments declare, so that in what a server
// lists, objects of arguments that do not say whether they are open are closed. (3) A call that leaves the argument out
// means something else now; that can be an improvement, so it is shown and not refused. (4) From 2026-07-28 on, servers
// refuse calls over HTTP without the header. (5) Resources are read by URI. (6) What it takes, nothing here can know; a
// type that has only moved or has another name is accepted by mcpgen check -accept. (7) It opens access, so it is shown.
// (8) Results, and arguments of open types, may have other values than the constants of a type, which are only known
// (x-known), unless //mcp:schema closed promises that there are no others: then they are an enum.
// A lock file of version 2 is from before that, and promises nothing of the kind.
//
// Timeouts and rates are not part of the contract, nor are groups and features: they are for those who run a
// server.
package contract

import (
	"maps"
	"slices"
)

// VariantMark stands between the name of a tool and the features of a variant of it, which is offered under that name only
// with these.
const VariantMark = "@"

// A Contract is what the callers of a package's tools, prompts and resources depend on.
type Contract struct {
	Tools     map[string]*Tool // those with a VariantMark are variants
	Prompts   map[string]*Prompt
	Resources map[string]*Resource // by URI or template

	closed bool // the objects of its results are closed, as all were in older lock files
}

// A Tool is the contract of one tool.
type Tool struct {
	Description string   // its digest, for the client of a server; else empty
	Promises    []string // of [Promises], in their order
	Demands     []string // of [Demands], in their order
	Access
	Result        string  // the kind of its result; if it has a schema, content if it has that beside it, else empty
	input, output *object // schemas; no output if the tool has no schema for it
}

// Promises holds what a tool can say about its effects, in the words of the directive. Callers may rely on a
// promise that is made, and must not expect one that is not.
var Promises = []string{"readonly", "nondestructive", "idempotent", "closedworld", "tasks"}

// Demands holds what a tool can demand of its callers beyond the schema: scalars that are not spelled as strings,
// calls as tasks, and a confirmation by a person.
var Demands = []string{"strict", "task", "confirm"}

// An Access says who may use a tool, prompt or resource.
type Access struct {
	Scopes      []string // that callers must have, sorted
	Needs       []string // capabilities that clients must have, sorted
	MinRevision string   // the oldest revision that has it; empty for all
}

// A Prompt is the contract of one prompt.
type Prompt struct {
	Description string // as that of a tool
	Access
	Result    string  // the kind of its result
	arguments *object // schema
}

// A Resource is the contract of one resource, or of all that fit a template.
type Resource struct {
	Name, MIMEType string
	Description    string // as that of a tool
	Access
	Result    string  // the kind of its contents
	variables *object // schema; nil if it is no template
	output    *object // schema of contents that are JSON; else nil
}

// New returns an empty contract.
func New() *Contract {
	return &Contract{Tools: map[string]*Tool{}, Prompts: map[string]*Prompt{}, Resources: map[string]*Resource{}}
}

// SetInput sets the schema of what callers send, whose text was generated.
func (t *Tool) SetInput(schema string) { t.input = reduced(schema) }

// SetOutput sets the schema of what callers receive, whose text was generated.
func (t *Tool) SetOutput(schema string) { t.output = reduced(schema) }

// SetArguments sets the schema of what callers send, whose text was generated.
func (p *Prompt) SetArguments(schema string) { p.arguments = reduced(schema) }

// SetVariables sets the schema of the variables of a template, whose text was generated.
func (r *Resource) SetVariables(schema string) { r.variables = reduced(schema) }

// SetOutput sets the schema of contents that are JSON, whose text was generated.
func (r *Resource) SetOutput(schema string) { r.output = reduced(schema) }

// sorted returns the words in order, in which another order of a directive is no change.
func sorted(words []string) []string { return slices.Sorted(slices.Values(words)) }

// Empty reports whether the contract is empty.
func (c *Contract) Empty() bool { return len(c.Tools)+len(c.Prompts)+len(c.Resources) == 0 }

// Pending returns the changes that break callers and have not been accepted: those that break both what was
// released and what was accepted. What was never released breaks nobody.
func Pending(released, accepted, next *Contract) []Change {
	if released.closed {
		accepted = accepted.withClosedResults()
	}
	unaccepted := slices.DeleteFunc(Compare(accepted, next), func(c Change) bool { return !c.Breaking })
	return slices.DeleteFunc(Compare(released, next), func(c Change) bool {
		return !c.Breaking || !slices.ContainsFunc(unaccepted, c.sameAs)
	})
}

// Update returns the contract to be kept after a change: next, but with what accepted has of each
// tool, prompt and resource that pending changes are about.
func Update(accepted, next *Contract, pending []Change) *Contract {
	c := &Contract{maps.Clone(next.Tools), maps.Clone(next.Prompts), maps.Clone(next.Resources), next.closed}
	for _, change := range pending {
		switch change.Kind {
		case "tool":
			keep(c.Tools, accepted.Tools, change.Name)
		case "prompt":
			keep(c.Prompts, accepted.Prompts, change.Name)
		case "resource":
			keep(c.Resources, accepted.Resources, change.Name)
		}
	}
	return c
}

// keep restores the accepted entry with a name.
func keep[V any](next, accepted map[string]*V, name string) {
	if v := accepted[name]; v != nil {
		next[name] = v
	}
}

// names returns the names in both maps, sorted.
func names[V any](a, b map[string]V) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(all)
	return slices.Compact(all)
}
