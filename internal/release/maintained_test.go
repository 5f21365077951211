package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
)

// readYAML reads a file of the repository.
func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, filepath.FromSlash(name)))
	if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Versions that the modules require are raised in all of them.
func TestDependabot(t *testing.T) {
	var config struct {
		Updates []struct {
			Ecosystem   string `yaml:"package-ecosystem"`
			Directories []string
		}
	}
	readYAML(t, ".github/dependabot.yml", &config)
	modules, err := modulesIn(repository)
	if err != nil || config.Updates[0].Ecosystem != "gomod" {
		t.Fatal(config, err)
	}
	folders := config.Updates[0].Directories
	used := map[string]bool{}
	for _, m := range modules {
		i := slices.IndexFunc(folders, func(pattern string) bool {
			ok, err := filepath.Match(pattern, "/"+m.dir)
			return ok && err == nil
		})
		if i < 0 {
			t.Errorf("dependabot does not see the module in %q", m.dir)
		} else {
			used[folders[i]] = true
		}
	}
	for _, pattern := range folders {
		if !used[pattern] {
			t.Errorf("no module is in %s", pattern)
		}
	}
}

// The labels are those that SDKs have by SEP-1730, and the forms of issues have no others.
func TestLabels(t *testing.T) {
	var labels []struct{ Name string }
	readYAML(t, ".github/labels.yml", &labels)
	var names []string
	for _, l := range labels {
		names = append(names, l.Name)
	}
	want := []string{"bug", "enhancement", "question", "needs confirmation", "needs repro", "ready for work", "good first issue", "help wanted", "P0", "P1", "P2", "P3"}
	if !slices.Equal(names, want) {
		t.Errorf("got the labels %q, want %q", names, want)
	}
	for _, form := range []string{"bug", "feature"} {
		var f struct{ Labels []string }
		readYAML(t, ".github/ISSUE_TEMPLATE/"+form+".yml", &f)
		if len(f.Labels) == 0 || slices.ContainsFunc(f.Labels, func(l string) bool { return !slices.Contains(want, l) }) {
			t.Errorf("the form %s sets the labels %q", form, f.Labels)
		}
	}
}
