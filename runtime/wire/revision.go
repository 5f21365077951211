package wire

import (
	"errors"
	"strconv"
)

// A Revision is a revision of the protocol, whose date is written as a number: 20250618 is "2025-06-18". Revisions
// compare as numbers. Any date is accepted, so that a new revision needs no change here; which ones exist is known to
// generated code.
type Revision uint32

// Any is no particular revision: the zero value. Encoding for Any leaves nothing out, and does not check what only
// some revisions require.
const Any Revision = 0

// ParseRevision reads a revision from its name, such as "2025-06-18".
func ParseRevision(name string) (Revision, error) {
	bad := func() (Revision, error) {
		return 0, errors.New("wire: protocol revision " + quote(name) + " is not a date such as 2025-06-18")
	}
	if len(name) != 10 || name[4] != '-' || name[7] != '-' {
		return bad()
	}
	var r Revision
	for i := range len(name) {
		switch c := name[i]; {
		case i == 4 || i == 7:
		case c < '0' || c > '9':
			return bad()
		default:
			r = r*10 + Revision(c-'0')
		}
	}
	if month, day := r/100%100, r%100; month < 1 || month > 12 || day < 1 || day > 31 {
		return bad()
	}
	return r, nil
}

// String returns the revision's name, "2025-06-18", or "any".
func (r Revision) String() string {
	if r == Any {
		return "any"
	}
	digits := strconv.Itoa(100000000 + int(r))[1:]
	return digits[:4] + "-" + digits[4:6] + "-" + digits[6:]
}

// Since reports whether r is from or later, or [Any].
func (r Revision) Since(from Revision) bool { return r == Any || r >= from }

// Before reports whether r is earlier than until, as [Any] is.
func (r Revision) Before(until Revision) bool { return r < until }

// A Span is a range of revisions, from From to the last one before Until. Until is zero for what the newest revision
// still has.
type Span struct{ From, Until Revision }

// Has reports whether r is in the span. [Any] is in every span.
func (s Span) Has(r Revision) bool {
	return r.Since(s.From) && (s.Until == 0 || r.Before(s.Until))
}

// String returns the span for messages: "since 2025-06-18".
func (s Span) String() string {
	switch {
	case s == Span{}:
		return "in every revision"
	case s.Until == 0:
		return "since " + s.From.String()
	case s.From == 0:
		return "before " + s.Until.String()
	}
	return "since " + s.From.String() + " and before " + s.Until.String()
}
