package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// A diary keeps outcomes in a file, each on a line, so that a run which was interrupted goes on where it stopped. A nil
// diary keeps none.
type diary struct {
	file  *os.File
	pages map[string]page
}

// A page is what became of a mutant.
type page struct {
	Name    string // of the outcome
	Killer  string `json:",omitempty"`
	Timeout bool   `json:",omitempty"`
	Reached int
}

// openDiary reads the outcomes of a file, and makes it if there is none.
func openDiary(name string) (*diary, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	d := &diary{file, map[string]page{}}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		var p page
		if err := json.Unmarshal(line, &p); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		d.pages[p.Name] = p
	}
	return d, nil
}

func (d *diary) close() {
	if d != nil {
		d.file.Close() // each line was written by itself, and its error is known
	}
}

// recall completes an outcome, and reports whether it is known.
func (d *diary) recall(o *outcome) bool {
	if d == nil {
		return false
	}
	p, ok := d.pages[o.name()]
	if ok {
		o.killer, o.timeout, o.reached = p.Killer, p.Timeout, p.Reached
	}
	return ok
}

// write adds an outcome.
func (d *diary) write(o outcome) error {
	if d == nil {
		return nil
	}
	line, err := json.Marshal(page{o.name(), o.killer, o.timeout, o.reached})
	if err != nil {
		return err
	}
	_, err = d.file.Write(append(line, '\n'))
	return err
}
