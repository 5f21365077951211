package transcript

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
			Step: "*/list", Path: "result.ttlMs", Original: "0", Port: "-", Revision: "2025-11-25",
			Why: "how long a client may keep a list is a matter of 2026-07-28",
		},
		{
			Step: "*/list", Path: "result.cacheScope", Original: `"public"`, Port: "-", Revision: "2025-11-25",
			Why: "who may keep a list is a matter of 2026-07-28",
		},
		{
			Step: "*", Path: "result.cacheScope", Original: `"public"`, Port: `"private"`, Revision: "2026-07-28",
			Why: "proxies keep nothing unless the server's options say so",
		},
		{
			Step: "server/discover", Path: "result.supportedVersions", Revision: "2026-07-28",
			Original: `["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]`, Port: `["2026-07-28"]`,
			Why: "the revisions without sessions; initialize tells the others",
		},
	}
}

// Annotated returns the differences of tools whose functions say more of them than the original does.
func Annotated() []Difference {
	return []Difference{
		{
			Step: "tools/list", Path: "result.tools.*.description",
			Why: "a comment of Go is a sentence",
		},
		{
			Step: "tools/list", Path: "result.tools.*.annotations", Original: "-",
			Why: "the port says which tools only read, and which delete",
		},
		{
			Step: "tools/list", Path: "result.tools.*.inputSchema.**.type", Original: `~\["null","\w+"\]`, Port: `~"\w+"`,
			Why: "an argument that is required, or left out, is not null",
		},
	}
}
