package tools

import "github.com/mcpgen/mcpgen/generator/tools/internal/directive"

// DirectiveHelp describes all directives, for people at a terminal.
func DirectiveHelp() string { return directive.Help() }
