package main

import (
	"io/fs"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/skills/skillserver"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/skills"
)

// newSkill returns mcpgen skill. The skill is part of the program, so that it fits the version in use.
func newSkill() *cobra.Command {
	var show bool
	c := &cobra.Command{
		Use:   "skill",
		Short: "Serve what a model should know to write tools with mcpgen",
		Long: `Skill is a server over standard input and output that has one skill: how to write
tools, prompts and resources with mcpgen, with a table of all directives. Clients
load it by the extension io.modelcontextprotocol/skills, or read it as the
resource skill://mcpgen/SKILL.md.

With -print it prints the skill, for clients that take skills from files.`,
		Example: `  claude mcp add mcpgen -- go tool mcpgen skill
  go tool mcpgen skill -print >.claude/skills/mcpgen/SKILL.md`,
		Args: operands(),
		RunE: func(c *cobra.Command, args []string) error {
			if !show {
				return stdio.Serve(c.Context(), newSkillServer(), nil)
			}
			c.OutOrStdout().Write(must(fs.ReadFile(skills.Files, "mcpgen/SKILL.md")))
			return nil
		},
	}
	c.Flags().BoolVar(&show, "print", false, "print the skill instead")
	return c
}

// newSkillServer returns the server that has the skill of this project.
func newSkillServer() *server.Server {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
	}
	return server.New(mcp.Implementation{Name: "mcpgen", Version: version}, &server.Options{
		Instructions: "To write MCP tools in Go with mcpgen, load the skill skill://mcpgen/SKILL.md.",
		Setup:        []server.Setup{skillserver.Enable(skills.Files, nil)},
	})
}
