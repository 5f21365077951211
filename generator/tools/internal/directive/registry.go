// Package directive parses the comments that annotate Go code for mcpgen. It knows which directives there are,
// where they are allowed, and how they are written, but not what their values mean for a function or a type.
package directive

import (
	"slices"
	"strings"
)

// Tool is the first word of every directive, before its colon.
const Tool = "mcp"

// A Place is a kind of declaration that a directive may precede.
type Place string

const (
	Function Place = "a function"
	Type     Place = "a type"
	Field    Place = "a struct field"
	Constant Place = "a constant"
	Package  Place = "the package clause"
)

// A Spec describes one directive.
type Spec struct {
	Name    string
	Places  []Place
	Args    []Arg  // in front of flags and keys
	Text    string // the name of the free text that the directive ends with; empty if it has none
	Flags   []Flag
	Keys    []Key
	Repeat  bool   // it may stand more than once above the same thing
	Parts   string // what flags and keys with Parts are about beside the value, in help
	Meaning string
	Example string
}

// An Arg is a positional argument.
type Arg struct {
	Name, Meaning string
	Only          Place // it is given in this place alone; empty for all places
}

// A Flag is a word that is there or not.
type Flag struct {
	Name, Meaning string
	Excludes      string // the flag that contradicts it
	Parts         bool   // it may be about what a value consists of: items.unique
}

// A Key is a name with a value.
type Key struct {
	Name, Value, Meaning string // Value is the form of the value, for people
	Only                 Place
	Parts                bool // as of a Flag: items.min, values.items.pattern
	Repeat               bool // it may be given more than once
}

// All returns all directives. The caller may change the result.
func All() []*Spec {
	return []*Spec{
		{
			Name:   "tool",
			Places: []Place{Function},
			Flags: []Flag{
				{Name: "readonly", Meaning: "it changes nothing", Excludes: "destructive"},
				{Name: "destructive", Meaning: "it may delete or overwrite; clients assume this unless told otherwise", Excludes: "nondestructive"},
				{Name: "nondestructive", Meaning: "it only adds"},
				{Name: "idempotent", Meaning: "a second call with the same arguments changes nothing more"},
				{Name: "openworld", Meaning: "it reaches beyond this program, such as the web", Excludes: "closedworld"},
				{Name: "closedworld", Meaning: "it touches only what belongs to this program"},
				{Name: "open", Meaning: "unknown arguments are allowed, and ignored"},
				{Name: "text", Meaning: "its result is sent as JSON in a text, without a schema, and not as structured content"},
				{Name: "strict", Meaning: `a string is never taken for a number or boolean: "3" is not 3 (with or without it, a string is never a list or an object)`},
			},
			Keys: withAccess("",
				Key{Name: "name", Value: "NAME", Meaning: "the name of the tool; without it, the function's name in snake_case"},
				Key{Name: "task", Value: "SUPPORT", Meaning: "optional if a call may run as a task, required if it must; the server needs taskserver.Enable"},
				Key{Name: "oneof", Value: "PARAMETER,…", Repeat: true, Meaning: "exactly one of these parameters, or fields of the struct of all arguments, must be given; may be repeated"},
				Key{Name: "confirm", Value: "QUESTION", Meaning: "what the user is asked before each call; {name} in it is an argument; if the user does not agree, or the client cannot ask, the function is not called"},
				Key{Name: "timeout", Value: "DURATION", Meaning: "how long a call may take, such as 30s, not counting the time in which the client is asked for input; then its context ends"},
				Key{Name: "rate", Value: "COUNT/UNIT", Meaning: "how many calls each caller may make in a second, minute or hour: 5/s, 100/m, 1000/h"},
				Key{Name: "instantiate", Value: "TYPE,…", Meaning: "the type arguments of a generic function, or of a method's receiver"},
			),
			Repeat:  true,
			Meaning: "The function is a tool.",
			Example: "//mcp:tool readonly openworld",
		},
		{
			Name:   "param",
			Places: []Place{Function, Field},
			Args:   []Arg{{Name: "NAME", Meaning: "the parameter, as Go names it, or a path to a field in it, such as opts.Sort", Only: Function}},
			Flags: []Flag{
				{Name: "optional", Meaning: "it may be left out, and is then the zero value", Excludes: "required"},
				{Name: "required", Meaning: "it must be given and not be null, although it is a pointer, variadic, or a field with omitempty"},
				{Name: "unique", Parts: true, Meaning: "no two items of a list are equal"},
			},
			Keys: slices.Concat([]Key{
				{Name: "default", Value: "VALUE", Meaning: "its value if it is left out; a list, a map or a struct is written as JSON"},
			}, limits(), []Key{
				{Name: "examples", Value: "VALUE,…", Meaning: "example values, for the model"},
				{Name: "header", Value: "NAME", Meaning: "the HTTP header Mcp-Param-NAME repeats the argument (x-mcp-header)"},
				{Name: "name", Value: "NAME", Meaning: "its name in the arguments; without it, that in Go", Only: Function},
				{Name: "fields", Value: "FIELD,…", Meaning: "the fields of a struct that are arguments; the others keep their zero values", Only: Function},
			}),
			Parts:   "With items., keys. or values. in front, to any depth, unique and the keys from min to enum are about the items of a list or the keys and values of a map: items.min=1, values.items.pattern=^[a-z]+$.",
			Repeat:  true,
			Meaning: "The constraints of a parameter or a struct field. Pointers, variadic parameters and fields with omitempty or omitzero are optional; others are required. Constraints of a field apply to results, too: a tool whose result breaks one fails. A result may have values beyond the constants of a type, unless //mcp:schema closed is above it. A nil pointer in a result is left out. A path leads through pointers, fields, items and values, also into types of other packages; what it says applies to this function alone. Forms of ask.Form take what forms can express.",
			Example: "//mcp:param days default=3 min=1 max=14",
		},
		{
			Name:   "result",
			Places: []Place{Function},
			Args:   []Arg{{Name: "NAME", Meaning: "the result, as Go names it"}},
			Flags:  []Flag{{Name: "unique", Parts: true, Meaning: "no two items of a list are equal"}},
			Keys: slices.Concat([]Key{
				{Name: "name", Value: "NAME", Meaning: "its name in the structured content; without it, that in Go"},
			}, limits(), []Key{
				{Name: "examples", Value: "VALUE,…", Meaning: "example values, for the model"},
			}),
			Parts:   "With items., keys. or values. in front, as in //mcp:param.",
			Repeat:  true,
			Meaning: "The name and the constraints of a named result, which is a member of the structured content. //mcp:desc, or the doc comment, describes it. A tool whose result breaks a constraint fails.",
			Example: "//mcp:result average name=mean min=0",
		},
		{
			Name:    "title",
			Places:  []Place{Function},
			Text:    "TEXT",
			Meaning: "The name of a tool, prompt or resource that people see.",
			Example: "//mcp:title Weather forecast",
		},
		{
			Name:    "desc",
			Places:  []Place{Function, Type, Field, Constant, Package},
			Text:    "[NAME] TEXT",
			Repeat:  true,
			Meaning: "What a model reads instead of the doc comment. Above a function, if the first word is the name of a parameter or a named result, or the path to a field of a parameter, the text describes that. Above the package clause, the text is the instructions of the server.",
			Example: "//mcp:desc days How many days ahead, today being 1",
		},
		{
			Name:   "prompt",
			Places: []Place{Function},
			Keys: withAccess("",
				Key{Name: "name", Value: "NAME", Meaning: "the name of the prompt, any text; without it, the function's name in snake_case"},
			),
			Meaning: "The function fills in a prompt.",
			Example: "//mcp:prompt",
		},
		{
			Name:   "resource",
			Places: []Place{Function},
			Args:   []Arg{{Name: "URI", Meaning: "the URI, or an RFC 6570 template whose variables are the parameters"}},
			Keys: withAccess("; {name} in one is the value of the template's variable",
				Key{Name: "name", Value: "NAME", Meaning: "the name of the resource, any text; without it, the function's name in snake_case"},
				Key{Name: "mime", Value: "TYPE", Meaning: "the media type of its contents"},
				Key{Name: "audience", Value: "ROLE,…", Meaning: "whom its contents are for: user, assistant, or both"},
				Key{Name: "priority", Value: "NUMBER", Meaning: "how important it is, from 0 to 1"},
			),
			Repeat:  true,
			Meaning: "The function reads a resource. Other directives may make the same function a tool, a prompt, or more resources, such as one URI without optional parameters and a template with them.",
			Example: "//mcp:resource notes://{id} mime=text/markdown",
		},
		{
			Name:   "icon",
			Places: []Place{Function, Package},
			Args:   []Arg{{Name: "SOURCE", Meaning: "an https or data URL, or an image file in the folder of the package, which becomes part of the code: png, jpg, svg, webp or gif"}},
			Keys: []Key{
				{Name: "mime", Value: "TYPE", Meaning: "its media type; for a file, it follows from the file's name"},
				{Name: "sizes", Value: "SIZE,…", Meaning: "the sizes that it is for, such as 48x48, or any"},
				{Name: "theme", Value: "THEME", Meaning: "the background that it is for: light or dark"},
			},
			Repeat:  true,
			Meaning: "An image that clients show for a tool, prompt or resource; above the package clause, for the server.",
			Example: "//mcp:icon logo.png sizes=48x48",
		},
		{
			Name:    "meta",
			Places:  []Place{Function},
			Text:    "{JSON}",
			Meaning: "The member _meta of the definition of a tool, prompt or resource: a JSON object.",
			Example: `//mcp:meta {"example.com/owner":"weather"}`,
		},
		{
			Name:   "app",
			Places: []Place{Function},
			Keys: []Key{
				{Name: "file", Value: "PATH", Meaning: "the page: an HTML file in the folder of the package, or a folder below it with an index.html; scripts, TypeScript too, style sheets and images that it refers to become part of it"},
				{Name: "uri", Value: "URI", Meaning: "the URI of the page; without it, ui://PACKAGE/NAME, by the name of the file"},
				{Name: "visibility", Value: "WHO,…", Meaning: "who may call the tool: model, app, or by default both; one for app alone may have no page"},
				{Name: "csp.connect", Value: "ORIGIN,…", Meaning: "origins that the page connects to, such as https://api.example.com"},
				{Name: "csp.resource", Value: "ORIGIN,…", Meaning: "origins of scripts, styles, images, fonts and media"},
				{Name: "csp.frame", Value: "ORIGIN,…", Meaning: "origins of frames in the page"},
				{Name: "permissions", Value: "WHAT,…", Meaning: "what it needs of the browser: camera, microphone, geolocation or clipboard-write"},
				{Name: "border", Value: "true|false", Meaning: "whether hosts draw a border around it; without it, they decide"},
			},
			Meaning: "Hosts show calls of the tool as a page (MCP Apps). Several tools may have the same page; what it needs is said at one of them.",
			Example: "//mcp:app file=ui/chart.html csp.connect=https://api.example.com",
		},
		{
			Name:   "complete",
			Places: []Place{Function},
			Args: []Arg{
				{Name: "TARGET", Meaning: "the Go name of the prompt's or resource's function; Type.Method for a method"},
				{Name: "ARGUMENT", Meaning: "the argument of the prompt, or the variable of the template"},
			},
			Repeat:  true,
			Meaning: "The function takes the text so far, and suggests values for an argument.",
			Example: "//mcp:complete Note id",
		},
		{
			Name:   "schema",
			Places: []Place{Type, Package},
			Text:   "{JSON}",
			Flags: []Flag{
				{Name: "open", Meaning: "a struct may have members beyond its fields, a type values beyond its constants", Excludes: "closed"},
				{Name: "closed", Meaning: "the values of the type are its constants alone, in results, too"},
				{Name: "unchecked", Meaning: "the type's methods check what generated code cannot check of the schema, such as if"},
			},
			Keys: []Key{
				{Name: "discriminator", Value: "NAME", Meaning: `the member that tells the types of a sealed interface apart; without it, "type"`},
				{Name: "value", Value: "TEXT", Meaning: "the discriminator of one of those types; without it, its name in snake_case"},
				{Name: "for", Value: "TYPE", Meaning: "the type of another package that this is about: github.Timestamp, or with the package's path", Only: Package},
			},
			Meaning: "What a type is in JSON. A type with MarshalJSON and UnmarshalJSON, or MarshalText and UnmarshalText, has a JSON Schema here. Above the package clause, the directive is about a type of another package.",
			Example: `//mcp:schema {"type":"string","pattern":"^#[0-9a-f]{6}$"}`,
		},
		{
			Name:    "nolint",
			Places:  []Place{Function, Package},
			Text:    "RULE,… REASON",
			Repeat:  true,
			Meaning: "Rules whose findings mcpgen lint and mcpgen check do not report, and why; above the package clause, for all tools. A directive that silences nothing is reported.",
			Example: "//mcp:nolint format our clients know email",
		},
		{
			Name:   "server",
			Places: []Place{Package},
			Flags: []Flag{
				{Name: "open", Meaning: "all tools of the package are open: unknown arguments are allowed, and ignored"},
				{Name: "search", Meaning: "clients see two tools, which find and call the others"},
			},
			Keys: []Key{
				{Name: "name", Value: "NAME", Meaning: "the server's name; with it, NewServer is generated"},
				{Name: "version", Value: "VERSION", Meaning: "the server's version"},
				{Name: "title", Value: "TEXT", Meaning: "the name that people see"},
				{Name: "description", Value: "TEXT", Meaning: "what the server is for; for what a model should know, use //mcp:desc"},
				{Name: "website", Value: "URL", Meaning: "a page about the server"},
				{Name: "prefix", Value: "TEXT", Meaning: "what the names of all tools and prompts of the package begin with"},
				{Name: "register", Value: "NAME", Meaning: "the name of the generated function Register"},
			},
			Meaning: "The package has a server that offers everything in it.",
			Example: `//mcp:server name=weather version=1.2.0 "title=Weather of the world"`,
		},
		{
			Name:   "publish",
			Places: []Place{Package},
			Keys: []Key{
				{Name: "name", Value: "NAMESPACE/NAME", Meaning: "the server's name in the MCP registry; without it, io.github.OWNER/NAME, or a name made from the module's domain"},
				{Name: "image", Value: "IMAGE", Meaning: "the container image, without its tag; without it, ghcr.io/OWNER/NAME for a module on github.com; none if there is none"},
				{Name: "remote", Value: "URL", Meaning: "where the server can be reached over Streamable HTTP"},
				{Name: "author", Value: "NAME", Meaning: "who publishes it; without it, the owner in the module's path"},
				{Name: "license", Value: "SPDX", Meaning: "the identifier of its license: MIT"},
				{Name: "category", Value: "WORD", Meaning: "its category in the Docker catalogue; without it, other"},
				{Name: "platforms", Value: "OS/ARCH,…", Meaning: "what bundles are made for; without it, darwin, linux and windows"},
			},
			Meaning: "What mcpgen publish cannot know of the server; all of it is optional.",
			Example: "//mcp:publish image=ghcr.io/example/weather license=MIT",
		},
		{
			Name:   "config",
			Places: []Place{Field, Type},
			Flags: []Flag{
				{Name: "secret", Meaning: "nobody may see it: it has no flag and no default, and help shows its name alone"},
				{Name: "required", Meaning: "the program does not start without it"},
			},
			Keys: []Key{
				{Name: "env", Value: "VARIABLE", Only: Field, Meaning: "the environment variable that it is read from"},
				{Name: "flag", Value: "NAME", Only: Field, Meaning: "the flag that sets it; it wins over the variable"},
				{Name: "default", Value: "VALUE", Only: Field, Meaning: "its value if nothing sets it"},
				{Name: "enum", Value: "VALUE,…", Only: Field, Meaning: "the values allowed, of a string"},
			},
			Meaning: "The struct is the configuration of the program: BindNAME is generated, which sets its fields from flags and the environment. Above a field, where its value comes from.",
			Example: "//mcp:config env=WEATHER_KEY secret required",
		},
	}
}

// limits returns the keys that limit values.
func limits() []Key {
	return []Key{
		{Name: "min", Value: "NUMBER", Parts: true, Meaning: "the smallest number or duration allowed"},
		{Name: "max", Value: "NUMBER", Parts: true, Meaning: "the largest number or duration allowed"},
		{Name: "above", Value: "NUMBER", Parts: true, Meaning: "only greater numbers or durations are allowed"},
		{Name: "below", Value: "NUMBER", Parts: true, Meaning: "only smaller numbers or durations are allowed"},
		{Name: "multipleof", Value: "NUMBER", Parts: true, Meaning: "only multiples of this number are allowed, such as of 0.01"},
		{Name: "minlen", Value: "COUNT", Parts: true, Meaning: "the smallest number of characters, items or members, or of bytes of a []byte"},
		{Name: "maxlen", Value: "COUNT", Parts: true, Meaning: "the largest number of them"},
		{Name: "pattern", Value: "REGEXP", Parts: true, Meaning: "a regular expression that must match somewhere in a string, in the syntax that Go and JavaScript share"},
		{Name: "format", Value: "FORMAT", Parts: true, Meaning: "a format that a string must have, such as email"},
		{Name: "enum", Value: "VALUE,…", Parts: true, Meaning: "the values allowed"},
	}
}

// withAccess returns keys, and after them the keys of an Access.
func withAccess(scopes string, keys ...Key) []Key {
	return append(keys,
		Key{Name: "scope", Value: "SCOPE,…", Meaning: "the OAuth scopes that callers must have, all of them" + scopes},
		Key{Name: "needs", Value: "CAPABILITY,…", Meaning: "capabilities that the client must have: elicitation, elicitation.url, roots or sampling; other clients do not see it"},
		Key{Name: "min-revision", Value: "DATE", Meaning: "the oldest revision of the protocol in which it is offered"},
		Key{Name: "group", Value: "NAME,…", Meaning: "the groups by any of which a toolset selects it (-groups)"},
		Key{Name: "feature", Value: "NAME,…", Meaning: "a feature that not everybody has yet: it is offered where the feature is on (-features), or with !NAME where it is off; tools whose features exclude each other may have one name"},
	)
}

// Lookup returns the directive with a name, or nil.
func Lookup(name string) *Spec {
	for _, s := range specs {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// specs holds all directives, and is never changed.
var specs = All()

// In reports whether the directive is allowed in a place.
func (s *Spec) In(p Place) bool { return slices.Contains(s.Places, p) }

// WherePlaces names the places in a sentence: "a type or a struct field".
func (s *Spec) WherePlaces() string {
	words := make([]string, len(s.Places))
	for i, p := range s.Places {
		words[i] = string(p)
	}
	return Or(words)
}

// Or joins words as a sentence does: "a, b or c".
func Or(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

func names() []string {
	out := make([]string, len(specs))
	for i, s := range specs {
		out[i] = s.Name
	}
	return out
}

// options returns the names of all flags and keys.
func (s *Spec) options() []string {
	var out []string
	for _, f := range s.Flags {
		out = append(out, f.Name)
	}
	for _, k := range s.Keys {
		out = append(out, k.Name)
	}
	return out
}

// partOptions returns the names of the flags and keys that may be about parts of a value.
func (s *Spec) partOptions(of string) []string {
	var out []string
	for _, f := range s.Flags {
		if f.Parts {
			out = append(out, of+"."+f.Name)
		}
	}
	for _, k := range s.Keys {
		if k.Parts {
			out = append(out, of+"."+k.Name)
		}
	}
	return out
}

// parts lists the words that lead from a value to its parts.
var parts = []string{"items", "keys", "values"}

// IsPart reports whether a word leads from a value to its parts.
func IsPart(word string) bool { return slices.Contains(parts, word) }

// CutParts cuts the words that lead to parts of a value off the name of a flag or a key: items.values.min is min of
// items.values.
func CutParts(name string) (of, base string) {
	base = name
	for {
		word, rest, ok := strings.Cut(base, ".")
		if !ok || !IsPart(word) {
			return strings.TrimSuffix(name[:len(name)-len(base)], "."), base
		}
		base = rest
	}
}

func (s *Spec) flag(name string) *Flag {
	for i := range s.Flags {
		if s.Flags[i].Name == name {
			return &s.Flags[i]
		}
	}
	return nil
}

func (s *Spec) key(name string) *Key {
	for i := range s.Keys {
		if s.Keys[i].Name == name {
			return &s.Keys[i]
		}
	}
	return nil
}
