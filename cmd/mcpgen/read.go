package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
)

// newRead returns mcpgen read. With -out, the flag -json makes no difference.
func newRead() *cobra.Command {
	var f consoleFlags
	var file string
	c := &cobra.Command{
		Use:   "read URI",
		Short: "Read a resource of a server",
		Long: `Read shows the contents of a resource. Bytes that are not text are saved to a
file. With -out, text is saved, too, as the server sent it.`,
		Example: `  mcpgen read note://today -- go run ./cmd/server
  mcpgen read file:///logo.png -out logo.png -url http://localhost:8080/mcp`,
	}
	f.add(c)
	c.Flags().StringVar(&file, "out", "", "write the contents to `FILE`")
	c.RunE = func(c *cobra.Command, args []string) error {
		target, words, err := f.target(c, args)
		if err != nil {
			return err
		}
		if len(words) != 1 {
			return usageError(c, "read takes one URI")
		}
		return f.run(c, target, client.Options{}, func(s *session) error {
			result, err := s.ReadResource(s.ctx, &mcp.ReadResourceRequestParams{URI: words[0]})
			switch {
			case err != nil:
				return err
			case file != "":
				return writeContents(file, result)
			case f.json:
				return s.printed(result)
			}
			return s.results("").Resource(result)
		})
	}
	return c
}

// writeContents writes the contents of a resource, which must have one part, to a file.
func writeContents(file string, result *mcp.ReadResourceResult) error {
	if n := len(result.Contents); n != 1 {
		return finding(fmt.Sprintf("the resource has %d parts: a file holds one", n))
	}
	var data []byte
	switch contents := result.Contents[0].(type) {
	case *mcp.TextResourceContents:
		data = []byte(contents.Text)
	case *mcp.BlobResourceContents:
		var err error
		if data, err = contents.Blob.Bytes(); err != nil {
			return err
		}
	default:
		return finding("the contents are neither text nor bytes")
	}
	if err := os.WriteFile(file, data, 0o666); err != nil {
		return fileError{err}
	}
	return nil
}

// newPrompt returns mcpgen prompt. Unlike those of a tool, all arguments are strings, and need no schema to be read.
func newPrompt() *cobra.Command {
	var f consoleFlags
	c := &cobra.Command{
		Use:     "prompt NAME [ARGUMENT=VALUE...]",
		Short:   "Get a prompt of a server",
		Long:    `Prompt shows the messages of a prompt, filled in with arguments.`,
		Example: `  mcpgen prompt review language=Go -- go run ./cmd/server`,
	}
	f.add(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		target, words, err := f.target(c, args)
		if err != nil {
			return err
		}
		if len(words) == 0 {
			return usageError(c, "which prompt? 'mcpgen inspect' lists those of a server")
		}
		params := &mcp.GetPromptRequestParams{Name: words[0]}
		for _, word := range words[1:] {
			name, value, ok := strings.Cut(word, "=")
			if !ok || name == "" {
				return usageError(c, "%q is no argument: want ARGUMENT=VALUE", word)
			}
			if params.Arguments == nil {
				params.Arguments = map[string]string{}
			}
			params.Arguments[name] = value
		}
		return f.run(c, target, client.Options{}, func(s *session) error {
			result, err := s.GetPrompt(s.ctx, params)
			switch {
			case err != nil:
				return err
			case f.json:
				return s.printed(result)
			}
			return s.results("").Prompt(result)
		})
	}
	return c
}
