package console

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/mcp"
)

// barWidth is how many columns a bar takes.
const barWidth = 24

// Progress shows the progress of a call: as one line that changes on a terminal, else as lines.
func (p *Printer) Progress(params *mcp.ProgressNotificationParams) {
	line := fmt.Sprintf("%g", params.Progress)
	if total := params.GetTotal(); total > 0 {
		line += fmt.Sprintf(" of %g", total)
		if p.Terminal {
			share := min(max(params.Progress/total, 0), 1)
			full := int(share * barWidth)
			line = fmt.Sprintf("[%s%s] %3.0f%%", strings.Repeat("#", full), strings.Repeat(" ", barWidth-full), share*100)
		}
	}
	if params.Message != "" {
		line += " " + strings.Join(strings.Fields(params.Message), " ")
	}
	if !p.Terminal {
		fmt.Fprintln(p, line)
		return
	}
	if p.Width > 0 && utf8.RuneCountInString(line) >= p.Width {
		line = string([]rune(line)[:p.Width-1])
	}
	p.redraw(line)
}

// EndProgress removes the line of progress.
func (p *Printer) EndProgress() { p.redraw("") }
