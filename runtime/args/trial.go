package args

import "strings"

// The methods here are for code that reads a value more than once, such as package jsonschema.

// Trial returns a decoder that reads the same values next as d, without coercion, and keeps the problems to itself. What it reads
// is still to be read from d.
func (d *Decoder) Trial() *Decoder {
	trial := *d
	trial.coerce, trial.problems, trial.more = false, nil, 0
	return &trial
}

// Wrong reports whether there are problems. What is not JSON has none, but an error of [Decoder.Finish].
func (d *Decoder) Wrong() bool { return len(d.problems) > 0 && !d.w.Failed() }

// Report records the problems of a trial. Of several trials, one of which should have none, it records the first problem of each,
// as one.
func (d *Decoder) Report(trials ...*Decoder) {
	d.good = false
	first := trials[0]
	if len(trials) == 1 {
		for _, p := range first.problems {
			d.problem(p.offset, p.member, p.what)
		}
		d.more += first.more
		return
	}
	what := []string{first.problems[0].what}
	for _, trial := range trials[1:] {
		what = append(what, trial.line(trial.problems[0]))
	}
	d.problem(first.problems[0].offset, first.problems[0].member, strings.Join(what, "; or "))
}

// Problem records what is wrong with the value that was read last, or with a member that it lacks. If member is empty, it is the
// value.
func (d *Decoder) Problem(member, what string) { d.problem(d.start, member, what) }
