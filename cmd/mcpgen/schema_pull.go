package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/parser"
	"github.com/mcpgen/mcpgen/schema"
)

const (
	official    = "https://raw.githubusercontent.com/modelcontextprotocol"
	maxOfficial = 8 << 20 // bytes of a schema
	pullTime    = time.Minute
)

// newSchemaPull returns mcpgen schema pull. It prints nothing but the name of the file, for the command line of another
// command.
func newSchemaPull() *cobra.Command {
	var from, out string
	c := &cobra.Command{
		Use:   "pull REVISION | draft | EXTENSION",
		Short: "Download an official schema",
		Long: `Pull downloads an official schema, and prints where it is: in the user's cache,
since official files are not part of this repository. It uses the proxy of the
environment. If mcpgen knows the digest of the file, the file must have it.`,
		Example: `  mcpgen schema pull draft
  mcpgen diff 2026-07-28 "$(mcpgen schema pull draft)"`,
		Args:              operands("REVISION, draft or EXTENSION"),
		ValidArgsFunction: completeOperand(completePull),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := pullOf(args[0])
			if err != nil {
				return err
			}
			if out == "" {
				if out, err = p.cached(); err != nil {
					return err
				}
			}
			text, err := p.download(c.Context(), from)
			if err != nil {
				return err
			}
			if err := keep(out, text); err != nil {
				return err
			}
			fmt.Fprintln(c.OutOrStdout(), out)
			return nil
		},
	}
	c.Flags().StringVar(&from, "from", official, "the `URL` that the repositories of the protocol are at")
	c.Flags().StringVar(&out, "out", "", "the `FILE` to write (default one in the user's cache)")
	return c
}

func completePull(c *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names, directive := completeName(c, args, word)
	return append(names, "draft"), directive
}

// A pull is an official file.
type pull struct {
	name   string // of the revision or the extension
	path   string // of the file, from its repository on
	digest string // empty if it is not known
}

// pullOf returns the file of a revision, of the draft, or of an extension.
func pullOf(name string) (*pull, error) {
	if name == "draft" || isRevision(name) {
		p := &pull{name: name, path: "modelcontextprotocol/main/schema/" + name + "/" + schema.FileName}
		for _, r := range schema.Revisions() {
			if r.Name == name {
				p.digest = r.Official
			}
		}
		return p, nil
	}
	x, err := schema.ExtensionNamed(name)
	if err != nil {
		return nil, fmt.Errorf("%q is no revision, not draft, and no extension that mcpgen knows", name)
	}
	return &pull{name: name, path: path.Base(x.Repository) + "/main/" + x.File}, nil // of no digest: an extension goes on
}

// cached returns the place of the file in the user's cache.
func (p *pull) cached() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no cache, want -out: %w", err)
	}
	return filepath.Join(dir, "mcpgen", "schema", p.name, schema.FileName), nil
}

// download returns the file.
func (p *pull) download(ctx context.Context, from string) ([]byte, error) {
	at, err := url.Parse(strings.TrimSuffix(from, "/") + "/" + p.path)
	if err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" {
		return nil, fmt.Errorf("-from %s: want a URL", from)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := (&http.Client{Timeout: pullTime}).Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return nil, fmt.Errorf("%s: there is no such file: is %s the name of a revision?", at, p.name)
	default:
		return nil, fmt.Errorf("%s: status %s", at, resp.Status)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxOfficial+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", at, err)
	case len(text) > maxOfficial:
		return nil, fmt.Errorf("%s: more than %d bytes", at, maxOfficial)
	}
	if sum := sha256.Sum256(text); p.digest != "" && p.digest != hex.EncodeToString(sum[:]) {
		return nil, fmt.Errorf("%s: the SHA-256 is %x, want %s, that of the file which mcpgen's schema was compared with", at, sum, p.digest)
	}
	if _, err := parser.Parse(at.String(), text); err != nil {
		return nil, fmt.Errorf("this is no schema: %w", err)
	}
	return text, nil
}

// keep writes a file atomically, and makes the folders that it is in.
func keep(file string, text []byte) error {
	if _, err := output.Read(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return output.Apply([]output.Change{{Path: file, New: text}})
}
