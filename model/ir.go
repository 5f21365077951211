// Package model has mcpgen's intermediate representation of a protocol schema, and all operations on it: lowering a
// syntax tree, flattening inheritance, deciding how the arms of a union are told apart, pairing methods with params
// and results, merging revisions, and JSON Schema.
//
// The order is Lower (one file, one revision, lossless) and then Merge (one or several lowered
// schemas become the model that code is generated from).
//
// It exists for the command mcpgen and its tests: its API promises nothing.
package model

import (
	"slices"

	"github.com/mcpgen/mcpgen/parser"
)

// A Schema is the data model of one revision, or of several merged into one.
type Schema struct {
	Revisions []string  `json:"revisions"` // oldest first: dates, "2025-06-18"
	Sources   []Source  `json:"sources"`
	Types     []*Type   `json:"types"` // source order; after Merge: newest order, then older-only types
	Consts    []*Const  `json:"consts,omitempty"`
	Methods   []*Method `json:"methods,omitempty"` // set by Merge
	Headers   []*Header `json:"headers,omitempty"` // set by Merge

	// Of the schema of an extension: its identifier, and the model from which it imports types.
	Extension string  `json:"extension,omitempty"`
	Base      *Schema `json:"-"`

	byName map[string]*Type
}

// IsImported reports whether a type that the schema uses is one of its base.
func (s *Schema) IsImported(t *Type) bool { return s.Base.has(t) }

// Type returns the definition of that name, nil if there is none. For the schema of an extension, that
// may be one of its base.
func (s *Schema) Type(name string) *Type {
	if t := s.byName[name]; t != nil || s.Base == nil {
		return t
	}
	return s.Base.byName[name]
}

// A Header is an HTTP header of the protocol, or the beginning of the names of several.
type Header struct {
	Name string `json:"name"` // in canonical form: "Mcp-Session-Id", "Mcp-Param-"
	Doc  string `json:"doc"`  // what it says
	Revs Revs   `json:"revisions"`
}

// A Source is a file that a schema was read from.
type Source struct {
	Revision  string `json:"revision"`
	Extension string `json:"extension,omitempty"` // its identifier, if the file is the schema of one
	SHA256    string `json:"sha256"`              // hex
}

// Revs is a set of revisions, oldest first.
type Revs []string

// A Role says what a definition is to the protocol. Only RoleData becomes a Go type.
type Role string

const (
	RoleData         Role = "data"         // sent and received
	RoleBase         Role = "base"         // exists only to be extended, or inside an envelope
	RoleRequest      Role = "request"      // a literal method with its params
	RoleNotification Role = "notification" // likewise
	RoleEnvelope     Role = "envelope"     // JSON-RPC's own: messages, responses, batches
	RoleDirection    Role = "direction"    // a union that says who sends what
	RoleError        Role = "error"        // an error code, perhaps with data
)

// A Type is a named definition.
type Type struct {
	Name     string     `json:"name"`
	Role     Role       `json:"role,omitempty"` // set by Merge
	Doc      Doc        `json:"doc,omitzero"`
	Revs     Revs       `json:"revisions"`
	Category string     `json:"category,omitempty"` // text of @category, without backquotes
	Internal bool       `json:"internal,omitempty"`
	Imported bool       `json:"imported,omitempty"` // lowered with the schema that uses it, but declared in another file
	Key      string     `json:"key,omitempty"`      // under which metadata has such a value
	Inline   bool       `json:"inline,omitempty"`   // declared inside another type, or by a method: Name is invented from where
	Bases    []string   `json:"bases,omitempty"`    // what it extends, before flattening: names, or utility types as written
	Generic  string     `json:"generic,omitempty"`  // the generic declaration that it is an instance of …
	Args     []*TypeArg `json:"args,omitempty"`     // … with these arguments
	Expr     *Expr      `json:"type"`
	Pos      parser.Pos `json:"-"`
	File     string     `json:"-"`
}

// A TypeArg is the argument for a type parameter in an instance of a generic declaration. The TypeScript compiler
// checks that it satisfies the constraint.
type TypeArg struct {
	Param      string `json:"param"`
	Constraint *Expr  `json:"constraint,omitempty"`
	Default    *Expr  `json:"default,omitempty"`
	Type       *Expr  `json:"type"`
}

// A Const is a constant. Value is a string, a bool or a parser.Number.
type Const struct {
	Name     string     `json:"name"`
	Doc      Doc        `json:"doc,omitzero"`
	Revs     Revs       `json:"revisions"`
	Category string     `json:"category,omitempty"`
	Internal bool       `json:"internal,omitempty"`
	Type     *Expr      `json:"type,omitempty"` // as declared; nil: that of the value
	Value    any        `json:"value"`
	Pos      parser.Pos `json:"-"`
	File     string     `json:"-"`
}

// A Doc is what a schema says about something, for people.
type Doc struct {
	Text       string `json:"text,omitempty"`       // may hold {@link Name} marks
	Deprecated string `json:"deprecated,omitempty"` // why; "deprecated" where no reason is given
	Tags       []Tag  `json:"tags,omitempty"`       // every other tag, as written
}

// A Tag is a documentation tag without a meaning to the model: kept so that nothing is lost.
type Tag struct {
	Name string `json:"name"`
	Text string `json:"text,omitempty"`
}

// A Kind is the kind of an Expr.
type Kind string

const (
	String    Kind = "string"
	Integer   Kind = "integer" // number without @TJS-type
	Number    Kind = "number"  // number with @TJS-type number
	Boolean   Kind = "boolean"
	Null      Kind = "null"
	Unknown   Kind = "unknown"   // unknown, any: any JSON value
	AnyObject Kind = "object"    // the keyword object: any JSON object
	ID        Kind = "id"        // string | number (an integer)
	Literal   Kind = "literal"   // exactly Value
	Enum      Kind = "enum"      // one of Values; Open: or any other string
	Ref       Kind = "ref"       // the definition Name
	Array     Kind = "array"     // of Elem
	OneOrMany Kind = "oneOrMany" // Elem, or an array of Elem
	Nullable  Kind = "nullable"  // Elem, or null
	Map       Kind = "map"       // any keys, values are Elem
	Struct    Kind = "struct"    // Members; Rest: the value type of other keys, nil if none is declared
	Union     Kind = "union"     // one of Arms
	Tuple     Kind = "tuple"     // Elems in order
	Raw       Kind = "raw"       // kept as it is; Elem, if any, says what kind of value it must be
)

// An Expr is the type of a value.
type Expr struct {
	Kind     Kind         `json:"kind"`
	Doc      Doc          `json:"doc,omitzero"`       // of an index signature, or of alternatives that are no Arms
	Name     string       `json:"name,omitempty"`     // Ref; Literal: its constant; Struct made from an arm of a union: that arm
	Value    any          `json:"value,omitempty"`    // Literal: string, bool or parser.Number
	Values   []*EnumValue `json:"values,omitempty"`   // Enum
	Open     bool         `json:"open,omitempty"`     // Enum
	Pattern  string       `json:"pattern,omitempty"`  // String that comes from a template literal type: a regular expression
	Elem     *Expr        `json:"elem,omitempty"`     // Array, OneOrMany, Nullable, Map, Raw
	Elems    []*Elem      `json:"elems,omitempty"`    // Tuple
	Members  []*Member    `json:"members,omitempty"`  // Struct
	Absent   []string     `json:"absent,omitempty"`   // Struct: members that it is declared not to have
	Rest     *Expr        `json:"rest,omitempty"`     // Struct
	Ordered  bool         `json:"ordered,omitempty"`  // Map whose order of keys means something
	Brackets bool         `json:"brackets,omitempty"` // OneOrMany that some revision only takes as an array: one is in brackets, too
	Arms     []*Arm       `json:"arms,omitempty"`     // Union
	Readonly bool         `json:"readonly,omitempty"` // Array, OneOrMany, Tuple; Map and Struct: the index signature
	Plan     *Plan        `json:"plan,omitempty"`     // Union; set by Merge
}

// An Elem is one element of a Tuple.
type Elem struct {
	Name     string `json:"name,omitempty"`
	Type     *Expr  `json:"type"`
	Optional bool   `json:"optional,omitempty"`
	Rest     bool   `json:"rest,omitempty"` // Type is the array of all further elements
}

// An EnumValue is one value of an Enum.
type EnumValue struct {
	Name  string `json:"name,omitempty"` // of the member of a declared enum
	Value string `json:"value"`
	Doc   Doc    `json:"doc,omitzero"`
	Revs  Revs   `json:"revisions"`
}

// An Arm is one alternative of a Union. After Merge, an arm of a union of objects is a Ref to a
// struct; unions inside unions are dissolved into their arms.
type Arm struct {
	Expr *Expr `json:"type"`
	Doc  Doc   `json:"doc,omitzero"`
	Revs Revs  `json:"revisions"`
}

// A Member is a member of a Struct.
type Member struct {
	Name       string       `json:"name"` // the key on the wire
	Doc        Doc          `json:"doc,omitzero"`
	Type       *Expr        `json:"type"`
	Optional   bool         `json:"optional,omitempty"`   // absent in some revision, or optional in one
	Revs       Revs         `json:"revisions"`            // in which it exists
	Required   Revs         `json:"required,omitempty"`   // in which it may not be absent
	Narrowings []*Narrowing `json:"narrowings,omitempty"` // narrower types in older revisions
	From       string       `json:"from,omitempty"`       // the definition that declares it, where that is another one
	Default    *Expr        `json:"default,omitempty"`    // Literal: what absence means, as documented
	Fill       *Expr        `json:"fill,omitempty"`       // Literal: what is written where it is required and absent
	Always     bool         `json:"always,omitempty"`     // written in revisions, too, that do not declare it
	Pointer    bool         `json:"pointer,omitempty"`    // an optional string whose empty value differs from absence
	Format     string       `json:"format,omitempty"`     // @format
	Minimum    string       `json:"minimum,omitempty"`    // @minimum
	Maximum    string       `json:"maximum,omitempty"`    // @maximum
	MaxItems   string       `json:"maxItems,omitempty"`   // @maxItems
	Readonly   bool         `json:"readonly,omitempty"`
	Pos        parser.Pos   `json:"-"`
}

// A Narrowing is the type of a member in older revisions, if the merged type accepts more.
type Narrowing struct {
	Revs Revs  `json:"revisions"`
	Type *Expr `json:"type"`
}

// narrowing returns the narrower type of a revision, or nil.
func (m *Member) narrowing(rev string) *Narrowing {
	i := slices.IndexFunc(m.Narrowings, func(v *Narrowing) bool { return v.Revs.Has(rev) })
	if i < 0 {
		return nil
	}
	return m.Narrowings[i]
}

// A Plan decides which arm of a union a JSON value is. It is a tree: a leaf (On is empty) names an arm, every other
// node makes one test and continues with one of its cases.
type Plan struct {
	On Test `json:"on,omitempty"`

	Arm string `json:"arm,omitempty"` // leaf: name of the arm's definition, or its kind where the arm is no Ref

	Member string   `json:"member,omitempty"` // TestValue, TestKey: the member looked at
	In     []string `json:"in,omitempty"`     // path of members to go down first

	Cases []Case `json:"cases,omitempty"` // TestValue; if none matches: unknown arm
	Has   *Plan  `json:"has,omitempty"`   // TestKey: the member is present
	None  *Plan  `json:"none,omitempty"`  // TestValue, TestKey: it is absent; nil: unknown arm
}

// A Test is what a Plan looks at.
type Test string

const (
	TestValue   Test = "value"   // the string value of a member
	TestKey     Test = "key"     // the presence of a member
	TestOutside Test = "outside" // nothing in the value decides; the arm follows from the request
)

// A Case is one outcome of a test.
type Case struct {
	Values []string `json:"values"`
	Then   *Plan    `json:"then"`
}

// A Method is a request or a notification of the protocol.
type Method struct {
	Name         string   `json:"method"` // on the wire
	Type         string   `json:"type"`   // the definition it comes from, "CallToolRequest"
	Notification bool     `json:"notification,omitempty"`
	Doc          Doc      `json:"doc,omitzero"`
	Category     string   `json:"category,omitempty"`
	Revs         Revs     `json:"revisions"`
	ToServer     Revs     `json:"toServer,omitempty"` // revisions in which a client sends it
	ToClient     Revs     `json:"toClient,omitempty"` // revisions in which a server sends it
	AsInput      Revs     `json:"asInput,omitempty"`  // revisions in which a server asks it inside an input-required result
	Params       string   `json:"params,omitempty"`   // definition of the params: struct or union; empty: it has none
	Optional     bool     `json:"paramsOptional,omitempty"`
	Results      []Result `json:"results,omitempty"`          // the plain result first; none for a notification
	Response     string   `json:"response,omitempty"`         // where the result may have one of several types: the union of them
	MayAsk       Revs     `json:"mayAsk,omitempty"`           // revisions in which its result may require input
	Cacheable    Revs     `json:"cacheable,omitempty"`        // revisions in which the result says how long it may be kept
	NameParam    string   `json:"nameParam,omitempty"`        // member of the params that an HTTP header repeats
	ServerCap    string   `json:"serverCapability,omitempty"` // path in ServerCapabilities that covers it, "tools.listChanged"
	ClientCap    string   `json:"clientCapability,omitempty"` // path in ClientCapabilities
	Uncovered    Revs     `json:"uncovered,omitempty"`        // revisions in which a client sends it that do not have ServerCap
}

// A Result is a type that the result of a method may have.
type Result struct {
	Name string `json:"name"`
	Revs Revs   `json:"revisions"`
}
