package main

import (
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/examples/ports/internal/transcript"
)

const original = "github.com/modelcontextprotocol/go-sdk/examples/server/sequentialthinking"

// script has a session from its beginning to its end, a branch, and wrong arguments.
func script() transcript.Script {
	call := transcript.Call
	read := func(uri string) transcript.Step {
		return transcript.Step{Name: "read " + uri, Method: "resources/read", Params: `{"uri":"` + uri + `"}`}
	}
	return transcript.Script{Steps: append(transcript.Lists(),
		read("thinking://sessions").Named("no sessions"),
		call("start_thinking", `{"problem":"How to count?","sessionId":"s"}`),
		call("continue_thinking", `{"sessionId":"s","thought":"By hand"}`),
		call("continue_thinking", `{"sessionId":"s","thought":"By a machine","nextNeeded":true,"estimatedTotal":3}`),
		call("continue_thinking", `{"sessionId":"s","thought":"By fingers","reviseStep":1}`),
		call("continue_thinking", `{"sessionId":"s","thought":"x","reviseStep":3}`),
		call("continue_thinking", `{"sessionId":"s","thought":"x","reviseStep":0}`),
		call("continue_thinking", `{"sessionId":"s","thought":"x","reviseStep":null,"nextNeeded":null}`),
		read("thinking://sessions"),
		call("continue_thinking", `{"sessionId":"s","thought":"x","createBranch":true}`),
		call("continue_thinking", `{"sessionId":"s","thought":"x","createBranch":true}`),
		call("continue_thinking", `{"sessionId":"s_branch_1","thought":"By an abacus","nextNeeded":false}`),
		call("continue_thinking", `{"sessionId":"s_branch_1","thought":"One more"}`),
		call("review_thinking", `{"sessionId":"s"}`),
		call("review_thinking", `{"sessionId":"s_branch_1"}`),
		call("review_thinking", `{"sessionId":"s_branch_2"}`),
		call("start_thinking", `{"problem":"Again?","sessionId":"s","estimatedSteps":7}`),
		call("review_thinking", `{"sessionId":"s"}`),
		call("review_thinking", `{"sessionId":"t"}`),
		call("continue_thinking", `{"sessionId":"t","thought":"x"}`),
		call("continue_thinking", `{"sessionId":"t","thought":"x","reviseStep":1}`),
		call("continue_thinking", `{"sessionId":"t","thought":"x","createBranch":true}`),
		call("start_thinking", `{"problem":"Which id?"}`).Named("generated"),
		call("start_thinking", `{"problem":"How long?","sessionId":"n","estimatedSteps":-1}`).Named("negative"),
		call("continue_thinking", `{"sessionId":"s"}`).Named("nothing thought"),
		read("thinking://s"),
	)}
}

// differences are those of all answers.
func differences() []transcript.Difference {
	const instant = `~"20\d\d-.*Z"`
	const generated = `~"Started thinking session '[A-Z2-7]{26}' for problem: Which id\?\\nEstimated steps: 5\\nReady for your first thought."`
	return slices.Concat(
		transcript.GoSDK(), transcript.Annotated(), transcript.Stricter(), transcript.Undeclared(),
		transcript.Refused("negative", "estimatedSteps: want an integer of at least 1, got -1", "a session has at least one step"),
		[]transcript.Difference{
			transcript.Wrong("nothing thought", "thought: required"),
			{
				Step: "tools/list", Path: "result.tools.*.inputSchema.properties.*.default", Original: "-",
				Why: "the schemas say what is the case if an argument is left out",
			},
			{
				Step: "tools/list", Path: "result.tools.*.inputSchema.properties.estimated*.minimum", Original: "-",
				Why: "the schemas say which numbers make sense",
			},
			{
				Step: "no sessions", Path: "result.contents.0.text", Original: `"null"`, Port: "[]",
				Why: "a list without items is [] in results, never null",
			},
			{
				Step: "read thinking://sessions", Path: "result.contents.0.text.**.created", Original: instant, Port: instant,
				Why: "when it was",
			},
			{
				Step: "read thinking://sessions", Path: "result.contents.0.text.**.lastActivity", Original: instant, Port: instant,
				Why: "when it was",
			},
			{
				Step: "generated", Path: "result.content.0.text", Original: generated, Port: generated,
				Why: "the id is random",
			},
			{
				Step: "read thinking://s", Path: "error.code", Original: "-32602", Port: "-32002", Revision: "2025-11-25",
				Why: "the code of that revision",
			},
			{
				Step: "read thinking://s", Path: "error.message", Original: `"Resource not found"`, Port: `"resource \"thinking://s\" not found"`,
				Why: "the port's message has the URI",
			},
		},
	)
}

func TestLikeTheOriginal(t *testing.T) {
	theirs, ours := transcript.Server{Program: transcript.Build(t, original)}, transcript.Server{Program: transcript.Build(t, ".")}
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			transcript.Compare(t, revision, theirs, ours, script(), differences())
		})
	}
}
