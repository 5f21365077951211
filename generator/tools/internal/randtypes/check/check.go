// Package check runs the tools that are generated for random types, and compares what they read and write with
// encoding/json and with their JSON Schemas. It is called by a program in a temporary module, with all the random
// packages.
package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Options say how the tool of a type is declared.
type Options struct {
	Whole  bool // the struct is all arguments, and all of the result
	Strict bool // without coercion
}

// A subject is a type with its tool.
type subject struct {
	pkg, tool string
	options   Options
	typ, twin reflect.Type
	in, out   *jsonschema.Schema
	client    *client.Client
	rand      *rand.Rand
	valid     []byte // arguments that the tool takes

	// What the function gets and gives.
	called bool
	got    reflect.Value
	give   *reflect.Value

	reads    []Read
	quirks   map[string]bool
	refusal  string // the last message about a value that encoding/json writes
	found    map[string]bool
	findings []Finding
}

// A Finding is a difference that nothing explains.
type Finding struct {
	Type, What, Input, Detail string
}

// A Read says what generated code made of arguments.
type Read struct {
	Package, Tool string
	Arguments     string
	Message       string // why they were refused; empty if they were not
}

// maxReads is how many a type has in a Result, and maxRead how many bytes their arguments may have.
const maxReads, maxRead = 100, 1000

// A Result is what [Main] prints.
type Result struct {
	Findings []Finding
	Reads    []Read         // some of them
	Used     map[string]int // differences by name
	Values   int            // that were written
	Texts    int            // that were read
	Refused  int            // of these
	Never    []string       // types of which no value was ever taken
}

var (
	subjects []*subject
	byTool   = make(map[string]*subject)
	servers  = make(map[string]func(*server.Options) (*server.Server, error))
)

// Server says how the server of a package is made.
func Server(pkg string, f func(*server.Options) (*server.Server, error)) { servers[pkg] = f }

// Type adds a type and its twin.
func Type[T, Twin any](pkg, tool string, o Options) {
	s := &subject{pkg: pkg, tool: tool, options: o, typ: reflect.TypeFor[T](), twin: reflect.TypeFor[Twin](), quirks: quirksOf(reflect.TypeFor[Twin]()), found: make(map[string]bool)}
	subjects = append(subjects, s)
	byTool[pkg+"."+tool] = s
}

// Echo is what the functions of all tools do: it returns what they get, or what the test gives.
func Echo[T any](name string, v T) T {
	s := byTool[name]
	s.called, s.got = true, reflect.New(s.typ).Elem()
	s.got.Set(reflect.ValueOf(&v).Elem())
	if s.give != nil {
		return *(*T)(s.give.Addr().UnsafePointer()) // which may be a nil interface
	}
	return v
}

// Main checks values random values of each type, and prints a [Result].
func Main(seed uint64, values int) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	debug.SetGCPercent(400)
	result := Result{Used: make(map[string]int)}
	var mu sync.Mutex
	var all sync.WaitGroup
	work := make(chan []*subject)
	for range 2 {
		all.Go(func() {
			for list := range work {
				c := connect(list[0].pkg)
				for _, s := range list {
					s.client = c
					r := s.check(seed, values)
					mu.Lock()
					result.add(r)
					mu.Unlock()
				}
			}
		})
	}
	for len(subjects) > 0 {
		n := slices.IndexFunc(subjects, func(s *subject) bool { return s.pkg != subjects[0].pkg })
		if n < 0 {
			n = len(subjects)
		}
		work <- subjects[:n]
		subjects = subjects[n:]
	}
	close(work)
	all.Wait()
	for _, d := range differences {
		result.Used[d.name] = used.count[d.name]
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		panic(err)
	}
}

func (r *Result) add(o Result) {
	r.Findings = append(r.Findings, o.Findings...)
	r.Reads = append(r.Reads, o.Reads...)
	r.Values += o.Values
	r.Texts += o.Texts
	r.Refused += o.Refused
	r.Never = append(r.Never, o.Never...)
}

// connect serves a package in memory, and returns a client of it. The types of the package get the schemas that their
// tools are listed with.
func connect(pkg string) *client.Client {
	s, err := servers[pkg](nil)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", pkg, err))
	}
	a, b := inmem.Pair(0)
	go s.Serve(context.Background(), a)
	c, err := client.Connect(context.Background(), b, nil)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", pkg, err))
	}
	for t, err := range c.Tools(context.Background()) {
		if err != nil {
			panic(fmt.Sprintf("%s: %v", pkg, err))
		}
		if sub := byTool[pkg+"."+t.Name]; sub != nil {
			sub.in, sub.out = compile(t.InputSchema), compile(t.OutputSchema)
		}
	}
	return c
}

// named are the constants of integers in the shared types, by their names.
var named = map[string]int{"low": -1, "high": 100, "only": 300, "one": 1, "two": 2, "idle": 0, "busy": 1, "done": 2}

// isNamed reports whether a text is the name of a constant with that number, or the number itself if none has it.
func isNamed(text, number string) bool {
	if n, ok := named[text]; ok {
		return strconv.Itoa(n) == number
	}
	return text == number
}

// withNumbers adds the numbers of constants to schemas of their names. They are accepted, too, which
// schemas do not say.
func withNumbers(schema any) {
	switch s := schema.(type) {
	case []any:
		for _, v := range s {
			withNumbers(v)
		}
	case map[string]any:
		for _, v := range s {
			withNumbers(v)
		}
		names, _ := s["enum"].([]any)
		for _, v := range names {
			name, _ := v.(string)
			if n, ok := named[name]; ok {
				s["enum"] = append(s["enum"].([]any), n)
				delete(s, "type")
			}
		}
	}
}

// compile compiles a schema that also accepts the numbers of constants with names, and checks formats and encodings.
func compile(schema wire.Raw) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		panic(fmt.Sprintf("%v: %s", err, schema))
	}
	withNumbers(doc)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.AssertContent()
	if err := c.AddResource("mem:schema", doc); err != nil {
		panic(fmt.Sprintf("%v: %s", err, schema))
	}
	s, err := c.Compile("mem:schema")
	if err != nil {
		panic(fmt.Sprintf("%v: %s", err, schema))
	}
	return s
}

// check writes and reads random values.
func (s *subject) check(seed uint64, values int) Result {
	h := fnv.New64()
	io.WriteString(h, s.pkg+"."+s.tool)
	s.rand = rand.New(rand.NewPCG(seed, h.Sum64()))
	var r Result
	if s.in == nil {
		s.find("the tool is not listed", nil, "")
		return Result{Findings: s.findings}
	}
	var pending []reflect.Value
	for i := range values {
		v := reflect.New(s.typ).Elem()
		of := filler{s.rand, i%2 == 0}
		of.fill(v, 0)
		var texts [][]byte
		if std, err := marshal(s.asTwin(v)); err == nil {
			texts = append(texts, std)
			if n, err := parse(std); err == nil && of.full {
				texts = append(texts, n.withoutNulls().write())
			}
		}
		pending = append(pending, v)
		if s.valid != nil {
			for _, v := range pending {
				r.Values++
				if text := s.write(v); text != nil {
					texts = append(texts, text)
				}
			}
			pending = nil
		}
		if len(texts) > 0 {
			n, err := parse(texts[len(texts)-1])
			for range 3 {
				if err == nil { // else write has told
					texts = append(texts, mutate(s.rand, n).write())
				}
			}
		}
		for _, text := range texts {
			r.Texts++
			if !s.read(text) {
				r.Refused++
			}
		}
	}
	if s.valid == nil {
		r.Never = append(r.Never, s.pkg+"."+s.typ.Name()+": "+s.refusal)
	}
	r.Findings, r.Reads = s.findings, s.reads
	return r
}

// find notes what is wrong, once of a kind.
func (s *subject) find(what string, input []byte, detail string) {
	if key := what; !s.found[key] {
		s.found[key] = true
		s.findings = append(s.findings, Finding{Type: s.pkg + "." + s.typ.Name(), What: what, Input: string(input), Detail: detail})
	}
}

// asTwin returns a pointer to a value as one of the twin, which has the same form in memory.
func (s *subject) asTwin(v reflect.Value) any {
	return reflect.NewAt(s.twin, v.Addr().UnsafePointer()).Interface()
}

// errPanic is the error of methods that panic.
var errPanic = errors.New("it panicked")

func marshal(v any) (text []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errPanic, r)
		}
	}()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err = e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// unmarshal is that of encoding/json, which may panic.
func unmarshal(text []byte, v any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errPanic, r)
		}
	}()
	return json.Unmarshal(text, v)
}

// An outcome is what a call comes to.
type outcome struct {
	ok      bool
	message string // why it was refused
	crash   string // what must not happen at all
	result  []byte
}

// call calls the tool. Afterwards s.called says whether its function was called: if it was, the arguments were
// accepted, whatever the outcome.
func (s *subject) call(args []byte) outcome {
	s.called = false
	res, err := s.client.CallTool(context.Background(), &mcp.CallToolRequestParams{Name: s.tool, Arguments: args})
	if err != nil {
		return outcome{crash: err.Error()}
	}
	if res.IsError != nil && *res.IsError {
		text := res.Content[0].(*mcp.TextContent).Text
		if strings.Contains(text, "internal error") || strings.Contains(text, "panic") {
			return outcome{crash: text}
		}
		return outcome{message: text}
	}
	return outcome{ok: true, result: res.StructuredContent}
}

// arguments are those with a value.
func (s *subject) arguments(value []byte) []byte {
	if s.options.Whole {
		return value
	}
	return slices.Concat([]byte(`{"other":true,"v":`), value, []byte(`}`))
}

// write writes a value with generated code and with encoding/json, and returns what generated code
// makes of it, or nil.
func (s *subject) write(v reflect.Value) []byte {
	std, stdErr := marshal(s.asTwin(v))
	s.give = &v
	o := s.call(s.valid)
	s.give = nil
	switch {
	case o.crash != "" && errors.Is(stdErr, errPanic):
		return nil // a method of the type does: IsZero of an embedded pointer that is nil
	case o.crash != "":
		s.find("a crash while it is written", std, o.crash)
		return nil
	case !o.ok:
		if stdErr == nil && !explained(notWritten, o.message) {
			s.find("not written, but by encoding/json", std, o.message)
		}
		return nil
	}
	problem := ""
	if doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(o.result)); err != nil {
		problem = err.Error()
	} else if err := s.out.Validate(doc); err != nil {
		problem = err.Error()
	}
	if problem != "" {
		s.find("what is written does not keep to the schema", o.result, problem)
	}
	n, err := parse(o.result)
	if err != nil {
		return nil
	}
	if !s.options.Whole {
		n = n.content[slices.Index(n.names, "r")]
	}
	text := n.write()
	if stdErr != nil {
		if !s.quirk(pointerMethods, textKeys) {
			s.find("written, but not by encoding/json", text, stdErr.Error())
		}
		return text
	}
	if m, err := parse(std); err != nil {
		s.find("encoding/json writes no JSON", std, err.Error())
	} else if d := differ(n, m, "v", note); d != "" && !s.quirk(pointerMethods, textKeys) {
		s.find("written in another way than by encoding/json", text, d)
	}
	return text
}

// read reads a text with generated code, the schema and encoding/json. It reports whether generated
// code takes it.
func (s *subject) read(text []byte) bool {
	problem, detail, ok := s.disagree(text)
	if problem != "" && !s.found[problem] {
		if n, err := parse(text); err == nil {
			n = shrink(n, func(n *node) bool { p, _, _ := s.disagree(n.write()); return p == problem })
			text = n.write()
			_, detail, _ = s.disagree(text)
		}
		s.find(problem, text, detail)
	}
	return ok
}

// disagree says in which way the three do not agree about a text.
func (s *subject) disagree(text []byte) (problem, detail string, ok bool) {
	args := s.arguments(text)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err != nil || s.options.Whole && text[0] != '{' {
		return "", "", false // which cannot be sent
	}
	bySchema := s.in.Validate(doc)
	o := s.call(args)
	if len(s.reads) < maxReads && len(args) < maxRead && (s.called || o.crash == "") {
		r := Read{Package: s.pkg, Tool: s.tool, Arguments: string(args)}
		if !s.called {
			r.Message = o.message
		}
		s.reads = append(s.reads, r)
	}
	got := s.got
	if o.crash != "" && s.called {
		if _, err := marshal(s.asTwin(got)); errors.Is(err, errPanic) {
			o.crash = "" // it was read; a method of the type panics while it is written, as in write
		}
	}
	switch {
	case o.crash != "":
		return "a crash while it is read", o.crash, false
	case !s.called:
		if bySchema == nil && !allExplained(beyondSchema, o.message) {
			return "refused, but not by the schema", o.message, false
		}
		s.refusal = o.message
		return "", "", false
	case bySchema != nil:
		if s.options.Strict {
			return "taken, but not by the schema", bySchema.Error(), true
		}
		note("coercion")
		return "", "", true
	}
	if s.valid == nil {
		s.valid = args
	}
	std := reflect.New(s.typ).Elem()
	if err := unmarshal(text, s.asTwin(std)); err != nil {
		if !explained(notRead, err.Error()) && !s.quirk(quotedTexts) {
			return "taken, but not by encoding/json", err.Error(), true
		}
		return "", "", true
	}
	if d := unlike(got, std, "v"); d != "" && !s.quirk(quotedTexts) {
		return "read in another way than by encoding/json", d, true
	}
	return "", "", true
}
