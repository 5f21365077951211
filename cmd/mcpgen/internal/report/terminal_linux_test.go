package report

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/testenv"
)

// end is a line that no report has.
const end = "THE END"

// shownOn writes the sample report to a terminal, and returns its lines.
func shownOn(t *testing.T, width uint16, env map[string]string) []string {
	t.Helper()
	master, slave := testenv.PseudoTerminal(t, width)
	done := make(chan string)
	go func() {
		var text strings.Builder
		for buf := make([]byte, 4096); !strings.Contains(text.String(), end); {
			n, err := master.Read(buf)
			text.Write(buf[:n])
			if err != nil {
				break
			}
		}
		done <- text.String()
	}()
	style := StyleOf(slave, func(key string) string { return env[key] })
	if style.Width != int(width) {
		t.Errorf("the width is %d, want %d", style.Width, width)
	}
	sample().Text(slave, style)
	fmt.Fprintln(slave, end)
	text, _, found := strings.Cut(<-done, end)
	if !found {
		t.Fatal("the terminal did not show all")
	}
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
}

// TestTerminal shows a report on pseudo-terminals of two widths, with colour and without.
func TestTerminal(t *testing.T) {
	var plain strings.Builder
	sample().Text(&plain, Style{})
	for _, width := range []uint16{80, 120} {
		for _, test := range []struct {
			name   string
			env    map[string]string
			colour bool
		}{
			{"colour", nil, true},
			{"NO_COLOR", map[string]string{"NO_COLOR": "1"}, false},
			{"NO_COLOR empty", map[string]string{"NO_COLOR": ""}, true},
			{"TERM dumb", map[string]string{"TERM": "dumb"}, false},
		} {
			t.Run(fmt.Sprintf("%d %s", width, test.name), func(t *testing.T) {
				var text strings.Builder
				longest := 0
				for _, line := range shownOn(t, width, test.env) {
					coloured := strings.Contains(line, "\x1b[")
					if !test.colour && coloured || coloured && (!strings.HasPrefix(line, "\x1b[") || !strings.HasSuffix(line, reset)) {
						t.Errorf("colours in %q", line)
					}
					for _, code := range []string{reset, bold, red, green, yellow} {
						line = strings.ReplaceAll(line, code, "")
					}
					longest = max(longest, utf8.RuneCountInString(line))
					text.WriteString(line + "\n")
				}
				if longest > int(width) || longest < int(width)*3/4 {
					t.Errorf("the longest line has %d columns of %d", longest, width)
				}
				got, want := strings.Fields(text.String()), strings.Fields(plain.String())
				if strings.Join(got, " ") != strings.Join(want, " ") {
					t.Errorf("words are lost: got\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}

// TestTerminalColours checks what has which colour.
func TestTerminalColours(t *testing.T) {
	text := strings.Join(shownOn(t, 80, nil), "\n")
	for _, want := range []string{
		bold + "2001-01-01 → 2002-02-02" + reset, bold + "  type P" + reset,
		green + "+   member b: number" + reset, red + "-   member c: string" + reset, yellow + "!   member d: deprecated: use b" + reset,
		red + "      breaks clients: it must be sent" + reset,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%q", want, text)
		}
	}
}
