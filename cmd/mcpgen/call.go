package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/console"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// newCall returns mcpgen call. A tool that fails has a result like any other, which is shown on standard error unless
// JSON is wanted; that it failed is a finding.
func newCall() *cobra.Command {
	var f consoleFlags
	var dir string
	c := &cobra.Command{
		Use:   "call TOOL [NAME=VALUE...]",
		Short: "Call a tool of a server",
		Long: `Call calls a tool. Its schema says how values are read: 5 is a number for one
argument and a text for another. NAME:=JSON is JSON in any case, A.B=VALUE is a
member of an object, and NAME=VALUE may be repeated for the items of a list. A
single word that begins with { is the JSON of all arguments.

Progress is shown as it comes. Ctrl-C cancels the call. Images are shown where
the terminal can; other bytes are saved to files.`,
		Example: `  mcpgen call forecast city=Oslo days=3 -- go run ./cmd/server
  mcpgen call search query=mcp tags=a tags=b -url http://localhost:8080/mcp`,
	}
	f.add(c)
	c.Flags().StringVar(&dir, "save", "", "save what cannot be shown in the folder `DIR` (default that of temporary files)")
	c.RunE = func(c *cobra.Command, args []string) error {
		target, words, err := f.target(c, args)
		if err != nil {
			return err
		}
		if len(words) == 0 {
			return usageError(c, "which tool? 'mcpgen inspect' lists those of a server")
		}
		return f.run(c, target, client.Options{}, func(s *session) error {
			tool, err := s.Tool(s.ctx, words[0])
			if err != nil {
				return err
			}
			params := &mcp.CallToolRequestParams{Name: tool.Name}
			if params.Arguments, err = console.Arguments(tool.InputSchema, words[1:]); err != nil {
				//lint:ignore ST1005 the second line is a sentence
				return &wordsError{fmt.Errorf("%w\nRun 'mcpgen inspect %s' for what the tool takes.", err, tool.Name)}
			}
			result, err := s.CallTool(client.WithProgress(s.ctx, s.stderr.Progress), params)
			s.stderr.EndProgress()
			if err != nil {
				return err
			}
			shown := s.results(dir)
			failed := result.GetIsError()
			switch {
			case f.json:
				err = s.printed(result)
			case failed:
				shown.Printer = s.stderr
				err = shown.Tool(result)
			default:
				err = shown.Tool(result)
			}
			if err != nil || !failed {
				return err
			}
			raw, err := wire.Marshal(wire.Any, result)
			return cmp.Or(err, error(finding("the tool "+tool.Name+" failed"+s.askedNobody(string(raw)))))
		})
	}
	return c
}
