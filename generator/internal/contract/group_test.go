package contract

import (
	"fmt"
	"testing"
)

// TestGroups changes a type, an enum and known values that several tools use, and arguments of the same name and type
// that are of no type in common.
func TestGroups(t *testing.T) {
	of := func(values, issue, limit string) *Contract {
		c := New()
		for _, name := range []string{"create", "get", "list"} {
			tool := &Tool{}
			tool.SetInput(`{"type":"object","properties":{"limit":{"type":"integer"` + limit + `},"priority":{"enum":[` + values + `]},"level":{"type":"string","x-known":[` + values + `]}},"additionalProperties":false}`)
			issue := `{"type":"object","properties":{"title":{"type":"string","description":"of ` + name + `"},"priority":{"enum":[` + values + `]}` + issue + `}}`
			if name == "list" {
				issue = `{"type":"object","properties":{"issues":{"type":"array","items":` + issue + `}}}`
			}
			tool.SetOutput(issue)
			c.Tools[name] = tool
		}
		return c
	}
	all := Compare(of(`"low","high"`, `,"state":{"type":"string"}`, ""), of(`"high","urgent"`, `,"assignee":{"type":"string"}`, `,"maximum":5`))
	got := ""
	for _, g := range Groups(all) {
		var members []Change
		for _, i := range g {
			members = append(members, all[i])
		}
		got += fmt.Sprintf("%v %s (%s, %d places)\n", members[0].Breaking, members[0], Users(members), len(members))
	}
	want := `false tool create: input.level: known value "low" removed (3 tools, 3 places)
false tool create: input.level: known value "urgent" added (3 tools, 3 places)
true tool create: input.limit: maximum added: 5 (1 tool, 1 places)
true tool create: input.priority: value "low" removed (3 tools, 3 places)
false tool create: input.priority: value "urgent" added (3 tools, 3 places)
false tool create: output.priority: value "low" removed (3 tools, 3 places)
true tool create: output.priority: value "urgent" added (3 tools, 3 places)
true tool create: output.state: renamed to assignee (3 tools, 3 places)
true tool get: input.limit: maximum added: 5 (1 tool, 1 places)
true tool list: input.limit: maximum added: 5 (1 tool, 1 places)
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := Groups([]Change{{shape: "s", Text: "t", Breaking: true}, {shape: "s", Text: "t"}, {shape: "s", Text: "t", Breaking: true}}); len(got) < 2 {
		t.Errorf("what breaks callers is in one group with what does not: %v", got)
	}
}
