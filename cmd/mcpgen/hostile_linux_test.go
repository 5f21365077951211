package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/console"
)

// A hostileRun is a run of a command with a hostile server.
type hostileRun struct {
	args   string
	kind   string // of the server; terminal if empty
	until  string // what the terminal shows before types
	types  string // by the person, at the terminal
	shows  string // what is shown before the command is interrupted, with commas
	http   bool   // over HTTP as well
	before string // another run in the same folder
	file   string // a file that is given in place of the server
	silent bool   // nothing of the server is shown
}

// hostileRuns are by the command. Each command that uses a server has some.
var hostileRuns = map[string][]hostileRun{
	"inspect": {
		{http: true}, {args: "-json"}, {args: "-wire"}, {args: "-wire -revision 2025-11-25"}, {args: "tool", http: true}, {args: "tool -json"}, {args: "greet"}, {args: "nothing"},
	},
	"adopt": {
		{args: "-record r.json", http: true, silent: true}, {args: "-check r.json -all", kind: "changed", before: "adopt -record r.json"},
	},
	"call": {
		{args: "plain", http: true}, {args: "plain -json"}, {args: "plain -wire"}, {args: "plain -revision 2025-11-25 -wire"}, {args: "refuse", http: true}, {args: "fail"}, {args: "wrong", http: true},
		{args: "nothing"}, {args: "tool nothing=1"}, {args: "tool choice=1 choice=2"}, {args: "ask", until: "cancel] ", types: "no\n"},
		{args: "ask -revision 2025-11-25", until: "cancel] ", types: "yes\n1\n"}, {args: "ask", until: "cancel] ", types: "\x03"},
	},
	"prompt": {{args: "greet", http: true}, {args: "greet -json"}, {args: "refuse"}},
	"read":   {{args: "x:r", http: true}, {args: "x:r -json"}, {args: "x:r -out file", silent: true}},
	"watch":  {{args: "x:r"}, {args: "x:r -json"}, {args: "x:r -level debug -revision 2025-11-25"}},
	"client": {
		{args: "-out p", http: true}, {args: "-out p", kind: "changed", before: "client -out p"}, {args: "-out p -strict"},
		{args: "-out p -check -descriptions", kind: "changed", before: "client -out p"}, {args: "-out p", file: "lists.json", silent: true},
	},
	"schema pull": {{args: "draft", kind: "bad status", http: true}, {args: "draft", kind: "bad schema", http: true}},
	"dev":         {{args: "-http 127.0.0.1:0", http: true, kind: "dev", shows: "connected: ,the server logs"}},
}

// ownSequences are what a command itself writes to a terminal.
var ownSequences = []string{"\r\x1b[K", "\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\r\n"}

// TestHostileTerminal runs every command that uses a server at a terminal, and through a pipe that may end at one, with a
// server all of whose texts would control it. It also reads all files that are written.
func TestHostileTerminal(t *testing.T) {
	root := newRoot(console.NewPrinter(nil, os.Getenv), console.NewPrinter(nil, os.Getenv))
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		name := strings.TrimPrefix(c.CommandPath(), "mcpgen ")
		uses, has := c.Flags().Lookup("url") != nil || c.Flags().Lookup("from") != nil, hostileRuns[name] != nil
		if uses != has {
			t.Errorf("mcpgen %s: uses a server: %v; is run here with a hostile one: %v", name, uses, has)
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, runs := range hostileRuns {
		for i, run := range runs {
			args := strings.TrimSpace(name + " " + run.args)
			t.Run(fmt.Sprintf("%s %d", args, i), func(t *testing.T) {
				t.Parallel()
				if name != "schema pull" {
					run.do(t, self, strings.Fields(args), false, true)
				}
				if run.http {
					run.do(t, self, strings.Fields(args), true, true)
				}
				if run.types == "" {
					run.do(t, self, strings.Fields(args), run.http, false)
				}
			})
		}
	}
}

// do runs the command, and checks what it writes to a terminal or a pipe.
func (r *hostileRun) do(t *testing.T, self string, args []string, http, terminal bool) {
	dir, kind := t.TempDir(), cmp.Or(r.kind, "terminal")
	at := func(kind string, args []string) *exec.Cmd {
		switch {
		case r.file != "":
			args = append(args, r.file)
		case args[0] == "schema":
			args = append(args, "-from", newHostileHTTP(t, kind))
		case http:
			args = append(args, "-url", newHostileHTTP(t, kind))
		default:
			args = append(args, "--", self, asHostile, kind)
		}
		cmd := command(t, dir, args...)
		cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+t.TempDir(), "TMPDIR="+t.TempDir(), "KITTY_WINDOW_ID=", "TERM_PROGRAM=")
		return cmd
	}
	if r.file != "" {
		var text strings.Builder
		writeJSON(&text, (&hostileServer{}).list("tools/list"))
		if err := os.WriteFile(filepath.Join(dir, r.file), []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if r.before != "" {
		if out, err := at("terminal", strings.Fields(r.before)).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	var d *dialog
	if terminal {
		d = startAtTerminal(t, 100, at(kind, args))
	} else {
		d = startWithPipe(t, at(kind, args))
	}
	if r.until != "" {
		d.expect(r.until)
		d.types(r.types)
	}
	if r.shows != "" {
		shows := strings.Split(r.shows, ",")
		if !http {
			shows = append(shows, "standard error: ")
		}
		d.shows(shows...)
		d.interrupt()
	}
	d.cmd.Wait() // most fail, as they should
	<-d.over
	text := d.all.String()
	if !strings.Contains(text, "PWNED") && !r.silent {
		t.Errorf("nothing of the server is shown: %q", text)
	}
	where := "a pipe"
	if terminal {
		where = "the terminal"
		for _, own := range ownSequences {
			text = strings.ReplaceAll(text, own, "\n")
		}
	}
	if args[0] == "client" {
		where = "the list of changes"
	}
	checkHarmless(t, where, text)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == r.file || e.Name() == "file" { // which has what was asked for
			return err
		}
		written, err := os.ReadFile(path)
		checkHarmless(t, e.Name(), string(written))
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// checkHarmless checks that a text controls nothing.
func checkHarmless(t *testing.T, where, text string) {
	t.Helper()
	for i, r := range text {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\ufeff' {
			t.Errorf("%s has %q, in %q", where, r, text[max(0, i-60):min(i+60, len(text))])
			return
		}
		if strings.HasPrefix(text[i:], "\nline") && where != "the terminal" && where != "a pipe" {
			t.Errorf("%s has a line of the server's, in %q", where, text[max(0, i-60):min(i+60, len(text))])
			return
		}
	}
}
