package wire

import "errors"

// A Revision is a revision of the protocol, whose date is written as a number: 20250618 is "2025-06-18". Revisions
// compare as numbers. Any date is accepted, so that a new revision needs no change here; which ones exist is known to
// generated code.
type Revision uint32

// Any is no particular revision: the zero value. Encoding for Any leaves nothing out, and does not check what only
// some revisions require.
const Any Revision = 0

// ParseRevision reads a revision from its name, such as "2025-06-18".
func ParseRevision(name string) (Revision, error) {
	switch {
	case name == "":
		return 0, errNoRevision
	case len(name) != 10 || name[4] != '-' || name[7] != '-':
		return 0, errNotRevision(name)
	}
	var r Revision
	for i := range len(name) {
		switch c := name[i]; {
		case i == 4 || i == 7:
		case c < '0' || c > '9':
			return 0, errNotRevision(name)
		default:
			r = r*10 + Revision(c-'0')
		}
	}
	if month, day := r/100%100, r%100; month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, errNotRevision(name)
	}
	return r, nil
}

// errNoRevision is the error for no name at all. It is made once, since the requests of clients that name no revision are
// many, and its text is seldom read.
var errNoRevision = errNotRevision("")

func errNotRevision(name string) error {
	return errors.New("wire: protocol revision " + quote(name) + " is not a date such as 2025-06-18")
}

// String returns the revision's name, "2025-06-18", or "any".
func (r Revision) String() string {
	if r == Any {
		return "any"
	}
	b := []byte("0000-00-00")
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] != '-' {
			b[i] += byte(r % 10)
			r /= 10
		}
	}
	return string(b)
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
