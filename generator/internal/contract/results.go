package contract

// The kinds of results that have no schema. A whole result is whatever the protocol has.
const (
	NoResult       = "none"
	TextResult     = "text"
	ContentResult  = "content"
	MessagesResult = "messages"
	BlobResult     = "blob"
	JSONResult     = "json" // its schema is that of the contents
	WholeResult    = "whole"
)

// The kinds that tools, prompts and resources have.
var (
	toolResults     = []string{ContentResult, NoResult, TextResult, WholeResult}
	promptResults   = []string{MessagesResult, TextResult, WholeResult}
	resourceResults = []string{BlobResult, ContentResult, JSONResult, TextResult, WholeResult}
)

// The kinds of results with a schema: without and with other content beside what the schema describes.
const (
	structured  = "structured"
	withContent = "structured with content"
)

// suffices reports whether callers who read results of one kind can read those of another.
func suffices(old, new string) bool {
	switch old {
	case new, "none":
		return true
	case "whole":
		return new != "none"
	case "content":
		return new == "text" || new == withContent
	case "messages":
		return new == "text"
	case structured: // who cannot read structured content still gets its JSON text
		return new == withContent
	case withContent:
		return new == structured
	}
	return false
}

// results compares the kinds of results, and the schemas of those that have one.
func (l *changes) results(path, was, is string, a, b *object) {
	if was != is {
		l.add(path, !suffices(was, is), "result changed from %s to %s", was, is).cure("return the same kind of result").forClient("regenerate, and read the result as it is now")
	}
	if a != nil && b != nil {
		l.schemas(path, a, b, true)
	}
}

// result returns the kind of a tool's result.
func (t *Tool) result() string {
	switch {
	case t.output == nil:
		return t.Result
	case t.Result != "":
		return withContent
	}
	return structured
}
