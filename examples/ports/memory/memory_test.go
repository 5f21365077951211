package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/examples/ports/internal/transcript"
)

const original = "github.com/modelcontextprotocol/go-sdk/examples/server/memory"

// script has every tool: what it does, what it does not find, and wrong arguments.
func script() transcript.Script {
	call := transcript.Call
	return transcript.Script{Steps: append(transcript.Lists(),
		call("read_graph", `{}`).Named("empty"),
		call("create_entities", `{"entities":[{"name":"Ada","entityType":"person","observations":["writes programs"]},
			{"name":"Engine","entityType":"machine","observations":[]},{"name":"Charles","entityType":"person","observations":["builds"]}]}`),
		call("create_entities", `{"entities":[{"name":"Ada","entityType":"person","observations":[]}]}`).Named("taken"),
		call("create_relations", `{"relations":[{"from":"Ada","to":"Engine","relationType":"programs"},
			{"from":"Charles","to":"Engine","relationType":"builds"}]}`),
		call("create_relations", `{"relations":[{"from":"Ada","to":"Engine","relationType":"programs"},
			{"from":"Ada","to":"Charles","relationType":"knows"}]}`),
		call("add_observations", `{"observations":[{"entityName":"Ada","contents":["writes programs","is a countess"]}]}`),
		call("add_observations", `{"observations":[{"entityName":"Ada","contents":["lost"]},{"entityName":"Nobody","contents":["x"]}]}`),
		call("read_graph", `{}`),
		call("read_graph", `{"depth":1}`).Named("unknown argument"),
		call("search_nodes", `{"query":"PERSON"}`),
		call("search_nodes", `{"query":"countess"}`),
		call("search_nodes", `{"query":"nothing"}`).Named("empty"),
		call("open_nodes", `{"names":["Ada","Charles","Nobody"]}`),
		call("delete_observations", `{"deletions":[{"entityName":"Ada","contents":[],"observations":["is a countess"]},
			{"entityName":"Nobody","contents":[],"observations":[]}]}`),
		call("delete_relations", `{"relations":[{"from":"Ada","to":"Charles","relationType":"knows"},
			{"from":"x","to":"y","relationType":"z"}]}`),
		call("read_graph", `{}`),
		call("delete_entities", `{"entityNames":["Ada","Nobody"]}`),
		call("read_graph", `{}`),
		call("create_entities", `{}`).Named("nothing given"),
		call("create_entities", `{"entities":[{"name":"Ada"}]}`).Named("too little"),
		call("open_nodes", `{"names":["Ada"],"name":"Ada"}`).Named("too much"),
		call("open_nodes", `{"names":[1]}`).Named("wrong type"),
		call("delete_entities", `{"entityNames":null}`).Named("null"),
		call("forget", `{}`).Named("unknown tool"),
	)}
}

// differences are those of all answers.
func differences() []transcript.Difference {
	return slices.Concat(
		transcript.GoSDK(), transcript.Annotated(), transcript.Stricter(), transcript.Undeclared(), deletions(),
		transcript.Refused("unknown argument", "depth: unknown argument", "a tool without arguments takes none"),
		transcript.Refused("null", "entityNames: want an array, got null", "an argument that is required is not null"),
		[]transcript.Difference{
			transcript.Wrong("nothing given", "entities: required"),
			transcript.Wrong("too little", "entities[0].entityType: required\nentities[0].observations: required"),
			transcript.Wrong("too much", "name: unknown argument; did you mean names?"),
			transcript.Wrong("wrong type", "names[0]: want a string, got 1"),
			{
				Step: "unknown argument", Path: "result.structuredContent", Port: "-",
				Why: "a tool without arguments takes none",
			},
			{
				Step: "tools/list", Path: "result.tools.read_graph.inputSchema.additionalProperties", Original: "-", Port: "false",
				Why: "a tool without arguments takes none",
			},
			{
				Step: "*", Path: "result.structuredContent.**", Original: "null", Port: "[]",
				Why: "a list without items is [] in results, never null",
			},
			{
				Step: "tools/list", Path: "result.tools.*.outputSchema.**.type", Original: `["null","array"]`, Port: `"array"`,
				Why: "a list without items is [] in results, never null",
			},
			{
				Step: "tools/list", Path: "result.tools.*.outputSchema.**.additionalProperties", Original: "false", Port: "-",
				Why: "results may have a member more one day",
			},
			{
				Step: "tools/call delete_relations", Path: "result.structuredContent", Original: "{}", Port: "-",
				Why: "an empty object beside the text says nothing",
			},
			{
				Step: "tools/list", Path: "result.tools.delete_relations.outputSchema", Original: `{"additionalProperties":false,"type":"object"}`, Port: "-",
				Why: "an empty object beside the text says nothing",
			},
		},
	)
}

// deletions are the differences of the type of deletions. In the original it is that of what is added, and each has members
// that only the other one uses.
func deletions() []transcript.Difference {
	const add, remove = "result.tools.add_observations.*.properties.observations.items", "result.tools.delete_observations.inputSchema.properties.deletions.items"
	return []transcript.Difference{
		{
			Step: "tools/list", Path: add + ".properties.observations", Port: "-",
			Why: "adding does not take or return what only deletions have",
		},
		{
			Step: "tools/list", Path: remove + ".properties.contents", Port: "-",
			Why: "what is not used is allowed, and not asked for",
		},
		{
			Step: "tools/list", Path: remove + ".additionalProperties", Original: "false", Port: "-",
			Why: "what is not used is allowed, and not asked for",
		},
		{
			Step: "tools/list", Path: remove + ".required.1", Original: `"contents"`, Port: `"observations"`,
			Why: "a deletion says what it deletes",
		},
	}
}

func TestLikeTheOriginal(t *testing.T) {
	theirs, ours := transcript.Server{Program: transcript.Build(t, original)}, transcript.Server{Program: transcript.Build(t, ".")}
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			transcript.Compare(t, revision, theirs, ours, script(), differences())
		})
	}
	t.Run("file", func(t *testing.T) { testFile(t, theirs, ours) })
}

// testFile has both servers keep a graph in files, and then each serve that of the other.
func testFile(t *testing.T, theirs, ours transcript.Server) {
	dir := t.TempDir()
	file := func(name string) []string { return []string{"-memory", filepath.Join(dir, name)} }
	theirs.Args, ours.Args = file("theirs"), file("ours")
	initialize := slices.DeleteFunc(differences(), func(d transcript.Difference) bool {
		return d.Path != "result.serverInfo.version" && d.Path != "result.capabilities.logging"
	})
	call := transcript.Call

	transcript.Compare(t, "2025-11-25", theirs, ours, transcript.Script{Steps: []transcript.Step{
		call("create_entities", `{"entities":[{"name":"Ada","entityType":"person","observations":["writes"]},
			{"name":"Engine","entityType":"machine","observations":[]}]}`),
		call("create_relations", `{"relations":[{"from":"Ada","to":"Engine","relationType":"programs"}]}`),
		call("add_observations", `{"observations":[{"entityName":"Ada","contents":["is a countess"]}]}`),
	}}, initialize)
	transcript.CompareJSON(t, "file", read(t, dir, "theirs"), read(t, dir, "ours"), []transcript.Difference{
		{Step: "file", Path: "*.observations", Original: "-", Port: "[]", Why: "a list without items is [], in the file, too"},
	})

	theirs.Args, ours.Args = file("ours"), file("theirs")
	transcript.Compare(t, "2025-11-25", theirs, ours, transcript.Script{Steps: []transcript.Step{
		call("add_observations", `{"observations":[{"entityName":"Engine","contents":["counts"]}]}`),
		call("read_graph", `{}`),
	}}, initialize)
	transcript.CompareJSON(t, "file", read(t, dir, "ours"), read(t, dir, "theirs"), nil)
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
