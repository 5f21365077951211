package limit

import (
	"fmt"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
)

// describe returns what a rate allows: "at most 5 calls a second of the tool "search" by one client". The tool may
// be empty. HTTP says that the rate applies to HTTP requests.
func (r *rateRule) describe(tool string, http bool) string {
	what := r.noun()
	if http {
		what = "HTTP requests"
	}
	s := fmt.Sprintf("at most %d %s %s%s", r.N, what, period(r.Per), r.of(tool))
	if r.Burst != r.N {
		s += fmt.Sprintf(", at most %d at once", r.Burst)
	}
	return s
}

// unlimited is a Queue without a limit.
var unlimited = option.Limit(-1, 0)

func period(d time.Duration) string {
	switch d {
	case time.Second:
		return "a second"
	case time.Minute:
		return "a minute"
	case time.Hour:
		return "an hour"
	case 24 * time.Hour:
		return "a day"
	}
	return "in " + d.String()
}

// describe returns what a concurrency allows.
func (r *gateRule) describe(tool string) string {
	s := fmt.Sprintf("at most %d %s at the same time%s", r.Max, r.noun(), r.of(tool))
	if r.Queue > 0 && r.Queue < unlimited {
		s += fmt.Sprintf(", and at most %d that wait", r.Queue)
	}
	return s
}

// noun returns a word for the requests that a rule applies to.
func (s *scope) noun() string {
	if len(s.methods) == 0 {
		return "calls"
	}
	return "requests"
}

// of returns the text that says what the requests are for, and who sends them.
func (s *scope) of(tool string) string {
	var b strings.Builder
	switch {
	case tool != "":
		fmt.Fprintf(&b, " of the tool %q", tool)
	case len(s.tools) == 1:
		fmt.Fprintf(&b, " of the tool %q", s.tools[0])
	case len(s.tools) > 1:
		b.WriteString(" of the tools " + excerpt.Of(strings.Join(s.tools, ", ")))
	case s.by&Tool != 0:
		b.WriteString(" of one tool")
	}
	for _, part := range [...]struct {
		by   By
		text string
	}{{Client, " by one client"}, {Session, " in one session"}, {Address, " from one address"}} {
		if s.by&part.by != 0 {
			b.WriteString(part.text)
		}
	}
	return b.String()
}
