package main

import (
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/examples/ports/internal/transcript"
)

const original = "github.com/modelcontextprotocol/go-sdk/examples/server/everything"

// script has all that the server offers. With asking, tools also ask the client.
func script(asking bool) transcript.Script {
	call := transcript.Call
	get := func(name, params string) transcript.Step {
		return transcript.Step{Name: name, Method: "prompts/get", Params: params}
	}
	read := func(uri string) transcript.Step {
		return transcript.Step{Name: "read " + uri, Method: "resources/read", Params: `{"uri":"` + uri + `"}`}
	}
	complete := func(name, argument, ref string) transcript.Step {
		return transcript.Step{Name: name, Method: "completion/complete", Params: `{"ref":` + ref + `,"argument":{"name":"` + argument + `","value":"Ad"}}`}
	}
	s := transcript.Script{
		Capabilities: `{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}`,
		Renamed: map[string]string{
			"greet (structured)": "greet_structured", "greet (content with ResourceLink)": "greet_link", "elicit (form)": "elicit_form",
			"greet (with Icons)": "greet_with_icons",
			"elicit (url)":       "elicit_url",
		},
		Steps: append(transcript.Lists(),
			call("greet", `{"name":"Ada"}`),
			call("greet (structured)", `{"name":"Ada"}`),
			call("greet (with Icons)", `{"name":"Ada"}`),
			call("greet (content with ResourceLink)", `{"name":"Ada & Co"}`),
			call("greet", `{}`).Named("nobody"),
			call("greet", `{"name":3}`).Named("a number"),
			call("greet", `{"name":"Ada","loud":true}`).Named("too much"),
			call("shout", `{}`),
			get("say", `{"name":"greet","arguments":{"name":"Ada"}}`),
			get("say with icons", `{"name":"greet (with Icons)","arguments":{"name":"Ada"}}`),
			get("say to nobody", `{"name":"greet"}`),
			get("say what", `{"name":"shout"}`),
			read("embedded:info"),
			read("embedded:other"),
			read("http://example.com/~ada/"),
			complete("complete a prompt", "name", `{"type":"ref/prompt","name":"greet"}`),
			complete("complete a template", "resource_name", `{"type":"ref/resource","uri":"http://example.com/~{resource_name}/"}`),
		),
	}
	if asking {
		answered := func(tool, method, result string) transcript.Step { return call(tool, `{}`).Asked(method, result) }
		s.Steps = append(s.Steps,
			answered("ping", "ping", `{}`),
			call("ping", `{"host":"x"}`).Named("ping what").Asked("ping", `{}`),
			call("log", `{}`).Named("log nothing yet"),
			transcript.Step{Method: "logging/setLevel", Params: `{"level":"warning"}`},
			call("log", `{}`),
			answered("sample", "sampling/createMessage", `{"role":"assistant","model":"m","content":{"type":"text","text":"Hello"}}`),
			answered("sample", "sampling/createMessage", `{"role":"assistant","model":"m","content":{"type":"image","mimeType":"image/png","data":"aWNvbg=="}}`),
			answered("elicit (form)", "elicitation/create", `{"action":"accept","content":{"random":"four"}}`),
			answered("elicit (url)", "elicitation/create", `{"action":"accept"}`),
			answered("elicit (url)", "elicitation/create", `{"action":"decline"}`),
			answered("roots", "roots/list", `{"roots":[{"uri":"file:///a","name":"a"},{"uri":"file:///b"}]}`),
		)
	}
	return s
}

// differences are those of all answers. With asking, tools also ask the client.
func differences(asking bool) []transcript.Difference {
	const icon = `~"data:image/png;base64,[\w+/]+=*"`
	all := slices.Concat(transcript.GoSDK(), transcript.Annotated(), []transcript.Difference{
		transcript.Wrong("nobody", "name: required"),
		transcript.Wrong("a number", "name: want a string, got 3"),
		transcript.Wrong("too much", "loud: unknown argument"),
		{
			Step: "*", Path: "result.**.icons.0.src", Original: icon, Port: icon,
			Why: "another image",
		},
		{
			Step: "tools/list", Path: "result.tools.*.inputSchema.additionalProperties", Original: "-", Port: "false",
			Why: "a tool without arguments takes none",
		},
		{
			Step: "tools/list", Path: "result.tools.*.outputSchema.additionalProperties", Original: "false", Port: "-",
			Why: "results may have a member more one day",
		},
		{
			Step: "tools/list", Path: "result.tools.*.outputSchema.properties.message.description", Original: `"the message to convey"`, Port: "-",
			Why: "a result with a name of its own needs no words",
		},
		{
			Step: "prompts/list", Path: "result.prompts.*.arguments", Original: "-", Port: `[{"name":"name"}]`,
			Why: "the port says which arguments prompts take",
		},
		{
			Step: "say*", Path: "result.description", Original: `"Hi prompt"`, Port: "-",
			Why: "the description of a prompt is in the list",
		},
		{
			Step: "read embedded:other", Path: "error.code", Original: "-32602", Port: "-32002", Revision: "2025-11-25",
			Why: "the code of that revision",
		},
		{
			Step: "read embedded:other", Path: "error.message", Original: `"Resource not found"`, Port: `"resource \"embedded:other\" not found"`,
			Why: "the port's message has the URI",
		},
		{
			Step: "read http:*", Path: "error.code", Original: "0", Port: "-32603",
			Why: "an error of a handler has the code of an internal error",
		},
		{
			Step: "complete *", Path: "result.completion.hasMore", Original: "-", Port: "false",
			Why: "the port says that there are no more",
		},
	})
	if asking {
		all = append(all, []transcript.Difference{
			{
				Step: "ping what", Path: "result.isError", Original: "-", Port: "true",
				Why: "a tool without arguments takes none",
			},
			{
				Step: "ping what", Path: "result.content", Original: "[]", Port: `[{"text":"host: unknown argument","type":"text"}]`,
				Why: "a tool without arguments takes none",
			},
			{
				Step: "ping what", Path: "messages", Port: "null",
				Why: "a tool without arguments takes none",
			},
			{
				Step: "log nothing yet", Path: "messages", Original: "null",
				Port: `[{"method":"notifications/message","params":{"data":"something happened!","level":"error"}}]`,
				Why:  "the server chooses what it sends before the client has set a level",
			},
		}...)
	}
	return all
}

func TestLikeTheOriginal(t *testing.T) {
	theirs, ours := transcript.Server{Program: transcript.Build(t, original)}, transcript.Server{Program: transcript.Build(t, ".")}
	t.Run("2025-11-25", func(t *testing.T) { transcript.Compare(t, "2025-11-25", theirs, ours, script(true), differences(true)) })
	t.Run("2026-07-28", func(t *testing.T) {
		transcript.Compare(t, "2026-07-28", theirs, ours, script(false), differences(false))
	})
}
