package tools

import (
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/topics"
)

// DirectiveHelp describes all directives, for people at a terminal.
func DirectiveHelp() string { return directive.Help() }

// DirectiveTable describes all directives in a Markdown table.
func DirectiveTable() string { return directive.Table() }

// A HelpTopic is a topic about annotated functions other than their directives.
type HelpTopic = topics.Topic

// HelpTopics returns all topics.
func HelpTopics() []HelpTopic { return topics.All() }
