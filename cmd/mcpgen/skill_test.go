package main

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/skills/skillclient"
	"github.com/mcpgen/mcpgen/skills"
)

// The server has the one skill, which a client takes with all its checks, and -print prints the same.
func TestSkill(t *testing.T) {
	want, err := fs.ReadFile(skills.Files, "mcpgen/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	c := mcptest.Connect(t, newSkillServer(), nil)
	if got := c.Client.Server(); got.Info == nil || got.Info.Name != "mcpgen" || got.Info.Version == "unknown" || !strings.Contains(got.Instructions, "skill://mcpgen/SKILL.md") {
		t.Errorf("the server is %+v", got)
	}
	found := 0
	for s, err := range skillclient.Of(c.Client, nil).List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		found++
		if text, err := s.Load(t.Context()); err != nil || text != string(want) || s.URI != "skill://mcpgen/SKILL.md" {
			t.Errorf("%s: %v\n%s", s.URI, err, text)
		}
	}
	if found != 1 {
		t.Errorf("%d skills, want 1", found)
	}
	if out, err := command(t, t.TempDir(), "skill").Output(); err != nil || len(out) > 0 {
		t.Errorf("without a client it ends with %v and prints %q", err, out)
	}
	var out, errs bytes.Buffer
	if code := run([]string{"skill", "-print"}, &out, &errs); code != 0 || out.String() != string(want) || errs.Len() > 0 {
		t.Errorf("exit %d, %s\n%s", code, errs.String(), out.String())
	}
}
