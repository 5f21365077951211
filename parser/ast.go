// Package parser reads the declaration subset of TypeScript in which the Model Context Protocol
// publishes its schema: interfaces, type aliases, constants, string enums, and the type
// expressions that these are made of.
//
// It refuses what it cannot represent, with a position and the name of the construct; it skips nothing.
//
// It exists for the command mcpgen and its tests: its API promises nothing.
package parser

// A Pos is a place in a source file. Line and Col start at 1; Col counts bytes.
// The zero Pos is no place.
type Pos struct {
	Offset int
	Line   int
	Col    int
}

// A File is one parsed source file.
type File struct {
	Name    string // as given to Parse; used in messages
	Source  []byte
	Imports []*Import
	Exports []*Export // re-exports: export type { A } from "./x.js"
	Decls   []Decl    // in source order
}

// An Import is an `import type { … } from "…"`.
type Import struct {
	Pos   Pos
	Names []ImportName
	From  string // the module specifier, unquoted
}

// An Export is an `export type { … } from "…"`. From is empty for an export of local names.
type Export struct {
	Pos   Pos
	Names []ImportName
	From  string
}

// An ImportName is one name of an import or export clause: `Name` or `Name as Alias`.
type ImportName struct {
	Pos   Pos
	Name  string
	Alias string // Name where the clause gives no other
}

// A Decl is a declaration: *Interface, *Alias, *Const or *Enum.
type Decl interface {
	DeclName() string
	DeclPos() Pos // of the name
	DeclDoc() *Doc
}

// An Interface is an interface declaration.
type Interface struct {
	Pos     Pos
	Name    string
	Params  []TypeParam
	Extends []*Ref
	Members []Member
	Doc     *Doc
}

// An Alias is a `type Name = Type` declaration.
type Alias struct {
	Pos    Pos
	Name   string
	Params []TypeParam
	Type   Type
	Doc    *Doc
}

// A Const is a `const NAME = value` declaration, or `declare const NAME: value`.
type Const struct {
	Pos   Pos
	Name  string
	Type  Type // as written between name and value, nil: none; it fits the value
	Value *Literal
	Doc   *Doc
}

// An Enum is a string enum.
type Enum struct {
	Pos     Pos
	Name    string
	Members []EnumMember
	Doc     *Doc
}

// An EnumMember is one `Name = "value"` of an Enum.
type EnumMember struct {
	Pos   Pos
	Name  string
	Value *Literal
	Doc   *Doc
}

func (d *Interface) DeclName() string { return d.Name }
func (d *Interface) DeclPos() Pos     { return d.Pos }
func (d *Interface) DeclDoc() *Doc    { return d.Doc }
func (d *Alias) DeclName() string     { return d.Name }
func (d *Alias) DeclPos() Pos         { return d.Pos }
func (d *Alias) DeclDoc() *Doc        { return d.Doc }
func (d *Const) DeclName() string     { return d.Name }
func (d *Const) DeclPos() Pos         { return d.Pos }
func (d *Const) DeclDoc() *Doc        { return d.Doc }
func (d *Enum) DeclName() string      { return d.Name }
func (d *Enum) DeclPos() Pos          { return d.Pos }
func (d *Enum) DeclDoc() *Doc         { return d.Doc }

// A TypeParam is a type parameter: `T`, `T extends C`, `T = D`.
type TypeParam struct {
	Pos        Pos
	Name       string
	Constraint Type // nil: none
	Default    Type // nil: none
}

// A Member is a member of an interface or an object type: *Property or *Index.
type Member interface {
	MemberPos() Pos
	MemberDoc() *Doc
}

// A Property is a named member.
type Property struct {
	Pos      Pos
	Name     string // unquoted
	Optional bool
	Readonly bool
	Type     Type
	Doc      *Doc
}

// An Index is an index signature `[key: Key]: Value`.
type Index struct {
	Pos      Pos
	Param    string
	Key      Type
	Value    Type
	Readonly bool
	Doc      *Doc
}

func (m *Property) MemberPos() Pos  { return m.Pos }
func (m *Property) MemberDoc() *Doc { return m.Doc }
func (m *Index) MemberPos() Pos     { return m.Pos }
func (m *Index) MemberDoc() *Doc    { return m.Doc }

// A Type is a type expression: *Keyword, *Literal, *Template, *Ref, *Array, *Tuple, *Union,
// *Intersection, *Object, *Mapped, *TypeOf, *KeyOf or *Indexed. Parentheses leave no node.
type Type interface{ TypePos() Pos }

// A Keyword is a predeclared type: string, number, boolean, null, undefined, unknown, any,
// object, never, void, bigint or symbol.
type Keyword struct {
	Pos  Pos
	Name string
}

// A Literal is a literal type or constant. Value is a string, a bool, or a Number.
type Literal struct {
	Pos   Pos
	Value any
}

// A Number is a numeric literal with its sign, in JSON's notation: 0x1F is 31, and 1_000 is 1000.
type Number string

// MarshalJSON writes the number as a JSON number.
func (n Number) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// A Template is a template literal type. Texts has one element more than Types.
type Template struct {
	Pos   Pos
	Texts []string
	Types []Type
}

// A Ref names a type, with its type arguments. The utility types and Array are Refs too.
type Ref struct {
	Pos  Pos
	Name string
	Args []Type
}

// An Array is `T[]` or `readonly T[]`. (`Array<T>` stays a Ref.)
type Array struct {
	Pos      Pos
	Elem     Type
	Readonly bool
}

// A Tuple is `[A, B?, ...C[]]`.
type Tuple struct {
	Pos      Pos
	Elems    []TupleElem
	Readonly bool
}

// A TupleElem is one element of a Tuple.
type TupleElem struct {
	Pos      Pos
	Name     string // empty: unnamed
	Type     Type
	Optional bool
	Rest     bool
}

// A Union is `A | B`. It has at least two arms: `| A` alone is A.
type Union struct {
	Pos  Pos
	Arms []UnionArm
}

// A UnionArm is one arm of a Union, with the doc comment before it, if any.
type UnionArm struct {
	Type Type
	Doc  *Doc
}

// An Intersection is `A & B`, of at least two parts.
type Intersection struct {
	Pos   Pos
	Parts []Type
}

// An Object is an object type.
type Object struct {
	Pos     Pos
	Members []Member
}

// A Mapped is `{ [Param in Key]: Value }`.
type Mapped struct {
	Pos      Pos
	Param    string
	Key      Type
	Value    Type
	Optional bool
	Readonly bool
}

// A TypeOf is `typeof NAME`.
type TypeOf struct {
	Pos  Pos
	Name string
}

// A KeyOf is `keyof T`.
type KeyOf struct {
	Pos  Pos
	Type Type
}

// An Indexed is `T[K]`.
type Indexed struct {
	Pos    Pos
	Object Type
	Index  Type
}

func (t *Keyword) TypePos() Pos      { return t.Pos }
func (t *Literal) TypePos() Pos      { return t.Pos }
func (t *Template) TypePos() Pos     { return t.Pos }
func (t *Ref) TypePos() Pos          { return t.Pos }
func (t *Array) TypePos() Pos        { return t.Pos }
func (t *Tuple) TypePos() Pos        { return t.Pos }
func (t *Union) TypePos() Pos        { return t.Pos }
func (t *Intersection) TypePos() Pos { return t.Pos }
func (t *Object) TypePos() Pos       { return t.Pos }
func (t *Mapped) TypePos() Pos       { return t.Pos }
func (t *TypeOf) TypePos() Pos       { return t.Pos }
func (t *KeyOf) TypePos() Pos        { return t.Pos }
func (t *Indexed) TypePos() Pos      { return t.Pos }

// A Doc is a JSDoc comment.
type Doc struct {
	Pos  Pos
	Text string // the description before the first tag, without comment marks, trimmed
	Tags []Tag  // in source order
}

// A Tag is a JSDoc block tag: `@name text`. The text may span lines.
type Tag struct {
	Pos  Pos
	Name string // without @
	Text string // trimmed
}

// Tag returns the first tag of that name.
func (d *Doc) Tag(name string) (Tag, bool) {
	if d != nil {
		for _, t := range d.Tags {
			if t.Name == name {
				return t, true
			}
		}
	}
	return Tag{}, false
}
