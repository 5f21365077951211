// Package transcript plays one transcript to two servers, an original and its port, and compares what they answer.
package transcript

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A Script is what a client says to both servers.
type Script struct {
	// Capabilities are the client's, as JSON; without them, it has none.
	Capabilities string
	// Renamed are the names of tools that the port spells in another way, by those of the original.
	Renamed map[string]string
	Steps   []Step
}

// A Step is one request of the client, or with Notify one notification.
type Step struct {
	// Name is that of the step in differences and messages; without it, it is the method and the name in the params.
	Name   string
	Method string
	// Params are a JSON object; "" is none.
	Params string
	Notify bool
	// Client has what the client answers to requests that the server sends meanwhile: results as JSON, by method.
	Client map[string]string
}

// Call returns the step that calls a tool. The arguments are JSON.
func Call(tool, arguments string) Step {
	return Step{Method: "tools/call", Params: fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments)}
}

// Named returns the step with another name.
func (s Step) Named(name string) Step {
	s.Name = name
	return s
}

// Asked returns the step with what the client answers to requests of a method meanwhile, as JSON.
func (s Step) Asked(method, result string) Step {
	answers := map[string]string{method: result}
	for m, r := range s.Client {
		answers[m] = r
	}
	s.Client = answers
	return s
}

// Lists returns the steps that list all that servers offer.
func Lists() []Step {
	return []Step{
		{Method: "tools/list"}, {Method: "prompts/list"}, {Method: "resources/list"}, {Method: "resources/templates/list"},
	}
}

// An exchange is what a server sends until it has answered a request: the response, and before it requests and
// notifications of its own.
type exchange struct {
	Step     string
	Result   any
	Error    any
	Messages []any
}

// value returns the exchange as one JSON value.
func (e exchange) value() map[string]any {
	v := map[string]any{"messages": e.Messages}
	if e.Error != nil {
		v["error"] = e.Error
	} else {
		v["result"] = e.Result
	}
	return v
}

// Compare plays the script to both servers at a revision of the protocol, and fails the test where answers differ
// otherwise than the differences say, or a difference is not met.
func Compare(t *testing.T, revision string, original, port Server, script Script, differences []Difference) {
	t.Helper()
	theirs := play(t, "original", original, revision, script, nil)
	ours := play(t, "port", port, revision, script, script.Renamed)
	r := newReport(revision, differences)
	for i := range theirs {
		r.add(theirs[i].Step, diff(theirs[i].value(), ours[i].value()))
	}
	r.tell(t)
}

// CompareJSON compares two JSON texts in the same way, for what servers leave behind. Paths begin in the texts.
func CompareJSON(t *testing.T, name string, original, port []byte, differences []Difference) {
	t.Helper()
	r := newReport("", differences)
	r.add(name, diff(decoded(t, string(original)), decoded(t, string(port))))
	r.tell(t)
}

// A report is about what differs but should not, and what should differ but does not.
type report struct {
	differences []Difference
	met         []bool
	wrong       []string
}

// newReport returns a report about the differences of a revision.
func newReport(revision string, differences []Difference) *report {
	differences = slices.DeleteFunc(slices.Clone(differences), func(d Difference) bool { return d.Revision != "" && d.Revision != revision })
	return &report{differences: differences, met: make([]bool, len(differences))}
}

// add adds what was found in one step.
func (r *report) add(step string, found []found) {
	for _, f := range found {
		i := slices.IndexFunc(r.differences, func(d Difference) bool { return d.covers(step, f) })
		if i < 0 {
			r.wrong = append(r.wrong, fmt.Sprintf("step %q, at %s:\noriginal %s\nport     %s", step, strings.Join(f.path, "."), f.original, f.port))
			continue
		}
		r.met[i] = true
	}
}

// tell fails the test if anything is wrong.
func (r *report) tell(t *testing.T) {
	t.Helper()
	for _, w := range r.all() {
		t.Error(w)
	}
}

// all returns what is wrong, with the differences that were not met.
func (r *report) all() []string {
	wrong := slices.Clone(r.wrong)
	for i, d := range r.differences {
		if !r.met[i] {
			wrong = append(wrong, fmt.Sprintf("no answers differ in this way: step %q, at %s: original %s, port %s: %s", d.Step, d.Path, d.Original, d.Port, d.Why))
		}
	}
	return wrong
}

// decoded returns a JSON value.
func decoded(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}
