package annotated

import (
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"math/rand/v2"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// strict are the strict tools, which take what their schemas say and nothing else.
var strict = []struct {
	tool   mcp.Tool
	handle server.ToolHandler
}{
	{mcpToolEchoCollections, mcpEchoCollections},
	{mcpToolEchoDates, mcpEchoDates},
	{mcpToolEchoDefaults, mcpEchoDefaults},
	{mcpToolEchoEnums, mcpEchoEnums},
	{mcpToolEchoFormats, mcpEchoFormats},
	{mcpToolEchoGiven, mcpEchoGiven},
	{mcpToolEchoInside, mcpEchoInside},
	{mcpToolEchoItems, mcpEchoItems},
	{mcpToolEchoLimits, mcpEchoLimits},
	{mcpToolEchoNames, mcpEchoNames},
	{mcpToolEchoNode, mcpEchoNode},
	{mcpToolEchoNumbers, mcpEchoNumbers},
	{mcpToolEchoOne, mcpEchoOne},
	{mcpToolEchoOpen, mcpEchoOpen},
	{mcpToolEchoOptional, mcpEchoOptional},
	{mcpToolEchoPaths, mcpEchoPaths},
	{mcpToolEchoPlain, mcpEchoPlain},
	{mcpToolEchoPointers, mcpEchoPointers},
	{mcpToolEchoPrice, mcpEchoPrice},
	{mcpToolEchoQuoted, mcpEchoQuoted},
	{mcpToolEchoScalars, mcpEchoScalars},
	{mcpToolEchoSettings, mcpEchoSettings},
	{mcpToolEchoStates, mcpEchoStates},
	{mcpToolEchoSteps, mcpEchoSteps},
	{mcpToolEchoStructs, mcpEchoStructs},
	{mcpToolEchoTexts, mcpEchoTexts},
	{mcpToolEchoTree, mcpEchoTree},
	{mcpToolEchoUnions, mcpEchoUnions},
	{mcpToolEchoValues, mcpEchoValues},
	{mcpToolLargestInt, mcpLargestInt},
	{mcpToolEchoFields, mcpEchoFields},
	{mcpToolRelabel, mcpRelabel},
}

// An exception is where generated code parts from the schema on purpose: it refuses what the schema
// takes.
type exception struct {
	name  string
	holds func(problem, text string) bool // problem is a line of what generated code says about the text
}

func matches(problem string) func(string, string) bool {
	re := regexp.MustCompile(problem)
	return func(problem, _ string) bool { return re.MatchString(problem) }
}

// twice reports whether an object in text has two members of the same name.
func twice(_, text string) bool {
	d := json.NewDecoder(strings.NewReader(text))
	var object func() bool
	object = func() bool {
		token, _ := d.Token()
		names := make(map[json.Token]bool)
		for found := false; (token == json.Delim('{') || token == json.Delim('[')) && d.More(); {
			if token == json.Delim('{') {
				name, _ := d.Token()
				found = names[name]
				names[name] = true
			}
			if found || object() {
				return true
			}
		}
		if token == json.Delim('{') || token == json.Delim('[') {
			_, _ = d.Token()
		}
		return false
	}
	return object()
}

// exceptions are all of them: what package args says that it demands beyond the schema, what package
// schema says that a schema cannot say, and where the library takes what the RFCs do not.
var exceptions = []exception{
	{"a member stands only once", twice},
	{"two members have the same key, of a type that reads more than one spelling", matches(`^hosts.*: given twice$`)},
	{"numbers are in the range of float64", matches(`: want a number (in the range of double precision|of at (most|least) -?1\.7976931348623157e\+308), got `)},
	{"integers have at most 4096 digits", matches(`: want an integer of at most 4096 digits, got `)},
	{"an exponent of an integer is at most 400", matches(`: want an integer that is written out, or has an exponent of at most 400, got `)},
	{"nesting is bounded", matches(`: nesting is deeper than 128 levels$`)},
	{"text is UTF-8", matches(`invalid UTF-8|surrogate`)},
	{"an integer that is a key is in the range of its type", matches(`: the name must be an integer (from|of at least) `)},
	{"an integer is in the range of 64 bits", matches(`: want an integer of at (most (9223372036854775807|18446744073709551615)|least -9223372036854775808), got `)},
	{"a number that is written as a string is in the range of its type", matches(`^(int|uint|float|single): want an? (integer|number) (of at (most|least)|in the range) .*, got "`)},
	{"a duration is less than 293 years", matches(`: want a duration such as .*, got ".*[0-9]{6}`)},
	{"a type takes only some texts", matches(`^(addr|hosts.*): not accepted: `)},
	{"an email address has a local part", matches(`^email: want an email address, got "(@|\\u0040)`)},
	{"bytes are counted, not the characters of their base64", matches(`^bytes: want at most 5 bytes, got 6$`)},
	{"base64 has no line breaks", matches(`^(bytes|blobs\[.*): want a string in base64, got ".*\\(n|r|u000[ad])`)},
	{"a tool demands one of several arguments", matches(`^arguments: want exactly one of `)},
	{"a number is no more than a bound if the nearest that Go has is not", func(problem, _ string) bool {
		m := atBound.FindStringSubmatch(problem)
		return m != nil && (nearest(m[1], 64) == nearest(m[2], 64) || nearest(m[1], 32) == nearest(m[2], 32))
	}},
	{"the name of a constant and its number are the same item", func(problem, text string) bool {
		return strings.HasPrefix(problem, "s.past: want distinct items, ") && numberInPast.MatchString(text)
	}},
	{"a digit of a time is no sign", matches(`^(time|zero|at|clock|datetime): want (a date and time|a date|a time).*, got ".*[-+:T][-+]`)},
}

var numberInPast = regexp.MustCompile(`ast":\s*\[([^\]]*,)?\s*[0-9]`)

// atBound matches a number that is not beyond a bound.
var atBound = regexp.MustCompile(`: want a number (?:above|below) (\S+), got "?([-+.0-9eE]+)…?"?$`)

func nearest(number string, bits int) float64 {
	f, _ := strconv.ParseFloat(number, bits)
	return f
}

// excuse returns the index in exceptions of what excuses a problem, -1 if nothing does.
func excuse(problem, text string) int {
	return slices.IndexFunc(exceptions, func(e exception) bool { return e.holds(problem, text) })
}

// A judge holds arguments and results against the schemas of a tool.
type judge struct {
	name          string
	handle        server.ToolHandler
	input         map[string]any
	takes, writes *jsonschema.Schema
}

func newJudge(t testing.TB, tool mcp.Tool, handle server.ToolHandler) *judge {
	t.Helper()
	j := &judge{name: tool.Name, handle: handle}
	j.input, j.takes = compile(t, decimals.apply(tool.InputSchema), withNumbers)
	_, j.writes = compile(t, decimals.apply(tool.OutputSchema))
	for name, property := range j.input["properties"].(map[string]any) {
		switch address := map[string]any{"format": "ipv6"}; name { // so that random arguments have some
		case "addr":
			maps.Copy(property.(map[string]any), address)
		case "hosts":
			property.(map[string]any)["propertyNames"] = address
		}
	}
	return j
}

// A steps adds to schemas the multiples that they leave out, since many validators do not calculate with decimals.
type steps struct{ *regexp.Regexp }

var decimals = steps{regexp.MustCompile(`"description":"a multiple of ([0-9.e-]+)"`)}

func (s steps) apply(schema wire.Raw) wire.Raw {
	return s.ReplaceAll(schema, []byte(`"multipleOf":$1`))
}

// compile makes a schema ready, as changes make it, and fails if it is not valid.
func compile(t testing.TB, raw wire.Raw, changes ...func(any)) (map[string]any, *jsonschema.Schema) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		change(doc)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.AssertContent()
	if err := c.AddResource("schema", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema")
	if err != nil {
		t.Fatal(err)
	}
	return doc.(map[string]any), s
}

// rounded reports whether all that the library finds is that a number is beyond a bound by less than
// a float64 can tell. To generated code, that number is the bound.
func rounded(err error) bool {
	lines := strings.Split(err.Error(), "\n")[1:]
	return !slices.ContainsFunc(lines, func(line string) bool {
		found := beyond.FindStringSubmatch(line)
		return found == nil || found[1] != found[2]
	})
}

// numbers are what constants of integers are called. Arguments may have either; schemas have the names alone.
var numbers = map[string]json.Number{"quiet": "-1", "usual": "0", "loud": "10", "new": "0", "in_work": "1", "done": "2"}

// withNumbers has an enum of names take the numbers, too, wherever it stands in a schema.
func withNumbers(schema any) {
	switch v := schema.(type) {
	case []any:
		for _, item := range v {
			withNumbers(item)
		}
	case map[string]any:
		enum, _ := v["enum"].([]any)
		for _, name := range enum {
			text, _ := name.(string)
			if n, ok := numbers[text]; ok {
				v["enum"] = append(v["enum"].([]any), n)
				delete(v, "type")
			}
		}
		for _, member := range v {
			withNumbers(member)
		}
	}
}

var beyond = regexp.MustCompile(`^- at '.*': (?:minimum|maximum|exclusiveMinimum|exclusiveMaximum): got (.*), want (.*)$`)

// A verdict is on the arguments of one call.
type verdict struct {
	accepted bool
	excuse   int // what excuses that the schema says something else, -1 if it does not
}

// judge calls the tool and fails the test if the schemas disagree.
func (j *judge) judge(t *testing.T, text string) verdict {
	t.Helper()
	r, err := j.handle(t.Context(), nil, wire.Raw(text))
	doc, invalid := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if invalid == nil {
		invalid = j.takes.Validate(doc)
	}
	wrong := new(args.Error)
	switch {
	case err == nil && invalid != nil && rounded(invalid):
		return verdict{true, -1}
	case err == nil && invalid != nil:
		t.Errorf("%s %s\nis accepted; the schema: %v", j.name, text, invalid)
	case err == nil:
		j.result(t, text, r)
		return verdict{true, -1}
	case !errors.As(err, &wrong):
		t.Errorf("%s %s\nfails: %v", j.name, text, err)
	case invalid == nil:
		excused := -1
		for _, problem := range wrong.Problems {
			if excused = excuse(problem, text); excused < 0 {
				t.Errorf("%s %s\nis valid; the tool: %s", j.name, text, problem)
				break
			}
		}
		return verdict{false, excused}
	}
	return verdict{false, -1}
}

// result holds what the tool returned against the output schema.
func (j *judge) result(t *testing.T, text string, r *mcp.CallToolResult) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(r.StructuredContent)))
	if err == nil {
		err = j.writes.Validate(doc)
	}
	if err != nil {
		t.Errorf("%s %s\nreturns %s\n%v", j.name, text, r.StructuredContent, err)
	}
}

var seedFlag = flag.Uint64("seed", 1, "of random arguments and results; 0 is another one each time")

// randomSeed returns the seed, and logs it.
func randomSeed(t *testing.T) uint64 {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-seed=%d", seed)
	return seed
}

// TestSchemas calls the strict tools with random arguments, valid ones and all kinds of others, and
// compares what they take with their input schemas, and what they return with their output schemas,
// as a library reads these. The only differences are the exceptions.
//
// REQ TOOL-08, TOOL-26
func TestSchemas(t *testing.T) {
	seed := randomSeed(t)
	calls := 200_000 / len(strict)
	switch {
	case testing.Short() || raced():
		calls /= 20
	case !testenv.Full():
		calls /= 15
	}
	var accepted, refused int
	excused := make([]int, len(exceptions))
	for i, tool := range strict {
		j := newJudge(t, tool.tool, tool.handle)
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		valid := 0
		for n := range calls {
			s := newSource(r, j.input, []float64{0, 0.02, 0.1}[n%3])
			switch v := j.judge(t, s.value(j.input, 0)); {
			case v.excuse >= 0:
				excused[v.excuse]++
			case v.accepted:
				valid++
			default:
				refused++
			}
			if t.Failed() {
				return
			}
		}
		if accepted += valid; valid < calls/6 {
			t.Errorf("%s: only %d of %d arguments are valid", j.name, valid, calls)
		}
	}
	t.Logf("%d accepted, %d refused, by both", accepted, refused)
	for i, e := range exceptions {
		t.Logf("%d refused because %s", excused[i], e.name)
	}
	if refused < accepted/4 {
		t.Error("too few arguments are refused")
	}
}

// raced reports whether the race detector is on, which takes time and has little to see here.
func raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// TestExceptions shows each of the exceptions.
func TestExceptions(t *testing.T) {
	judges := make(map[string]*judge)
	for _, tool := range strict {
		judges[tool.tool.Name] = newJudge(t, tool.tool, tool.handle)
	}
	seen := make([]bool, len(exceptions))
	for _, test := range []struct{ tool, text string }{
		{"largest", `{"first":1,"first":1}`},
		{"echo_numbers", `{"exact":1,"number":1e400}`},
		{"echo_numbers", `{"exact":1e5000,"number":1}`},
		{"echo_numbers", `{"exact":` + strings.Repeat("7", 4097) + `,"number":1}`},
		{"echo_tree", `{"tree":` + strings.Repeat(`{"value":1,"kids":[`, 100) + strings.Repeat(`]}`, 100) + `}`},
		{"echo_open", "{\"s\":\"\xff\"}"},
		{"echo_collections", strings.Replace(collections, `"days":{`, `"days":{"32768":true`, 1)},
		{"echo_quoted", `{"bool":"true","int":"1","uint":"256","float":"1"}`},
		{"echo_optional", `{"length":"9999999h"}`},
		{"echo_collections", strings.Replace(collections, `"hosts":{`, `"hosts":{"here":""`, 1)},
		{"echo_collections", strings.Replace(collections, `"hosts":{`, `"hosts":{"::1":"","0::1":""`, 1)},
		{"echo_optional", `{"time":"2024-02-29T+1:00:00Z"}`},
		{"echo_collections", strings.Replace(collections, `"blobs":[`, `"blobs":["YQ==\n"`, 1)},
		{"echo_limits", `{"int":1,"uint":10,"float":0,"single":0,"big":0,"number":0,"text":"ab","bytes":"AAAAAAAA","list":[1],"map":{"a":true},"code":"a1","loose":"1ab"}`},
		{"largest", `{"first":1e20}`},
		{"echo_one", `{"id":1,"name":"","open":true}`},
		{"echo_steps", `{"minutes":0,"price":0,"tenth":0,"big":0,"exact":0,"share":1e-400,"rate":0,"count":4,"text":0}`},
		{"echo_formats", `{"email":"@example.com"}`},
		{"echo_states", `{"s":{"now":"new","past":["new",0],"times":{},"quoted":"0","some":"new"}}`},
	} {
		v := judges[test.tool].judge(t, test.text)
		if v.excuse < 0 {
			t.Errorf("%s %s is no exception", test.tool, test.text)
			continue
		}
		seen[v.excuse] = true
	}
	for i, e := range exceptions {
		if !seen[i] {
			t.Errorf("never seen: %s", e.name)
		}
	}
}

// collections are arguments of the tool echo_collections.
const collections = `{"strings":[],"matrix":[],"pair":[0,0],"digest":[1,2,3],"blobs":[],"points":[],"pointers":[],"units":[],` +
	`"counts":{},"names":{},"levels":{},"days":{},"ports":{},"hosts":{},"Nested":{}}`

// FuzzSchemas does what TestSchemas does with the arguments that fuzzing finds.
func FuzzSchemas(f *testing.F) {
	var judges []*judge
	for i, tool := range strict {
		j := newJudge(f, tool.tool, tool.handle)
		judges = append(judges, j)
		s := newSource(rand.New(rand.NewPCG(1, uint64(i))), j.input, 0)
		for range 3 {
			f.Add(uint8(i), s.value(j.input, 0))
		}
	}
	f.Fuzz(func(t *testing.T, tool uint8, text string) {
		if hugeExponent.MatchString(text) {
			return // the library does not take it
		}
		judges[int(tool)%len(judges)].judge(t, text)
	})
}

var hugeExponent = regexp.MustCompile(`[eE][-+]?[0-9]{4,}`)
