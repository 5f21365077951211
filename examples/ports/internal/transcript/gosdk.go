package transcript

import "strconv"

// GoSDK returns the differences between any server of go-sdk with tools and its port.
func GoSDK() []Difference {
	return []Difference{
		{
			Step: "initialize", Path: "result.serverInfo.version", Original: `""`, Port: `"1.0.0"`, Revision: "2025-11-25",
			Why: "a server of mcpgen has a version",
		},
		{
			Step: "*", Path: "result._meta.io.modelcontextprotocol/serverInfo.version", Original: `""`, Port: `"1.0.0"`, Revision: "2026-07-28",
			Why: "a server of mcpgen has a version",
		},
		{
			Step: "*", Path: "result.ttlMs", Original: "0", Port: "-", Revision: "2025-11-25",
			Why: "how long a client may keep an answer is a matter of 2026-07-28",
		},
		{
			Step: "*", Path: "result.cacheScope", Original: `"public"`, Port: "-", Revision: "2025-11-25",
			Why: "who may keep an answer is a matter of 2026-07-28",
		},
		{
			Step: "*", Path: "result.cacheScope", Original: `"public"`, Port: `"private"`, Revision: "2026-07-28",
			Why: "proxies keep nothing unless the server's options say so",
		},
		{
			Step: "server/discover", Path: "result.supportedVersions", Revision: "2026-07-28",
			Original: `["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]`, Port: `~\["2026-07-28".*\]`,
			Why: "the revisions without sessions; initialize tells the others",
		},
	}
}

// Annotated returns the differences of tools whose functions say more of them than the original does.
func Annotated() []Difference {
	return []Difference{
		{
			Step: "*/list", Path: "result.*.*.description",
			Why: "a comment of Go is a sentence",
		},
		{
			Step: "tools/list", Path: "result.tools.*.annotations", Original: "-",
			Why: "the port says which tools only read, and which delete",
		},
	}
}

// Stricter returns the differences of tools whose arguments are described, and cannot be null.
func Stricter() []Difference {
	return []Difference{
		{
			Step: "tools/list", Path: "result.tools.*.*Schema.**.description", Original: "-",
			Why: "the comments of parameters, fields and types are in the schemas",
		},
		{
			Step: "tools/list", Path: "result.tools.*.inputSchema.**.type", Original: `~\["null","\w+"\]`, Port: `~"\w+"`,
			Why: "an argument that is required, or left out, is not null",
		},
	}
}

// Undeclared returns the differences of servers of go-sdk that do not log, or lack prompts or resources.
func Undeclared() []Difference {
	return []Difference{
		{
			Step: "*", Path: "result.capabilities.logging", Original: "{}", Port: "-",
			Why: "no tool logs to the client",
		},
		{
			Step: "*s/list", Path: "result", Original: `~.*"(prompts|resources|resourceTemplates)":\{\}.*`, Port: "-",
			Why: "there are none, and neither server declares the capability",
		},
		{
			Step: "*s/list", Path: "error", Original: "-", Port: `~\{"code":-32601,.*\}`,
			Why: "the same",
		},
	}
}

// Wrong returns the difference between two texts about wrong arguments: that of the port has a line with the place and
// what is wanted for each of them.
func Wrong(step, port string) Difference {
	return Difference{
		Step: step, Path: "result.content.0.text", Original: `~"validating .*"`, Port: strconv.Quote(port),
		Why: "the port tells what is wrong line by line, with the place",
	}
}

// Refused returns the differences of a call that the port refuses, since its arguments are checked more strictly.
func Refused(step, port, why string) []Difference {
	return []Difference{
		{Step: step, Path: "result.content.0.text", Port: strconv.Quote(port), Why: why},
		{Step: step, Path: "result.isError", Original: "-", Port: "true", Why: why},
	}
}
