// Package report shows the differences between two versions: as text for a terminal, as Markdown, and as a page.
package report

// A Report is the differences between two versions.
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

// Add adds a change to the last subject, or to a new one if the subject differs.
func (s *Section) Add(what, name string, c Change) {
	if n := len(s.Subjects); n == 0 || s.Subjects[n-1].What != what || s.Subjects[n-1].Name != name {
		s.Subjects = append(s.Subjects, Subject{What: what, Name: name})
	}
	last := &s.Subjects[len(s.Subjects)-1]
	last.Changes = append(last.Changes, c)
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

// Arrow returns the text of a change from old to new, either of which may be empty.
func Arrow(old, new string) string {
	if old == "" || new == "" {
		return old + new
	}
	return old + " → " + new
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
