package main

import "strings"

// explain gives rows without a test their reasons. It comes after cite.
func (d *document) explain(text string) error {
	type entry struct {
		at     place
		area   *area
		reason string
	}
	var wrong problems
	var whole []entry // areas, which come last
	at := place{file: reasonsFile}
	for line := range strings.Lines(text) {
		at.line++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		list, reason, _ := strings.Cut(line, ":")
		reason = strings.TrimSpace(reason)
		if len(names(list)) == 0 || reason == "" {
			wrong.add(at, "want rows, a colon and a reason")
			continue
		}
		for _, name := range names(list) {
			if a := d.area(name); a != nil {
				whole = append(whole, entry{at, a, reason})
				continue
			}
			for _, r := range d.span(name, at, &wrong) {
				switch {
				case r.covered():
					wrong.add(at, "unused entry: %s is covered by %v", r.id, r.always[0])
				case r.reason != "":
					wrong.add(at, "unused entry: %s has a reason already", r.id)
				default:
					r.reason = reason
				}
			}
		}
	}
	for _, e := range whole {
		used := false
		for _, r := range e.area.rows {
			if !r.covered() && r.reason == "" {
				r.reason, used = e.reason, true
			}
		}
		if !used {
			wrong.add(e.at, "unused entry: every row of %s is covered or has a reason already", e.area.name)
		}
	}
	return wrong.err()
}

// span returns the rows that an ID or a range names.
func (d *document) span(name string, at place, wrong *problems) []*row {
	first, last, isRange := strings.Cut(name, "..")
	if !isRange {
		last = first
	}
	for _, id := range []string{first, last} {
		if d.rows[id] == nil {
			wrong.add(at, "%s", d.unknown(id))
			return nil
		}
	}
	for _, a := range d.areas {
		for i, r := range a.rows {
			if r.id != first {
				continue
			}
			for j, r := range a.rows[i:] {
				if r.id == last {
					return a.rows[i : i+j+1]
				}
			}
		}
	}
	wrong.add(at, "%s does not follow %s in its area", last, first)
	return nil
}
