package tools

import (
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/topics"
)

// DirectiveHelp describes all directives, for people at a terminal.
func DirectiveHelp() string { return directive.Help() }

// A HelpTopic is a topic about annotated functions other than their directives.
type HelpTopic = topics.Topic

// HelpTopics returns all topics.
func HelpTopics() []HelpTopic { return topics.All() }
