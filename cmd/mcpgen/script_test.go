package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/internal/testenv"
)

// long are the transcripts that load packages so often that they run by request.
var long = []string{"add", "check_base", "check_contract", "check_scopes"}

var update = flag.Bool("update", false, "rewrite the transcripts in testdata")

// TestTranscripts runs the commands of each txtar file in testdata. The last file of an archive is
// the transcript: the lines that begin with $ are run, in a folder that holds the other files, and
// must print what stands below them. What goes to standard error has ! in front, and the folder is
// called DIR.
func TestTranscripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in testdata: %v", err)
	}
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(archive.Files) == 0 || archive.Files[len(archive.Files)-1].Name != "transcript" {
				t.Fatalf("%s does not end with a transcript", path)
			}
			files, transcript := archive.Files[:len(archive.Files)-1], &archive.Files[len(archive.Files)-1]
			if slices.ContainsFunc(files, func(f txtar.File) bool { return f.Name == "go.mod" }) {
				if testing.Short() {
					t.Skip("it loads packages, which -short does without")
				}
				if !*update && slices.Contains(long, strings.TrimSuffix(filepath.Base(path), ".txtar")) {
					testenv.Long(t)
				}
			}
			dir := t.TempDir()
			t.Chdir(dir)
			offlineEnv(t)
			for _, f := range files {
				if err := os.MkdirAll(filepath.Dir(f.Name), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(f.Name, f.Data, 0o666); err != nil {
					t.Fatal(err)
				}
				if f.Name == "go.mod" { // holds "module PATH" alone
					writeModule(t, ".", strings.TrimSpace(strings.TrimPrefix(string(f.Data), "module ")))
				}
			}
			var got strings.Builder
			defer func() {
				if t.Failed() {
					t.Logf("the transcript so far:\n%s", got.String())
				}
			}()
			for line := range strings.Lines(string(transcript.Data)) {
				if words, ok := strings.CutPrefix(line, "$ "); ok {
					got.WriteString(line)
					got.WriteString(strings.ReplaceAll(execute(t, strings.Fields(words)), filepath.ToSlash(dir), "DIR"))
				}
			}
			if *update {
				transcript.Data = []byte(got.String())
				if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(transcript.Data), got.String()); diff != "" {
				t.Errorf("-want +got (run with -update to accept):\n%s", diff)
			}
		})
	}
}

// commit runs git in the current folder, with nothing of the user's own settings.
func commit(t *testing.T, args []string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: install it to run this test")
	}
	c := exec.Command("git", args...)
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// execute runs one command of a transcript and returns what it prints.
func execute(t *testing.T, words []string) string {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", strings.Join(words, " "), err)
		}
	}
	switch args := words[1:]; words[0] {
	case "mcpgen":
		if to := slices.Index(args, ">"); to >= 0 {
			check(os.WriteFile(args[to+1], []byte(mcpgen(t, args[:to]...)), 0o666))
			return ""
		}
		var stdout, stderr bytes.Buffer
		code := run(args, &stdout, &stderr)
		for line := range strings.Lines(stderr.String()) {
			stdout.WriteString("! " + line)
		}
		if code != 0 {
			fmt.Fprintf(&stdout, "exit %d\n", code)
		}
		return stdout.String()
	case "git":
		commit(t, args)
	case "ls":
		entries, err := os.ReadDir(args[0])
		check(err)
		var names strings.Builder
		for _, e := range entries {
			names.WriteString(e.Name() + "\n")
		}
		return names.String()
	case "cat":
		text, err := os.ReadFile(args[0])
		check(err)
		return string(text)
	case "head":
		text, err := os.ReadFile(args[0])
		check(err)
		line, _, _ := strings.Cut(string(text), "\n")
		return line + "\n"
	case "rm":
		check(os.Remove(args[0]))
	case "cp":
		text, err := os.ReadFile(args[0])
		check(err)
		check(os.WriteFile(args[1], text, 0o666))
	case "sed":
		text, err := os.ReadFile(args[1])
		check(err)
		from, to, _ := strings.Cut(args[0], "=>")
		if bytes.Count(text, []byte(from)) != 1 {
			t.Fatalf("%s: %q does not occur once", args[1], from)
		}
		check(os.WriteFile(args[1], bytes.Replace(text, []byte(from), []byte(to), 1), 0o666))
	default:
		t.Fatalf("a transcript has no command %s", words[0])
	}
	return ""
}

// fakeCommand puts a program of a name in place of all others, which is a shell script.
func fakeCommand(t *testing.T, name, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows runs no shell scripts; run this test on another system")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if _, err := exec.LookPath(name); err != nil {
		t.Fatal(err)
	}
}
