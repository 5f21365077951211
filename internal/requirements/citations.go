package main

import (
	"errors"
	"go/scanner"
	"go/token"
	"io/fs"
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// walk calls f for the files of the repository, but those of folders that the go command leaves out.
func walk(repository fs.FS, f func(name string, src []byte)) error {
	return fs.WalkDir(repository, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && strings.ContainsRune("._", rune(entry.Name()[0])) || entry.Name() == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		if ext := path.Ext(name); ext != ".go" && ext != ".txtar" {
			return nil
		}
		src, err := fs.ReadFile(repository, name)
		if err != nil {
			return err
		}
		f(name, src)
		return nil
	})
}

// cite notes, for every row, the tests that cite it, and those among them that run on every machine.
func (d *document) cite(repository fs.FS) error {
	var wrong problems
	skipped := folders{}
	err := walk(repository, func(name string, src []byte) {
		comments := commentsOf(name)
		if comments == nil {
			return
		}
		if strings.HasSuffix(name, ".go") {
			if err := skipped.of(name).add(name, src); err != nil {
				wrong = append(wrong, err)
			}
		}
		for line, text := range comments(src) {
			at := place{name, line}
			ids, err := cited(text)
			if err != nil {
				wrong.add(at, "%v", err)
			}
			for _, id := range ids {
				if r := d.rows[id]; r != nil {
					r.tests = append(r.tests, at)
				} else if !d.notes[id] {
					wrong.add(at, "%s", d.unknown(id))
				}
			}
		}
	})
	for _, s := range skipped {
		s.spread()
	}
	for _, r := range d.rows {
		for _, at := range r.tests {
			if s := skipped[path.Dir(at.file)]; s == nil || !s.at(at) {
				r.always = append(r.always, at)
			}
		}
	}
	return errors.Join(err, wrong.err())
}

// commentsOf returns the function that finds the lines of comments, with their numbers, in a file
// of a name; nil if it is no test.
func commentsOf(name string) func(src []byte) iter.Seq2[int, string] {
	data := slices.Contains(strings.Split(path.Dir(name), "/"), "testdata")
	switch {
	case strings.HasSuffix(name, "_test.go") && !data:
		return goComments
	case strings.HasSuffix(name, ".txtar") && data:
		return archiveComment
	}
	return nil
}

func goComments(src []byte) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		file := token.NewFileSet().AddFile("", -1, len(src))
		var s scanner.Scanner
		s.Init(file, src, nil, scanner.ScanComments)
		for pos, tok, text := s.Scan(); tok != token.EOF; pos, tok, text = s.Scan() {
			if tok != token.COMMENT {
				continue
			}
			n := file.PositionFor(pos, false).Line
			for line := range strings.Lines(text) {
				if !yield(n, line) {
					return
				}
				n++
			}
		}
	}
}

// archiveComment finds the lines before the first file of a txtar archive.
func archiveComment(src []byte) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		n := 0
		for line := range strings.Lines(string(src)) {
			n++
			if strings.HasPrefix(line, "-- ") || !yield(n, line) {
				return
			}
		}
	}
}

var wordREQ = regexp.MustCompile(`\bREQ\b`)

// cited returns the IDs that a line of a comment cites.
func cited(line string) ([]string, error) {
	line = strings.Trim(line, "/*# \t\r\n")
	list, ok := strings.CutPrefix(line, "REQ ")
	if !ok {
		if wordREQ.MatchString(line) {
			return nil, errors.New("REQ must begin its line, and IDs must follow it")
		}
		return nil, nil
	}
	list, _, _ = strings.Cut(list, ":") // what follows says how the test shows it
	if strings.HasSuffix(list, ",") {
		return nil, errors.New("nothing follows the last comma; a list that goes on needs REQ on each line")
	}
	return names(list), nil
}

// names splits a list that is separated by commas or spaces.
func names(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}
