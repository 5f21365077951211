package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// small is a list of two areas.
const small = `# Requirements

| Area | Rows |
|---|---|
| JRPC | 5 |

### JRPC — JSON-RPC base

| ID | Level | Side | Revisions | Requirement | Code |
|---|---|---|---|---|---|
| JRPC-01 | MUST | both | all | Answer. | — |
| JRPC-02 | MUST NOT | client | ≥25-06 | Say "public"\|"private". | -32600 / 400 |
| JRPC-03 | fact | server | 26-07 | Be. | — |
| JRPC-04 | fact | server | 26-07 | Be. | — |
| JRPC-05 | MAY | server | 26-07 | Be. | — |

### AUTH03 — A | B

| AUTH03-01 | SHOULD | auth server | 25-03 | Refuse. | 401 |

## Ambiguities

| AUTH03-02 | is no row here, as it is after the sections | |
| AMB-01 | may be cited | |
`

// small with tests and reasons.
func repository(test, reasons string) fstest.MapFS {
	return fstest.MapFS{
		"docs/requirements.md":            {Data: []byte(small)},
		"docs/requirements-uncovered.txt": {Data: []byte(reasons)},
		"docs/coverage.md":                {Data: []byte("# Coverage\n" + marker + "old\n")},
		"a/a_test.go":                     {Data: []byte(test)},
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if got != want {
		t.Errorf("got error\n%s\nwant\n%s", got, want)
	}
}

func TestParse(t *testing.T) {
	d, err := parse(small)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, a := range d.areas {
		fmt.Fprintf(&got, "%s = %s\n", a.name, a.title)
		for _, r := range a.rows {
			fmt.Fprintf(&got, "%s, %s, %s, %s\n", r.id, r.level, r.side, r.revisions)
		}
	}
	const want = `JRPC = JSON-RPC base
JRPC-01, MUST, both, all
JRPC-02, MUST NOT, client, ≥25-06
JRPC-03, fact, server, 26-07
JRPC-04, fact, server, 26-07
JRPC-05, MAY, server, 26-07
AUTH03 = A | B
AUTH03-01, SHOULD, auth server, 25-03
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ rows, want string }{
		{"", "docs/requirements.md:1: there is no row"},
		{"| A-01 | MUST | both | all | x | — |\n| A-03 | MUST | both | all | x | — |", "docs/requirements.md:3: the row is A-03, want A-02"},
		{"| A-01 | MUST | both | all | x | — |\n| A-01 | MUST | both | all | x | — |", "docs/requirements.md:3: the row is A-01, want A-02"},
		{"| A-1 | MUST | both | all | x | — |", "docs/requirements.md:2: the row is A-1, want A-01"},
		{"| A-01 | must | peer | all | x | — |", `docs/requirements.md:2: A-01 has the level "must", want one of MUST, MUST NOT, SHOULD, SHOULD NOT, MAY, fact
docs/requirements.md:2: A-01 has the side "peer", want one of both, client, server, intermediary, auth server`},
		{"| A-01 | MUST | both | all | x | — |\n| A-02 | MUST | both | all | a | b | — |",
			"docs/requirements.md:3: the row has 7 cells, want ID, level, side, revisions, requirement, code"},
	} {
		_, err := parse("### A — B\n" + tt.rows)
		wantError(t, err, tt.want)
	}
}

func TestCite(t *testing.T) {
	files := repository(`package a

// TestA tests.
//
// REQ JRPC-01, AUTH03-01
func TestA() {
	_ = []int{
		1, // REQ JRPC-02 JRPC-03, AMB-01: by what it says
	}
	_ = "// REQ JRPC-99"
}

/*
 * REQ JRPC-02
 */
`, "")
	files["a/testdata/b/c.txtar"] = &fstest.MapFile{Data: []byte("# A case.\nREQ JRPC-01\n# REQ JRPC-03\n-- a.go --\n// REQ JRPC-05\n")}
	for _, name := range []string{
		"a/a.go", "a/testdata/x_test.go", ".a/x_test.go", "_a/x_test.go", "node_modules/x_test.go", "a/x.txtar", "a/testdata/x.txt",
	} {
		files[name] = &fstest.MapFile{Data: []byte("// REQ JRPC-05")} // in no test
	}
	d, err := parse(small)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cite(files); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"JRPC-01":   "[a/a_test.go:5 a/testdata/b/c.txtar:2]",
		"JRPC-02":   "[a/a_test.go:8 a/a_test.go:14]",
		"JRPC-03":   "[a/a_test.go:8 a/testdata/b/c.txtar:3]",
		"JRPC-04":   "[]",
		"JRPC-05":   "[]",
		"AUTH03-01": "[a/a_test.go:5]",
	} {
		if got := fmt.Sprint(d.rows[id].tests); got != want {
			t.Errorf("%s is cited at %s, want %s", id, got, want)
		}
	}
}

// A row is covered by tests that run on every machine.
func TestCiteSkipped(t *testing.T) {
	files := repository(`package a

// REQ JRPC-01
func TestFile(t *testing.T) {
	file(t)
}

func file(tb testing.TB) { missing(tb) }

func missing(t testing.TB) {
	if _, err := os.Stat("/x"); err != nil {
		t.Skipf("needs x: %v", err)
	}
}

// REQ JRPC-02
func TestSubtest(t *testing.T) {
	// REQ JRPC-03
	t.Run("a", func(t *testing.T) {
		// REQ JRPC-04
		file(t)
	})
}

// REQ JRPC-05
func TestShort(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	if runtime.GOOS == "plan9" {
		t.Skip("there is no such thing")
	}
	d.Skip()
	t.Run("b", func(t *testing.T) { cpu(t); func() { d.Skip() }() })
}

func cpu(t *testing.T) {}

// REQ AUTH03-01
func (s suite) TestMethod(t *testing.T) {
	func() { t.SkipNow() }()
}
`, "")
	files["a/other_test.go"] = &fstest.MapFile{Data: []byte("//go:build other\n\npackage a\n\nfunc cpu(t *testing.T) { t.Skip() }\n")}
	d, err := parse(small)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cite(files); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"JRPC-01":   "its tests need what not every machine has",
		"JRPC-02":   "its tests need what not every machine has",
		"JRPC-03":   "[a/a_test.go:18]",
		"JRPC-04":   "its tests need what not every machine has",
		"JRPC-05":   "[a/a_test.go:25]",
		"AUTH03-01": "its tests need what not every machine has",
	} {
		r := d.rows[id]
		got := r.why()
		if r.covered() {
			got = fmt.Sprint(r.always)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
	if err := d.cite(repository("package a\n\nfunc", "")); err == nil {
		t.Error("a test that is no Go was taken")
	}
}

// Functions of package testenv whose names begin with Needs skip their test.
func TestCiteNeeds(t *testing.T) {
	d, err := parse(small)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cite(repository(`package a

// REQ JRPC-01
func TestNeeds(t *testing.T) { testenv.NeedsOfficial(t) }

// REQ JRPC-02
func TestNeedsNothing(t *testing.T) { testenv.Dir(t) }
`, "")); err != nil {
		t.Fatal(err)
	}
	if d.rows["JRPC-01"].covered() || !d.rows["JRPC-02"].covered() {
		t.Errorf("covered: JRPC-01 %t, want false; JRPC-02 %t, want true", d.rows["JRPC-01"].covered(), d.rows["JRPC-02"].covered())
	}
}

func TestCiteErrors(t *testing.T) {
	const begin, comma = "REQ must begin its line, and IDs must follow it", "nothing follows the last comma; a list that goes on needs REQ on each line"
	for _, tt := range []struct{ comment, want string }{
		{"REQ JRPC-99", `there is no row "JRPC-99"; did you mean JRPC-01?`},
		{"REQ JRPC-3", `there is no row "JRPC-3"; did you mean JRPC-03?`},
		{"REQ JRCP-02", `there is no row "JRCP-02"; did you mean JRPC-02?`},
		{"REQ jrpc-04", `there is no row "jrpc-04"`},
		{"REQ JRPC-01..JRPC-04", `there is no row "JRPC-01..JRPC-04"`},
		{"REQ JRPC-01 … JRPC-04", `there is no row "…"`},
		{"REQ JRPC", `there is no row "JRPC"; did you mean JRPC-01?`},
		{"REQ AMB-09", `there is no row "AMB-09"`},
		{"REQ JRPC-01.", `there is no row "JRPC-01."; did you mean JRPC-01?`},
		{"REQ JRPC-01,", comma},
		{"REQ", begin},
		{"REQ: JRPC-01", begin},
		{"Ids are kept. REQ JRPC-01", begin},
		{"(REQ JRPC-01)", begin},
	} {
		_, err := read(repository("package a\n\n// "+tt.comment+"\n", ""))
		wantError(t, err, "a/a_test.go:3: "+tt.want)
	}
	_, err := read(repository("package a // REQ A\n// REQUIRED, PREREQ\n// REQ B\n", "nonsense"))
	wantError(t, err, "a/a_test.go:1: there is no row \"A\"\na/a_test.go:3: there is no row \"B\"")
}

// Code says which rows it implements. That covers none of them, but they must exist.
func TestCode(t *testing.T) {
	files := repository("package a\n", "")
	files["a/a.go"] = &fstest.MapFile{Data: []byte("package a\n\nfunc f(n int) int {\n\treturn n // REQ JRPC-01\n}\n")}
	files["internal/mutate/a.go"] = &fstest.MapFile{Data: []byte("package a // REQ HDR-08\n")}
	files["a/testdata/a.go"] = &fstest.MapFile{Data: []byte("package a // REQ A-01\n")}
	d, err := read(files)
	wantError(t, err, "")
	if d.rows["JRPC-01"].covered() {
		t.Error("code counts as a test")
	}
	files["a/a.go"] = &fstest.MapFile{Data: []byte("package a\n\n// REQ JRPC-99\nfunc f() {}\n\n// See REQ JRPC-01.\n")}
	_, err = read(files)
	wantError(t, err, `a/a.go:3: there is no row "JRPC-99"; did you mean JRPC-01?
a/a.go:6: REQ must begin its line, and IDs must follow it`)
}

func TestExplain(t *testing.T) {
	const test = "package a\n\n// REQ JRPC-02\n"
	for _, tt := range []struct{ reasons, want string }{ // the reasons of JRPC-01 to -05 and AUTH03-01
		{"", `"" "" "" "" "" ""`},
		{"# Why.\n\nJRPC-01: a: b\n", `"a: b" "" "" "" "" ""`},
		{"JRPC-03..JRPC-05, AUTH03-01: a", `"" "" "a" "a" "a" "a"`},
		{"JRPC-05..JRPC-05 JRPC-01: a", `"a" "" "" "" "a" ""`},
		{"JRPC AUTH03: a", `"a" "" "a" "a" "a" "a"`},
		{"JRPC: a\nJRPC-03: b", `"a" "" "b" "a" "a" ""`},
	} {
		d, err := read(repository(test, tt.reasons))
		if err != nil {
			t.Errorf("%s: %v", tt.reasons, err)
			continue
		}
		var got []string
		for _, r := range d.all() {
			got = append(got, fmt.Sprintf("%q", r.reason))
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.reasons, got, tt.want)
		}
	}

	for _, tt := range []struct{ reasons, want string }{
		{"JRPC-02: a", "1: unused entry: JRPC-02 is covered by a/a_test.go:3"},
		{"# a\nJRPC-01..JRPC-03: a", "2: unused entry: JRPC-02 is covered by a/a_test.go:3"},
		{"JRPC-03: a\nJRPC-01, JRPC-03: a", "2: unused entry: JRPC-03 has a reason already"},
		{"JRPC: a\nJRPC-01 JRPC-03..JRPC-05: b", "1: unused entry: every row of JRPC is covered or has a reason already"},
		{"AUTH03: a\nAUTH03: b", "2: unused entry: every row of AUTH03 is covered or has a reason already"},
		{"JRPC-06: a", `1: there is no row "JRPC-06"; did you mean JRPC-01?`},
		{"JRPC-01..JRPC-06: a", `1: there is no row "JRPC-06"; did you mean JRPC-01?`},
		{"JRPC-05..JRPC-03: a", "1: JRPC-03 does not follow JRPC-05 in its area"},
		{"JRPC-05..AUTH03-01: a", "1: AUTH03-01 does not follow JRPC-05 in its area"},
		{"JRPC-01", "1: want rows, a colon and a reason"},
		{"JRPC-01: ", "1: want rows, a colon and a reason"},
		{": a", "1: want rows, a colon and a reason"},
	} {
		_, err := read(repository(test, tt.reasons))
		wantError(t, err, "docs/requirements-uncovered.txt:"+tt.want)
	}
}

func TestOutput(t *testing.T) {
	files := repository("package a\n\n// REQ JRPC-02\n", "JRPC-03..JRPC-05: not built | yet\nAUTH03-01: of others\n")
	dir := t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(dir, false, &out); err != nil {
		t.Fatal(err)
	}
	const list = `JRPC, JSON-RPC base: 1 of 5 rows covered
  JRPC-01   MUST       both         all          no test yet
  JRPC-03   fact       server       26-07        not built | yet
  JRPC-04   fact       server       26-07        not built | yet
  JRPC-05   MAY        server       26-07        not built | yet
AUTH03, A | B: 0 of 1 rows covered
  AUTH03-01 SHOULD     auth server  25-03        of others
1 of 6 rows covered, 4 more have a reason, 1 are open
`
	if out.String() != list {
		t.Errorf("got\n%s\nwant\n%s", out.String(), list)
	}

	const page = "# Coverage\n" + marker + `
| Area | Subject | Rows | Covered | With a reason | Open |
|---|---|--:|--:|--:|--:|
| JRPC | JSON-RPC base | 5 | 1 | 3 | 1 |
| AUTH03 | A \| B | 1 | 0 | 1 | 0 |
| **all** | | **6** | **1** | **4** | **1** |

## Why rows have no test

| Rows | Why |
|--:|---|
| 3 | not built \| yet |
| 1 | no test yet |
| 1 | of others |

## Which rows have no test

| Rows | Why |
|---|---|
| JRPC-01 | no test yet |
| JRPC-03..JRPC-05 | not built \| yet |
| AUTH03-01 | of others |
`
	for _, done := range []string{"written", "unchanged"} {
		out.Reset()
		if err := run(dir, true, &out); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, coverageFile))
		if err != nil {
			t.Fatal(err)
		}
		said := "docs/coverage.md: from docs/requirements.md and the tests that cite it: " + done + "\n"
		if string(got) != page || out.String() != said {
			t.Errorf("got\n%s\nand printed %q, want\n%s\nand %q", got, out.String(), page, said)
		}
	}

	if err := os.WriteFile(filepath.Join(dir, coverageFile), []byte("# Coverage\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	wantError(t, run(dir, true, &out), "docs/coverage.md has no line "+strings.TrimSpace(marker))
}

func TestSpans(t *testing.T) {
	d, err := parse(small)
	if err != nil {
		t.Fatal(err)
	}
	rows := d.areas[0].rows
	for _, tt := range []struct {
		some []int
		want string
	}{
		{[]int{0}, "JRPC-01"},
		{[]int{0, 1}, "JRPC-01, JRPC-02"},
		{[]int{0, 1, 2, 4}, "JRPC-01..JRPC-03, JRPC-05"},
		{[]int{0, 2, 3, 4}, "JRPC-01, JRPC-03..JRPC-05"},
	} {
		var some []*row
		for _, i := range tt.some {
			some = append(some, rows[i])
		}
		if got := spans(rows, some); got != tt.want {
			t.Errorf("%v: got %s, want %s", tt.some, got, tt.want)
		}
	}
}

// The requirements, citations and reasons of this repository are right, and docs/coverage.md is
// what they make.
func TestRepository(t *testing.T) {
	files := os.DirFS("../..")
	d, err := read(files)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../" + coverageFile)
	if err != nil {
		t.Fatal(err)
	}
	updated, err := d.update(page)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(page, updated) {
		t.Errorf("%s is stale: run go generate ./internal/requirements", coverageFile)
	}
}

// The counts that docs/requirements.md states are those of its rows.
func TestStatedCounts(t *testing.T) {
	text, err := os.ReadFile("../../" + rowsFile)
	if err != nil {
		t.Fatal(err)
	}
	d, err := parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	byLevel := map[string]int{}
	for _, a := range d.areas {
		fmt.Fprintf(&want, "| %s | %d |\n", a.name, len(a.rows))
		for _, r := range a.rows {
			byLevel[r.level]++
		}
	}
	fmt.Fprintf(&want, "| **total** | **%d** |\n\nBy level: MUST %d, fact %d, SHOULD %d, MUST NOT %d, SHOULD NOT %d, MAY %d.\n", len(d.rows),
		byLevel["MUST"], byLevel["fact"], byLevel["SHOULD"], byLevel["MUST NOT"], byLevel["SHOULD NOT"], byLevel["MAY"])
	if !strings.Contains(string(text), want.String()) {
		t.Errorf("%s does not say\n%s", rowsFile, want.String())
	}
}
