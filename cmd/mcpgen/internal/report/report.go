// Package report shows what differs between two versions of something: as text for a terminal, as Markdown,
// and as a page.
package report

// A Report is what differs between two versions.
type Report struct {
	Old, New string // their names
	Summary  string
	Sections []Section
	Matrix   *Matrix // for the page
}

// A Section is a part of a report.
type Section struct {
	Title    string // none for the first
	Subjects []Subject
	Note     string // stands below them
}

// A Subject is what changes are about: a method, a type with its members, a tool.
type Subject struct {
	What    string
	Name    string
	Changes []Change
}

// A Change is one difference.
type Change struct {
	Kind   string // added, removed, changed or deprecated
	Text   string // without the name of the subject
	Whole  bool   // it is about all of the subject
	Breaks string // whom it breaks, and why; empty if nobody
}

// alone reports whether a subject fits on the line of its only change.
func (s Subject) alone() bool { return len(s.Changes) == 1 && s.Changes[0].Whole }

// Mark returns what the line of a change begins with.
func (c Change) Mark() string {
	switch c.Kind {
	case "added":
		return "+"
	case "removed":
		return "-"
	case "deprecated":
		return "!"
	}
	return "~"
}
