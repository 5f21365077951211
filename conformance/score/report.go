package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// writeReport writes what score has printed as a page, with what was tried and when.
func writeReport(ctx context.Context, name, printed string) error {
	manifest, err := os.ReadFile(filepath.Join("conformance", "suite", "package.json"))
	if err != nil {
		return err
	}
	var suite struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	if err := json.Unmarshal(manifest, &suite); err != nil {
		return fmt.Errorf("conformance/suite/package.json: %w", err)
	}
	commit, err := gitOutput(ctx, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	if changes, err := gitOutput(ctx, "status", "--porcelain", "--untracked-files=no"); err != nil {
		return err
	} else if changes != "" {
		commit += ", with changes"
	}
	return os.WriteFile(name, []byte(page(suite.Dependencies["@modelcontextprotocol/conformance"], commit, time.Now(), printed)), 0o666)
}

// page returns the page. Printed has a line for each group of scenarios.
func page(version, commit string, at time.Time, printed string) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# How does it do in the official conformance suite?

Written by `+"`go run ./conformance/score -results conformance/RESULTS.md`"+`. [How it is run](README.md).

- suite: `+"`@modelcontextprotocol/conformance` %s"+`
- commit: %s
- date: %s
- with: %s, %s/%s

| side | revision | scenarios | passed | checks | failing |
|---|---|---|--:|--:|---|
`, version, commit, at.UTC().Format(time.DateOnly), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for line := range strings.Lines(printed) {
		head, counts, ok := strings.Cut(strings.TrimSpace(line), ": scenarios=")
		what := strings.Fields(head) // PASS server 2026-07-28 required
		scenarios, rest, _ := strings.Cut(counts, " checks=")
		checked, failing, _ := strings.Cut(rest, " failing=")
		if !ok || len(what) != 4 {
			continue
		}
		if what[2] == "server" { // of no revision
			what[1], what[2] = "authorization server", "–"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", what[1], what[2], what[3], scenarios, checked, failing)
	}
	b.WriteString("\nThe suite has requirements for 2025-11-25 and 2026-07-28. Of the other revisions it has single scenarios; what else holds\n" +
		"in them is tested by [the peers](../interop) and by the tests of this repository.\n")
	return b.String()
}

func gitOutput(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}
