package main

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestRun has scripts of a line.
func TestRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs bash and timeout")
	}
	for _, test := range []struct {
		name, script string
		want         string // part of the error; empty if there is none
		failing      string
	}{
		{"pass", `echo PASS server 1 suite=9 failing=-`, "", ""},
		{"fail", `echo FAIL $1 1 suite=9 failing=ping,$(basename $MCP_CONF_OUT); exit 1`, "", "ping,out"},
		{"usage", `echo PASS server 1 suite=9 failing=-; exit 2`, "exit status 2", ""},
		{"not installed", `echo npm ci failed >&2; exit 3`, "cannot be installed", ""},
		{"not finished", `echo ERROR server 1 suite=9 did-not-run status=124; exit 3`, "exit status 3", ""},
		{"silent", `:`, "says nothing", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, test.script, dir, "script")
			got, err := run(t.Context(), filepath.Join(dir, "out"), filepath.Join(dir, "script"), "server")
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("error %v, want %q", err, test.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != 1 || got[0].side != "server" || strings.Join(got[0].failing, ",") != test.failing {
				t.Errorf("got %+v, want failing %q", got, test.failing)
			}
		})
	}
}

// TestRunIsEnded: a script that hangs ends with the context, and what it started, too, or else the
// pipe that this holds would make run wait.
func TestRunIsEnded(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs bash and timeout")
	}
	dir := t.TempDir()
	write(t, "sleep 60 & sleep 60", dir, "script")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if _, err := run(ctx, dir, filepath.Join(dir, "script"), "server"); err == nil {
		t.Error("there is no error")
	}
	if took := time.Since(begun); took >= stopLimit {
		t.Errorf("it took %v to end", took)
	}
}

// TestStartServer starts what is no server.
func TestStartServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs bash")
	}
	dir := t.TempDir()
	if _, err := startServer(t.Context(), filepath.Join(dir, "absent")); err == nil {
		t.Error("an absent program is started")
	}
	if _, err := startServer(t.Context(), "true"); err == nil || !strings.Contains(err.Error(), "does not say") {
		t.Errorf("a program that prints nothing: %v", err)
	}
}
