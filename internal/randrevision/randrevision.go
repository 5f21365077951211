// Package randrevision makes revisions of the protocol that nobody has seen, for tests of what the next one needs.
package randrevision

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// A Revision is a later revision of a schema.
type Revision struct {
	*rand.Rand
	Text  string
	names int
}

// Make makes a later revision of a schema at random: it has more methods, arms of unions, members and values of enums.
func Make(schema string, seed uint64) *Revision {
	r := &Revision{Rand: rand.New(rand.NewPCG(seed, 0)), Text: schema}
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

// name returns a name that the schema does not have, which may have been made by this package.
func (r *Revision) name(prefix string) string {
	for {
		r.names++
		name := fmt.Sprintf("%s%c%c%d", prefix, 'A'+rune(r.IntN(26)), 'a'+rune(r.IntN(26)), r.names)
		if !strings.Contains(r.Text, name) {
			return name
		}
	}
}

// insert writes a text behind one of the places that an expression finds.
func (r *Revision) insert(place, text string) {
	found := regexp.MustCompile(place).FindAllStringIndex(r.Text, -1)
	at := found[r.IntN(len(found))][1]
	r.Text = r.Text[:at] + text + r.Text[at:]
}

// typ returns a type.
func (r *Revision) typ() string {
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
func (r *Revision) has(name string) bool {
	return !regexp.MustCompile(`^[A-Z]\w*$`).MatchString(name) || regexp.MustCompile(`\b(interface|type) `+name+`\b`).MatchString(r.Text)
}

// members returns some members, the first of which is required.
func (r *Revision) members() string {
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
func (r *Revision) method() {
	name := r.name("Weigh")
	r.insert(`(?m)^export type ClientRequest =\n`, "  | "+name+"Request\n")
	r.insert(`(?m)^export type ServerResult =\n`, "  | "+name+"Result\n")
	r.Text += fmt.Sprintf(`
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
func (r *Revision) arm() {
	name := r.name("Novel")
	r.insert(`(?m)^export type (ContentBlock|SamplingMessageContentBlock) =\n`, "  | "+name+"\n")
	r.Text += fmt.Sprintf("\n/** New. */\nexport interface %s {\n  /** New. */\n  type: %q;\n%s}\n", name, strings.ToLower(name), r.members())
}

// member adds an optional member to an interface.
func (r *Revision) member() {
	r.insert(`(?m)^export interface (Annotations|BaseMetadata|CallToolResult|ClientCapabilities|CreateMessageRequestParams|CreateMessageResult|ElicitRequestFormParams|`+
		`ElicitResult|GetPromptResult|Icon|Implementation|ListToolsResult|ModelPreferences|Prompt|PromptArgument|PromptMessage|Resource|ResourceContents|ResourceTemplate|`+
		`Root|ServerCapabilities|TextContent|Tool|ToolAnnotations|ToolChoice)\b[^{]*\{\n`,
		fmt.Sprintf("  /** New. */\n  %s?: %s;\n", r.name("part"), r.typ()))
}

// value adds a value to an enum.
func (r *Revision) value() {
	r.insert(`(?m)^export type (Role|LoggingLevel|ResultType) =\n|^  (action|includeContext|mode|cacheScope|theme)\??:\n`,
		fmt.Sprintf("  | %q\n", strings.ToLower(r.name("value"))))
}

// Rename gives an interface another name, which the table of exceptions must know.
func (r *Revision) Rename() (from, to string) {
	all := []string{"ModelPreferences", "PromptArgument", "ToolAnnotations", "Icon", "Annotations", "SamplingMessage", "ToolChoice"}
	for !r.has(from) || from == "" {
		from = all[r.IntN(len(all))]
	}
	to = r.name(from)
	r.Text = regexp.MustCompile(`\b`+from+`\b`).ReplaceAllString(r.Text, to)
	return from, to
}
