package report

import (
	"fmt"
	"io"
	"strings"
)

// Markdown writes a report as tables.
func (r *Report) Markdown(w io.Writer) {
	fmt.Fprintf(w, "## %s → %s\n\n%s\n", r.Old, r.New, r.Summary)
	cell := strings.NewReplacer("|", "\\|", "\n", " ").Replace
	for _, section := range r.Sections {
		if section.Title != "" {
			fmt.Fprintf(w, "\n### %s\n", section.Title)
		}
		if len(section.Subjects) > 0 {
			fmt.Fprint(w, "\n| | what | change | breaks |\n|---|---|---|---|\n")
		}
		for _, s := range section.Subjects {
			for i, c := range s.Changes {
				what := ""
				if i == 0 {
					what = strings.TrimSpace(s.What + " `" + s.Name + "`")
				}
				fmt.Fprintf(w, "| %s | %s | %s | %s |\n", c.Mark(), what, cell(c.Text), cell(c.Breaks))
			}
		}
		if section.Note != "" {
			fmt.Fprintf(w, "\n%s\n", section.Note)
		}
	}
}
