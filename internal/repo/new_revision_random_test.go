package repo

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generator/bindings"
	"github.com/mcpgen/mcpgen/internal/protocol"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/parser"
	"github.com/mcpgen/mcpgen/schema"
)

var revisionSeed = flag.Uint64("revision.seed", 0, "of the new revision that is made at random; 0: another one each time")

// seedOfRevision returns the seed, which it logs.
func seedOfRevision(t *testing.T) uint64 {
	t.Helper()
	seed := *revisionSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("to have the same revision again: -revision.seed %d", seed)
	return seed
}

// randomOfficial makes a later revision of a schema at random: it has more methods, arms of unions, members and values
// of enums.
func randomOfficial(schema string, seed uint64) *revisionMaker {
	r := &revisionMaker{Rand: rand.New(rand.NewPCG(seed, 0)), text: schema}
	for range 1 + r.IntN(2) {
		r.method()
	}
	for range 1 + r.IntN(2) {
		r.arm()
	}
	for range 3 + r.IntN(5) {
		r.member()
	}
	for range 1 + r.IntN(3) {
		r.value()
	}
	return r
}

type revisionMaker struct {
	*rand.Rand
	text  string
	names int
}

// name returns a name that the schema does not have.
func (r *revisionMaker) name(prefix string) string {
	r.names++
	return fmt.Sprintf("%s%c%c%d", prefix, 'A'+rune(r.IntN(26)), 'a'+rune(r.IntN(26)), r.names)
}

// insert writes a text behind one of the places that an expression finds.
func (r *revisionMaker) insert(place, text string) {
	found := regexp.MustCompile(place).FindAllStringIndex(r.text, -1)
	at := found[r.IntN(len(found))][1]
	r.text = r.text[:at] + text + r.text[at:]
}

// typ returns a type.
func (r *revisionMaker) typ() string {
	all := []string{
		"string", "number", "boolean", "string[]", "number[]", "unknown", `"one" | "two"`, `"one" | string`, "{ a: string; b?: number }",
		"{ [key: string]: string }", "Record<string, unknown>", "Role", "Icon", "Icon[]", "Annotations", "ContentBlock", "ContentBlock[]",
	}
	for {
		if t := all[r.IntN(len(all))]; r.has(strings.TrimSuffix(t, "[]")) {
			return t
		}
	}
}

// has reports whether the schema has a type of that name. What is no name, it has.
func (r *revisionMaker) has(name string) bool {
	return !regexp.MustCompile(`^[A-Z]\w*$`).MatchString(name) || regexp.MustCompile(`\b(interface|type) `+name+`\b`).MatchString(r.text)
}

// members returns some members, the first of which is required.
func (r *revisionMaker) members() string {
	var b strings.Builder
	for i := range 1 + r.IntN(3) {
		optional := "?"
		if i == 0 {
			optional = ""
		}
		fmt.Fprintf(&b, "  /** New. */\n  %s%s: %s;\n", r.name("part"), optional, r.typ())
	}
	return b.String()
}

// method adds a request of clients.
func (r *revisionMaker) method() {
	name := r.name("Weigh")
	r.insert(`(?m)^export type ClientRequest =\n`, "  | "+name+"Request\n")
	r.insert(`(?m)^export type ServerResult =\n`, "  | "+name+"Result\n")
	r.text += fmt.Sprintf(`
/** New. */
export interface %[1]sRequestParams extends RequestParams {
%[2]s}

/** New. */
export interface %[1]sRequest extends JSONRPCRequest {
  /** New. */
  method: "%[3]s/weigh";
  /** New. */
  params: %[1]sRequestParams;
}

/** New. */
export interface %[1]sResult extends Result {
%[4]s}

/** New. */
export interface %[1]sResultResponse extends JSONRPCResultResponse {
  /** New. */
  result: %[1]sResult;
}
`, name, r.members(), strings.ToLower(name), r.members())
}

// arm adds an arm to a union of content.
func (r *revisionMaker) arm() {
	name := r.name("Novel")
	r.insert(`(?m)^export type (ContentBlock|SamplingMessageContentBlock) =\n`, "  | "+name+"\n")
	r.text += fmt.Sprintf("\n/** New. */\nexport interface %s {\n  /** New. */\n  type: %q;\n%s}\n", name, strings.ToLower(name), r.members())
}

// member adds an optional member to an interface.
func (r *revisionMaker) member() {
	r.insert(`(?m)^export interface (Annotations|BaseMetadata|CallToolResult|ClientCapabilities|CreateMessageRequestParams|CreateMessageResult|ElicitRequestFormParams|`+
		`ElicitResult|GetPromptResult|Icon|Implementation|ListToolsResult|ModelPreferences|Prompt|PromptArgument|PromptMessage|Resource|ResourceContents|ResourceTemplate|`+
		`Root|ServerCapabilities|TextContent|Tool|ToolAnnotations|ToolChoice)\b[^{]*\{\n`,
		fmt.Sprintf("  /** New. */\n  %s?: %s;\n", r.name("part"), r.typ()))
}

// value adds a value to an enum.
func (r *revisionMaker) value() {
	r.insert(`(?m)^export type (Role|LoggingLevel|ResultType) =\n|^  (action|includeContext|mode|cacheScope|theme)\??:\n`,
		fmt.Sprintf("  | %q\n", strings.ToLower(r.name("value"))))
}

// rename gives an interface another name, which the table of exceptions must know.
func (r *revisionMaker) rename() (from, to string) {
	all := []string{"ModelPreferences", "PromptArgument", "ToolAnnotations", "Icon", "Annotations", "SamplingMessage", "ToolChoice"}
	for !r.has(from) || from == "" {
		from = all[r.IntN(len(all))]
	}
	to = r.name(from)
	r.text = regexp.MustCompile(`\b`+from+`\b`).ReplaceAllString(r.text, to)
	return from, to
}

// TestRandomRevision merges revisions that are made at random, and generates their code.
func TestRandomRevision(t *testing.T) {
	newest := schema.Revisions()[len(schema.Revisions())-1].Name
	src, err := schema.Source(newest)
	if err != nil {
		t.Fatal(err)
	}
	date, err := time.Parse(time.DateOnly, newest)
	if err != nil {
		t.Fatal(err)
	}
	seed := seedOfRevision(t)
	for i := range uint64(12) {
		var all []*model.Schema
		for _, r := range schema.Revisions() {
			s, err := protocol.Lowered(r.Name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		f, err := parser.Parse("later.ts", []byte(randomOfficial(string(src), seed+i).text))
		if err != nil {
			t.Fatal(seed+i, err)
		}
		later, err := model.Lower(date.AddDate(0, 6, 0).Format(time.DateOnly), f)
		if err != nil {
			t.Fatal(seed+i, err)
		}
		merged, err := model.Merge(append(all, later)...)
		if err != nil {
			t.Error(seed+i, err)
			continue
		}
		if _, err := bindings.Generate(merged, bindings.Options{Package: "mcp"}); err != nil {
			t.Error(seed+i, err)
		}
	}
}
