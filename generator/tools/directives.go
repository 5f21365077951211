package tools

import (
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/topics"
)

// DirectiveHelp describes all directives, for people at a terminal.
func DirectiveHelp() string { return directive.Help() }

// A HelpTopic is something to read about annotated functions beside their directives.
type HelpTopic = topics.Topic

// HelpTopics returns what there is to read.
func HelpTopics() []HelpTopic { return topics.All() }
