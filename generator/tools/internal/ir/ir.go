// Package ir describes annotated Go functions for the packages that write schemas, Go code and contracts. It holds
// decisions, not syntax: names on the wire, what is required, what the defaults are.
package ir

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"time"
)

// A Package is a Go package with functions that are offered.
type Package struct {
	Path, Name, Dir string
	Types           *types.Package
	Elsewhere       []string // what files declare that are not read, of tests and of other systems
	Register        string   // the name of the function that registers functions: Register, unless a directive changes it
	Server          *Server  // nil if no directive asks for a constructor
	Tools           []*Tool  // by name, like all lists here
	Prompts         []*Prompt
	Resources       []*Resource
	Forms           []*Form
	Pages           []*Page // by URI
	Silences        []*Silence
	Config          *Config // nil if no struct is the configuration
	Publish         Publish
}

// Funcs returns the functions that generated registrations call, completions left out.
func (p *Package) Funcs() []*Func {
	var out []*Func
	for _, t := range p.Tools {
		out = append(out, t.Func)
	}
	for _, t := range p.Prompts {
		out = append(out, t.Func)
	}
	for _, t := range p.Resources {
		out = append(out, t.Func)
	}
	return out
}

// A Page is an HTML document that hosts show for calls of tools.
type Page struct {
	URI, Name   string
	File        string   // below the folder of the package, with slashes
	HTML        []byte   // the file with all that belongs to it, if it is not the page by itself
	Sources     []string // the files that the page is made of
	Connect     []string // origins, as the next three
	Resource    []string
	Frame       []string
	Permissions []string // as in directives
	Border      *bool
	Pos         token.Position
}

// A Silence is a rule whose findings mcpgen lint does not report, for a tool or for the whole package.
type Silence struct {
	Rule string
	Pos  token.Position
}

// A Form is a struct that the package asks its users for, by ask.Form.
type Form struct {
	Go     *types.Named
	Fields []*Property
	Pos    token.Position
}

// A Server is the server that a package makes of everything it offers.
type Server struct {
	Name, Title, Version, Instructions string
	Description, Website               string
	Icons                              []Icon
	Search                             bool // in place of all tools
	Pos                                token.Position
}

// A Func is the Go function or method behind a tool, prompt, resource or completion.
type Func struct {
	Name     string
	Recv     types.Type // *Weather; nil for a function
	TypeArgs []types.Type
	Params   []*Param // in the order of the declaration
	Results  []*Result
	Error    bool       // the last result is an error, which Results does not hold
	Content  types.Type // of the tool's own content after the other results, which Results does not hold; nil if none
	Pos      token.Position
}

// Receiver returns the type that a method belongs to, nil for a function.
func (f *Func) Receiver() *types.Named {
	if f.Recv == nil {
		return nil
	}
	t := types.Unalias(f.Recv)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// GoName returns the name of a function as people write it: Forecast, or Weather.Forecast.
func (f *Func) GoName() string {
	if n := f.Receiver(); n != nil {
		return n.Obj().Name() + "." + f.Name
	}
	return f.Name
}

// An Injected parameter gets its value from the call, by its type.
type Injected int

const (
	NotInjected  Injected = iota
	Context               // context.Context
	Call                  // *server.Call
	Progress              // *server.Progress
	Logger                // *slog.Logger
	GoSDKRequest          // *mcp.CallToolRequest and its like of the Go SDK
	Value                 // of a completion: the text to complete
	Settled               // of a completion: the other arguments that the user has settled, map[string]string
)

// A Param is one parameter of a function: injected, a property of the arguments, or, as a struct, all
// of them.
type Param struct {
	Name     string // in Go; empty or _ only if injected
	Go       types.Type
	Injected Injected
	Property *Property // nil if injected, or if the parameter is the struct of all arguments
	Whole    *Type     // that struct, perhaps behind a pointer
	Variadic bool      // then the type of the property is the slice
}

// A Result is one result of a function, other than its error.
type Result struct {
	Name string // empty if it has none
	Type *Type
}

// An Access says who may use a tool, a prompt or a resource.
type Access struct {
	Scopes      []string // callers must have all of them
	Needs       []string // capabilities that clients must have
	MinRevision string   // the oldest revision in which it is offered; empty for all
	Groups      []string // by which servers select it, as by the next
	Features    []string // which must be on, or off if they begin with !
}

// Excludes reports whether nobody can have both of two offers, by their features.
func (a *Access) Excludes(b *Access) bool {
	isOn := func(x, y []string) bool {
		return slices.ContainsFunc(x, func(f string) bool { return slices.Contains(y, "!"+f) })
	}
	return isOn(a.Features, b.Features) || isOn(b.Features, a.Features)
}

// Extras holds parts of the definition of a tool, a prompt or a resource that do not affect how it works.
type Extras struct {
	Icons []Icon
	Meta  []Meta
}

// An Icon is an image to show.
type Icon struct {
	Src      string // a URL of https, or a data URI
	MIMEType string
	Sizes    []string
	Theme    string // light, dark, or empty for both
}

// A Meta is one member of _meta.
type Meta struct{ Key, JSON string }

// A Tool is a function that models call.
type Tool struct {
	Name, Title, Description string
	Variant                  string // its features, if others of its name may be offered in its place, and it is not the one without any
	ReadOnly, Destructive    *bool
	Idempotent, OpenWorld    *bool
	Func                     *Func
	Input                    []*Property // in the order of the declaration
	OneOf                    [][]string  // of the arguments in each list, by their names, exactly one is given
	Open                     bool        // unknown arguments are allowed, and ignored
	Coerce                   bool        // "3" is taken for 3, and null for an absent optional argument
	Task                     string      // whether calls may run as tasks: empty, optional or required
	Access
	Extras
	Confirm    []Part        // what a person is asked before each call; nil if nobody is
	Timeout    time.Duration // how long a call may take; 0 if nothing says so
	Rate       int           // how many calls each caller may make in a RatePeriod; 0 if nothing says so
	RatePeriod time.Duration
	Page       *Page // nil if it has none
	OnlyApps   bool  // models do not call it
	Output     Output
	Silences   []*Silence
	Pos        token.Position // of the directive
}

// A Part of a question is a text, or an argument.
type Part struct {
	Text     string
	Property *Property // nil if it is a text
}

// An OutputKind says how the results of a tool become a mcp.CallToolResult.
type OutputKind int

const (
	NoOutput      OutputKind = iota // only an error, if that
	TextOutput                      // an unnamed string, as it is
	ContentOutput                   // []mcp.ContentBlock
	WholeOutput                     // *mcp.CallToolResult
	ObjectOutput                    // a struct, or a map: the structured content
	NamedOutput                     // named results, the members of the structured content
	WrappedOutput                   // any other value, as the member "result"
	StreamOutput                    // iter.Seq2[T, error]: "result" is the array of what came
)

// An Output is what a tool returns.
type Output struct {
	Kind    OutputKind
	Type    *Type       // of ObjectOutput (perhaps a pointer), WrappedOutput, and of the items of StreamOutput
	Members []*Property // of NamedOutput and WrappedOutput
	Result  bool        // of ObjectOutput and WrappedOutput: Type is that of Output in a *server.Result
	Content bool        // the tool has content of its own beside structured content
	Text    bool        // the JSON is text: there is neither structured content nor a schema of it
}

// HasSchema reports whether the tool has an output schema.
func (o *Output) HasSchema() bool { return o.Kind >= ObjectOutput && !o.Text }

// A Prompt is a function that fills in a prompt.
type Prompt struct {
	Name, Title, Description string
	Func                     *Func
	Access
	Extras
	Arguments   []*Property // of types that a string can spell
	Output      PromptOutput
	Completions []*Completion
	Pos         token.Position
}

// A PromptOutput says how the result of a function becomes a mcp.GetPromptResult.
type PromptOutput int

const (
	PromptText     PromptOutput = iota // string: one message of the user
	PromptMessages                     // []mcp.PromptMessage
	PromptWhole                        // *mcp.GetPromptResult
)

// A Resource is a function that reads a resource, or all resources whose URIs fit a template.
type Resource struct {
	URI                      string // or template
	Template                 bool
	Name, Title, Description string
	MIMEType                 string
	Access                   // {name} in a scope is the value of a variable
	Extras
	Audience    []string // user, assistant
	Priority    *float64
	Func        *Func
	Parameters  []*Property // of the function; those that the URI has no variable for are optional
	Variables   []*Property // of the template; Name is the variable's
	Output      ResourceOutput
	Completions []*Completion
	Pos         token.Position
}

// A ResourceOutput says how the result of a function becomes an [mcp.ReadResourceResult].
type ResourceOutput int

const (
	ResourceText     ResourceOutput = iota // string
	ResourceBlob                           // []byte
	ResourceJSON                           // any other value
	ResourceContents                       // []mcp.ResourceContents
	ResourceWhole                          // *mcp.ReadResourceResult
)

// A Completion suggests values for an argument of a prompt or a variable of a template.
type Completion struct {
	Argument string // its name on the wire
	Func     *Func
	Pos      token.Position
}

// A Property is a named value: an argument, a member of a struct, a named result.
type Property struct {
	Name        string // on the wire
	Go          string // of the parameter, field or result
	Embedded    []Step // the embedded fields on the way to a field, from the outside
	Title       string // of a field of a form
	Description string
	Type        *Type
	Required    bool // of an argument: it must be there; of a member of a result: it always is
	OmitZero    bool // as a member of a result: left out when zero (omitzero), or empty (omitempty)
	OmitEmpty   bool
	Quoted      bool         // ",string": a number or boolean that is written as a string
	Header      string       // x-mcp-header; empty if none
	Default     *Literal     // nil if there is none
	Examples    []*Literal   //
	Constraints *Constraints // nil if there are none
	Pos         token.Position
}

// A Step is an embedded field on the way to a promoted one.
type Step struct {
	Field   *types.Var
	Pointer bool
	Hidden  bool // generated code cannot name it, and leaves it out
}

// A Literal is a value given in a directive, checked against the type.
type Literal struct {
	JSON  string         // as it stands in a schema
	Value constant.Value // a boolean, number or string; of a time.Duration its nanoseconds; nil of a list, an object, or any value
	Const *types.Const   // the constant with that value if the type is an enum
}

// Constraints limit values beyond their type. Lengths are in characters (Unicode code points) of
// strings, items of arrays, members of maps, and bytes of []byte.
type Constraints struct {
	Min, Max       constant.Value // numbers; of the Go type, exact
	Above, Below   constant.Value // the same without the bound itself; nil where Min and Max are not, and of integers
	MultipleOf     string         // a number above 0; empty if there is none
	MinLen, MaxLen *int
	Unique         bool   // no item of a list is given twice
	Pattern        string // as it stands in a schema: a regular expression of ECMA-262
	Regexp         string // what means the same to package regexp
	Format         string
	Enum           []*Literal
	Items          *Constraints // of the elements of a slice or an array; nil if there are none
	Keys, Values   *Constraints // of those of a map
}

// A Kind is how a type is written in JSON and read from it.
type Kind int

// Invalid is the kind of a type that has been refused, with a problem.
const Invalid Kind = -1

const (
	Bool Kind = iota
	Int
	Uint
	Float
	String
	Bytes    // []byte: base64
	Time     // time.Time: RFC 3339
	Duration // time.Duration: "1h30m"
	URL      // url.URL
	BigInt   // big.Int
	Number   // json.Number
	Raw      // json.RawMessage, wire.Raw
	Any
	Text // encoding.TextMarshaler and TextUnmarshaler
	JSON // its own MarshalJSON and UnmarshalJSON; without a schema from a directive it may be anything
	Pointer
	Option // wire.Option: a member that is absent, null, or an Elem
	Slice
	Array
	Map
	Struct
	Union    // sealed interface: an object that is told apart by a discriminator, or a scalar by its JSON type
	Protocol // a result of a type of the protocol, such as *mcp.CallToolResult, which is no JSON of its own
)

// A Type is a Go type together with its form in JSON. Recursive types are cycles.
type Type struct {
	Kind          Kind
	Go            types.Type
	Bits          int    // of Int, Uint and Float
	Name          string // of a named type, unique in its schema's $defs; else empty
	Doc           string
	Elem          *Type // of Pointer, Option, Slice, Array, Map
	Key           *Type // of Map
	Len           int64 // of Array
	Fields        []*Property
	Open          bool // Struct: unknown members are allowed; Enum: other values are
	Enum          []*EnumValue
	Named         bool   // of integers with an Enum: values are the names of the constants
	Numbers       bool   // Named, and arguments, which may be the numbers, too
	MoreValues    bool   // Enum: it is open, or of a result, in which values pass that are not known yet
	Discriminator string // of a Union; empty if its arms are scalars
	Arms          []*Arm
	Recursive     bool   // it contains itself, so it stands in $defs
	Schema        string // the JSON Schema that a directive gives; empty if none does
	Inner         []Step // of Time: the embedded fields on the way to the time.Time that a struct is
	Null          bool   // of JSON: the schema takes null
	Use           string // what tells it from other types of the same Go type, as one function takes it; empty for all others
}

// MayBeAbsent reports whether a member of a type is optional for the type alone.
func (t *Type) MayBeAbsent() bool { return t.Kind == Pointer || t.Kind == Option }

// Base returns the type of the value of a member that may be absent, and the type itself for all others.
func (t *Type) Base() *Type {
	for t.MayBeAbsent() {
		t = t.Elem
	}
	return t
}

// IsClosed reports whether a type has constants, and no other values.
func (t *Type) IsClosed() bool { return len(t.Enum) > 0 && !t.MoreValues }

// IsEnum reports whether a type has constants that are all its known values.
func (t *Type) IsEnum() bool { return len(t.Enum) > 0 && !t.Open }

// Parts returns the types that a type is made of.
func (t *Type) Parts() []*Type {
	var p []*Type
	if t.Key != nil {
		p = append(p, t.Key)
	}
	if t.Elem != nil {
		p = append(p, t.Elem)
	}
	for _, f := range t.Fields {
		p = append(p, f.Type)
	}
	for _, arm := range t.Arms {
		p = append(p, arm.Type)
	}
	return p
}

// Contains reports whether values of a type can have values of another one in them, at whatever depth.
func (t *Type) Contains(other *Type) bool { return t.contains(other, make(map[*Type]bool)) }

// contains is Contains. It looks into each type that is not in seen.
func (t *Type) contains(other *Type, seen map[*Type]bool) bool {
	for _, part := range t.Parts() {
		if part == other {
			return true
		}
		if !seen[part] {
			seen[part] = true
			if part.contains(other, seen) {
				return true
			}
		}
	}
	return false
}

// An EnumValue is one constant of a type that has constants.
type EnumValue struct {
	Const *types.Const
	Name  string // of an integer: what callers call it; empty if it has no name of its own
	JSON  string
	Doc   string
}

// An Arm is one of the types that implement a sealed interface.
type Arm struct {
	Value string // of the discriminator; of a scalar its JSON type: string, number or boolean
	Type  *Type  // a struct, or a pointer to one; a scalar
}
