package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/schema"
)

// escape begins the sequences that colour a text.
const escape = "\x1b["

// TestDiffTerminal runs the command on pseudo-terminals of two widths, with colour and without.
func TestDiffTerminal(t *testing.T) {
	revisions := schema.Revisions()
	args := []string{"diff", revisions[0].Name, revisions[1].Name}
	plain := mcpgen(t, args...)
	if strings.Contains(plain, escape) {
		t.Error("there are colours in what is no terminal")
	}
	for _, width := range []int{80, 120} {
		for _, noColour := range []string{"", "1"} {
			t.Run(fmt.Sprintf("%d NO_COLOR=%s", width, noColour), func(t *testing.T) {
				text := onTerminal(t, width, []string{"TERM=xterm", "NO_COLOR=" + noColour}, args)
				if got, want := strings.Contains(text, escape), noColour == ""; got != want {
					t.Errorf("colours: %v, want %v", got, want)
				}
				for _, code := range []string{"0", "1", "31", "32", "33"} {
					text = strings.ReplaceAll(text, escape+code+"m", "")
				}
				if got, want := strings.Fields(text), strings.Fields(plain); strings.Join(got, " ") != strings.Join(want, " ") {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
				for line := range strings.Lines(text) {
					if n := utf8.RuneCountInString(strings.TrimRight(line, "\r\n")); n > width {
						t.Errorf("%d columns: %s", n, line)
					}
				}
			})
		}
	}
}

// onTerminal runs the command, and returns what the terminal was sent.
func onTerminal(t *testing.T, width int, env, args []string) string {
	t.Helper()
	master, slave := testenv.PseudoTerminal(t, uint16(width))
	cmd := command(t, t.TempDir(), args...)
	cmd.Stdout, cmd.Env = slave, append(cmd.Env, env...)
	text := make(chan []byte)
	go func() {
		var all bytes.Buffer
		_, _ = all.ReadFrom(master) // it ends with an error when nobody has the other end any more
		text <- all.Bytes()
	}()
	err := cmd.Run()
	if closeErr := slave.Close(); err != nil || closeErr != nil {
		t.Fatal(err, closeErr)
	}
	return string(<-text)
}
