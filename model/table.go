package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// An action is what an exception does to the model.
type action string

const (
	rename     action = "rename"     // the type At is called To
	trim       action = "trim"       // the types whose names begin with At are called without it
	fractions  action = "fractions"  // numbers in the type At need not be whole
	name       action = "name"       // the inline type at At is called To; a base of that name gives way
	extend     action = "extend"     // the inline object at At also has the members of To
	inline     action = "inline"     // the named type at At becomes an inline copy of it
	retype     action = "retype"     // the member At has the type To
	split      action = "split"      // the interface At is the union of To (without the member Drop) and Else
	raw        action = "raw"        // the value at At keeps its bytes
	ordered    action = "ordered"    // the map at At keeps the order of its keys
	absence    action = "absence"    // the member At, absent, means To
	fill       action = "fill"       // the member At is written as To where a revision requires it
	pointer    action = "pointer"    // the string At is a pointer: empty is not absent
	drop       action = "drop"       // without its own optional keys, the arm At is decoded as To
	answer     action = "answer"     // the type To may answer the request At
	covers     action = "covers"     // the method At needs the capability To
	nameParam  action = "nameParam"  // the member To of the params of the method At goes into the header Mcp-Name
	everywhere action = "everywhere" // the member At is written in revisions, too, that do not declare it
	key        action = "key"        // the type At is the value of metadata at the key To
	code       action = "code"       // the response to the request At may have the error code To
	asMap      action = "map"        // the object At, whose members are of one type, is a map of it
	flat       action = "flat"       // the union of objects At, a type or a member, is one object
	sent       action = "sent"       // the request or notification At is sent by To, "client" or "server"
)

// An exception is a fact that the rules of this package cannot derive from a schema. At is a path from a
// declaration: "Tool.inputSchema"; a member is found under the type that declares it.
type exception struct {
	do        action
	at        string
	to        any
	otherwise string    // split: the other arm
	drop      string    // split: the member that To does not have
	from      string    // the first revision that it applies to
	until     string    // the first revision after them; empty: there is none
	when      condition // what else is in the run
	reason    string
}

// An errorCode is an error code that only the prose of the specification has.
type errorCode struct{ name, value, doc string }

// A condition says which other revisions must be in the run.
type condition int

const (
	always  condition = iota
	earlier           // a revision before those that the exception applies to
	later             // a revision after them
	last              // no revision after them
)

// table lists all exceptions.
var table = []exception{
	{do: rename, at: "ResourceReference", to: "ResourceTemplateReference", from: "2024-11-05", until: "2025-06-18",
		reason: "renamed in 2025-06-18; the wire is the same"},
	{do: name, at: "Annotated.annotations", to: "Annotations", from: "2024-11-05", until: "2025-03-26", when: last,
		reason: "the type that 2025-03-26 declares for the same member"},
	{do: name, at: "ReadResourceResult.contents", to: "ResourceContents", from: "2024-11-05",
		reason: "the base of both arms, which nothing else names, says what they are"},
	{do: name, at: "EmbeddedResource.resource", to: "ResourceContents", from: "2024-11-05",
		reason: "the base of both arms, which nothing else names, says what they are"},
	{do: name, at: "CacheableResult.cacheScope", to: "CacheScope", from: "2026-07-28",
		reason: "five results have it, none of them called CacheableResult in Go"},

	{do: extend, at: "GetTaskRequest.params", to: "RequestParams", from: "2025-11-25", until: "2026-07-28",
		reason: "inline params override those of the base, and _meta with them"},
	{do: extend, at: "GetTaskPayloadRequest.params", to: "RequestParams", from: "2025-11-25", until: "2026-07-28",
		reason: "inline params override those of the base, and _meta with them"},
	{do: extend, at: "CancelTaskRequest.params", to: "RequestParams", from: "2025-11-25", until: "2026-07-28",
		reason: "inline params override those of the base, and _meta with them"},
	{do: extend, at: "ElicitationCompleteNotification.params", to: "NotificationParams", from: "2025-11-25", until: "2026-07-28",
		reason: "inline params override those of the base, and _meta with them"},

	{do: inline, at: "ListRootsRequest.params", to: "RequestParams", from: "2025-11-25", until: "2026-07-28", when: later,
		reason: "the params of 2026-07-28 are an inline type of their own"},
	{do: retype, at: "ListRootsRequest.params._meta", to: "RequestMetaObject", from: "2026-07-28", when: earlier,
		reason: "through 2025-11-25 it carries a progress token"},
	{do: split, at: "EnumSchema", to: "UntitledSingleSelectEnumSchema", drop: "enumNames", otherwise: "LegacyTitledEnumSchema",
		from: "2025-06-18", until: "2025-11-25", when: later,
		reason: "one interface became a union; it was these two of its arms"},

	{do: raw, at: "Tool.inputSchema", from: "2024-11-05", reason: "a JSON Schema: the order of its keys and unknown keywords count"},
	{do: raw, at: "Tool.outputSchema", from: "2025-06-18", reason: "a JSON Schema: the order of its keys and unknown keywords count"},
	{do: raw, at: "CallToolRequestParams.arguments", from: "2024-11-05", reason: "decoded by the tool; numbers stay exact"},
	{do: raw, at: "ToolUseContent.input", from: "2025-11-25", reason: "arguments of a tool; numbers stay exact"},
	{do: raw, at: "CallToolResult.structuredContent", from: "2025-06-18", reason: "decoded by the caller; numbers stay exact"},
	{do: raw, at: "ToolResultContent.structuredContent", from: "2025-11-25", reason: "decoded by the caller; numbers stay exact"},
	{do: raw, at: "CreateMessageRequestParams.metadata", from: "2024-11-05", reason: "the provider's own object"},
	{do: raw, at: "ClientCapabilities.experimental[]", from: "2024-11-05", reason: "settings that the protocol does not define"},
	{do: raw, at: "ServerCapabilities.experimental[]", from: "2024-11-05", reason: "settings that the protocol does not define"},
	{do: raw, at: "ClientCapabilities.extensions[]", from: "2026-07-28", reason: "settings that the extension defines"},
	{do: raw, at: "ServerCapabilities.extensions[]", from: "2026-07-28", reason: "settings that the extension defines"},
	{do: everywhere, at: "ClientCapabilities.extensions", from: "2026-07-28", when: earlier, reason: "clients of older revisions declare extensions in initialize, as the overview of extensions says"},
	{do: everywhere, at: "ServerCapabilities.extensions", from: "2026-07-28", when: earlier, reason: "servers of older revisions declare extensions in initialize, as the overview of extensions says"},
	{do: ordered, at: "ElicitRequestFormParamsRequestedSchema.properties", from: "2025-11-25", reason: "forms show their fields in this order"},
	{do: ordered, at: "ElicitRequestParamsRequestedSchema.properties", from: "2025-06-18", until: "2025-11-25", when: last, reason: "forms show their fields in this order"},

	{do: absence, at: "ToolAnnotations.readOnlyHint", to: false, from: "2025-03-26", reason: "documented in prose only"},
	{do: absence, at: "ToolAnnotations.destructiveHint", to: true, from: "2025-03-26", reason: "documented in prose only"},
	{do: absence, at: "ToolAnnotations.idempotentHint", to: false, from: "2025-03-26", reason: "documented in prose only"},
	{do: absence, at: "ToolAnnotations.openWorldHint", to: true, from: "2025-03-26", reason: "documented in prose only"},
	{do: absence, at: "ToolResultContent.isError", to: false, from: "2025-11-25", reason: "documented in prose only"},
	{do: absence, at: "ToolExecution.taskSupport", to: "forbidden", from: "2025-11-25", until: "2026-07-28", reason: "documented in prose only"},
	{do: absence, at: "CreateMessageRequestParams.includeContext", to: "none", from: "2024-11-05", reason: "documented in prose only"},
	{do: absence, at: "ToolChoice.mode", to: "auto", from: "2025-11-25", reason: "documented in prose only"},

	{do: absence, at: "Result.resultType", to: "complete", from: "2026-07-28", reason: "servers of older revisions leave it out"},
	{do: absence, at: "InputRequiredResult.resultType", to: "input_required", from: "2026-07-28", reason: "the only value that it can have"},

	{do: fill, at: "Result.resultType", to: "complete", from: "2026-07-28", reason: "what every result is that asks for nothing more"},
	{do: fill, at: "InputRequiredResult.resultType", to: "input_required", from: "2026-07-28", reason: "the value by which it is told apart"},
	{do: fill, at: "CacheableResult.ttlMs", to: 0, from: "2026-07-28", reason: "not to be cached"},
	{do: fill, at: "CacheableResult.cacheScope", to: "private", from: "2026-07-28", reason: "the safe one of the two"},

	{do: pointer, at: "InputRequiredResult.requestState", from: "2026-07-28", reason: "opaque: empty is a state too"},
	{do: pointer, at: "InputResponseRequestParams.requestState", from: "2026-07-28", reason: "opaque: empty is a state too"},
	{do: pointer, at: "StringSchema.default", from: "2025-11-25", reason: "the empty string is a default too"},
	{do: pointer, at: "UntitledSingleSelectEnumSchema.default", from: "2025-11-25", reason: "the empty string is a default too"},
	{do: pointer, at: "TitledSingleSelectEnumSchema.default", from: "2025-11-25", reason: "the empty string is a default too"},
	{do: pointer, at: "LegacyTitledEnumSchema.default", from: "2025-11-25", reason: "the empty string is a default too"},

	{do: drop, at: "LegacyTitledEnumSchema", to: "UntitledSingleSelectEnumSchema", from: "2025-11-25",
		reason: "without enumNames they are the same object"},

	{do: answer, at: "CallToolRequest", to: "CreateTaskResult", from: "2025-11-25", until: "2026-07-28", reason: "where params.task asks for a task"},
	{do: answer, at: "CreateMessageRequest", to: "CreateTaskResult", from: "2025-11-25", until: "2026-07-28", reason: "where params.task asks for a task"},
	{do: answer, at: "ElicitRequest", to: "CreateTaskResult", from: "2025-11-25", until: "2026-07-28", reason: "where params.task asks for a task"},

	{do: covers, at: "completion/complete", to: "completions", from: "2025-03-26", reason: "the capability is called otherwise"},
	{do: covers, at: "notifications/message", to: "logging", from: "2024-11-05", reason: "the capability is called otherwise"},
	{do: covers, at: "resources/unsubscribe", to: "resources.subscribe", from: "2024-11-05", until: "2026-07-28", reason: "one capability for both"},
	{do: covers, at: "notifications/resources/updated", to: "resources.subscribe", from: "2024-11-05", reason: "sent to subscribers"},
	{do: covers, at: "notifications/elicitation/complete", to: "elicitation.url", from: "2025-11-25", until: "2026-07-28", reason: "of URL mode only, and the client's capability"},

	// specification/2025-11-25/basic/utilities/tasks has the key, under Related Task Metadata.
	{do: key, at: "RelatedTaskMetadata", to: "io.modelcontextprotocol/related-task", from: "2025-11-25", until: "2026-07-28",
		reason: "the schema has the type of the value alone"},

	// specification/2025-11-25/server/resources has it, under Error Handling; since 2026-07-28 the code is that of invalid params.
	{do: code, at: "ReadResourceRequest", from: "2024-11-05", until: "2026-07-28", reason: "the schema has no constant for it",
		to: errorCode{"RESOURCE_NOT_FOUND", "-32002", "The code for a resource that does not exist."}},

	{do: nameParam, at: "tools/call", to: "name", from: "2026-07-28", reason: "the name of the tool"},
	{do: nameParam, at: "prompts/get", to: "name", from: "2026-07-28", reason: "the name of the prompt"},
	{do: nameParam, at: "resources/read", to: "uri", from: "2026-07-28", reason: "the URI of the resource"},
}

// headers lists the HTTP headers. The schemas do not have them: specification/2025-11-25/basic/transports does,
// under Session Management and Protocol Version Header, and
// specification/2026-07-28/basic/transports/streamable-http, under Request Metadata.
var headers = []struct {
	name, doc   string
	from, until string // as those of an exception
}{
	{name: "Mcp-Protocol-Version", doc: "the revision that a message follows", from: "2025-06-18"},
	{name: "Mcp-Session-Id", doc: "the session that a message belongs to", from: "2025-03-26", until: "2026-07-28"},
	{name: "Mcp-Method", doc: "the method of a request or notification", from: "2026-07-28"},
	{name: "Mcp-Name", doc: "what a request is about, the NameParam of its method", from: "2026-07-28"},
	{name: "Mcp-Param-", doc: "an argument of a tool, whose schema has the rest of the name", from: "2026-07-28"},
}

// headersOf returns the headers of a protocol with these revisions.
func headersOf(revs Revs) []*Header {
	var out []*Header
	for _, h := range headers {
		if during := (exception{from: h.from, until: h.until}).during(revs); len(during) > 0 {
			out = append(out, &Header{Name: h.name, Doc: h.doc, Revs: during})
		}
	}
	return out
}

// metaMember is the member for metadata. It carries what a schema does not know, and is also read in revisions that
// do not declare it.
const metaMember = "_meta"

// The few types of the protocol that code outside the table names: the unions by which a schema says who sends
// what, the capabilities of both sides, and three results.
const (
	clientRequest      = "ClientRequest"
	serverRequest      = "ServerRequest"
	clientNotification = "ClientNotification"
	serverNotification = "ServerNotification"
	clientResult       = "ClientResult"
	serverResult       = "ServerResult"
	inputRequest       = "InputRequest" // what a server asks inside a result
	inputResponse      = "InputResponse"
	clientCapabilities = "ClientCapabilities"
	serverCapabilities = "ServerCapabilities"
	emptyResult        = "EmptyResult"         // of a request that has no result of its own
	inputRequired      = "InputRequiredResult" // has the input requests
	cacheable          = "CacheableResult"     // what every result extends that says how long it may be kept
)

// checked is the newest revision against which the table was checked: up to there, an entry that
// is not used is an error.
const checked = "2026-07-28"

// exceptions is the table in one run, with the entries that were used.
type exceptions struct {
	table []exception
	revs  Revs // of the run
	used  []bool
}

func newExceptions(table []exception, revs Revs) *exceptions {
	return &exceptions{table, revs, make([]bool, len(table))}
}

// speaksOf reports whether the entry applies to a revision.
func (e exception) speaksOf(r string) bool { return e.from <= r && (e.until == "" || r < e.until) }

// during returns the revisions that the entry applies to.
func (e exception) during(revs Revs) Revs {
	return slices.DeleteFunc(slices.Clone(revs), func(r string) bool { return !e.speaksOf(r) })
}

// holds reports whether an entry applies to what is merged: to one of the revisions, while those around it are as its when says.
func (x *exceptions) holds(e exception) bool {
	if !slices.ContainsFunc(x.revs, e.speaksOf) {
		return false
	}
	newest := x.revs[len(x.revs)-1]
	switch e.when {
	case earlier:
		return x.revs[0] < e.from
	case later:
		return e.until != "" && newest >= e.until
	case last:
		return e.until == "" || newest < e.until
	}
	return true
}

// find returns the exception of a kind for a path, and marks it as used.
func (x *exceptions) find(do action, at string) (exception, bool) {
	for i, e := range x.table {
		if e.do == do && e.at == at && x.holds(e) {
			x.used[i] = true
			return e, true
		}
	}
	return exception{}, false
}

// each calls f for the exceptions of a kind that apply. Those that f could apply count as used.
func (x *exceptions) each(do action, f func(e exception) (applied bool)) {
	for i, e := range x.table {
		if e.do == do && x.holds(e) && f(e) {
			x.used[i] = true
		}
	}
}

// unused is the error for entries that apply in this run and were not needed: the schema has changed, or the entry
// is wrong.
func (x *exceptions) unused() error {
	var lines []string
	for i, e := range x.table {
		due := func(r string) bool { return e.speaksOf(r) && r <= checked }
		if !x.used[i] && x.holds(e) && slices.ContainsFunc(x.revs, due) {
			lines = append(lines, fmt.Sprintf("exception not used: %s %s (since %s): %s", e.do, e.at, e.from, e.reason))
		}
	}
	if lines == nil {
		return nil
	}
	return errors.New(strings.Join(lines, "\n"))
}
