// Package topics holds the texts of mcpgen help TOPIC, in addition to those of package directive. docs/types.md has
// them, too.
package topics

import "embed"

//go:embed *.txt
var texts embed.FS

// A Topic is a topic of mcpgen help.
type Topic struct {
	Name, Short string
}

// All lists the topics.
func All() []Topic {
	return []Topic{
		{"types", "What a function may take"},
		{"results", "What a function may return"},
		{"inject", "Parameters that come from the call"},
	}
}

// Text returns the text of a topic.
func (t Topic) Text() string {
	text, err := texts.ReadFile(t.Name + ".txt")
	if err != nil {
		panic(err) // every topic has a file
	}
	return string(text)
}
