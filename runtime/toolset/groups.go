package toolset

import (
	"slices"
	"strings"
)

// A Group says what people and models should know of a group of tools.
type Group struct {
	Name         string // as in [server.Access]
	Title        string // for people, such as in the help of flags
	Instructions string // for models, while the group is offered
}

// Groups describe those of a server, in the order in which they are shown.
type Groups []Group

// Instructions returns the instructions of the groups that a selection offers, as paragraphs after what a server says by
// itself, for [server.Options].
func (g Groups) Instructions(own string, s Selection) string {
	var all []string
	if own != "" {
		all = append(all, own)
	}
	for _, group := range g {
		if group.Instructions != "" && (len(s.Groups) == 0 || slices.Contains(s.Groups, group.Name)) {
			all = append(all, group.Instructions)
		}
	}
	return strings.Join(all, "\n\n")
}

// String returns a line for each group: its name and its title.
func (g Groups) String() string {
	var b strings.Builder
	for _, group := range g {
		b.WriteString(strings.TrimRight(group.Name+"\t"+group.Title, "\t") + "\n")
	}
	return b.String()
}
