package model

// extensionTables returns the exceptions for the schema of each extension, by its identifier.
func extensionTables() map[string][]exception {
	return map[string][]exception{
		"io.modelcontextprotocol/skills": skillsTable,
		"io.modelcontextprotocol/tasks":  tasksTable,
		"io.modelcontextprotocol/ui":     uiTable,
	}
}

// tasksTable is for the tasks extension. Its specification is specification/draft/tasks.md of
// modelcontextprotocol/ext-tasks.
var tasksTable = []exception{
	{do: flat, at: "DetailedTask", from: "2026-07-28", reason: "the arms repeat nine members and differ in one; readers look at status"},
	{do: flat, at: "GetTaskResult", from: "2026-07-28", reason: "of the arms of DetailedTask"},
	{do: flat, at: "TaskStatusNotificationParams", from: "2026-07-28", reason: "of the arms of DetailedTask"},

	{do: extend, at: "GetTaskRequest.params", to: "RequestParams", from: "2026-07-28", reason: "every request of this revision has _meta"},
	{do: extend, at: "UpdateTaskRequest.params", to: "RequestParams", from: "2026-07-28", reason: "every request of this revision has _meta"},
	{do: extend, at: "CancelTaskRequest.params", to: "RequestParams", from: "2026-07-28", reason: "every request of this revision has _meta"},

	{do: raw, at: "CompletedTask.result", from: "2026-07-28", reason: "the result of another request: decoded by its type"},

	{do: absence, at: "GetTaskResult.resultType", to: "complete", from: "2026-07-28", reason: "what a result is that does not say its type"},
	{do: absence, at: "UpdateTaskResult.resultType", to: "complete", from: "2026-07-28", reason: "what a result is that does not say its type"},
	{do: absence, at: "CancelTaskResult.resultType", to: "complete", from: "2026-07-28", reason: "what a result is that does not say its type"},

	{do: nameParam, at: "tasks/get", to: "taskId", from: "2026-07-28", reason: "Streamable HTTP: Routing Headers"},
	{do: nameParam, at: "tasks/update", to: "taskId", from: "2026-07-28", reason: "Streamable HTTP: Routing Headers"},
	{do: nameParam, at: "tasks/cancel", to: "taskId", from: "2026-07-28", reason: "Streamable HTTP: Routing Headers"},

	{do: sent, at: "GetTaskRequest", to: "client", from: "2026-07-28", reason: "Task Polling: in no union of requests"},
	{do: sent, at: "UpdateTaskRequest", to: "client", from: "2026-07-28", reason: "Task Update Requests: in no union of requests"},
	{do: sent, at: "CancelTaskRequest", to: "client", from: "2026-07-28", reason: "Task Cancellation: in no union of requests"},
	{do: sent, at: "TaskStatusNotification", to: "server", from: "2026-07-28", reason: "Task Status Notifications: in no union of notifications"},
}

// skillsTable is for the skills extension. Its specification is specification/stable/skills.mdx of
// modelcontextprotocol/ext-skills.
var skillsTable = []exception{
	{do: absence, at: "ListSkillsResult.resultType", to: "complete", from: "2026-07-28", reason: "what a result is that does not say its type"},
	{do: absence, at: "GetSkillResult.resultType", to: "complete", from: "2026-07-28", reason: "what a result is that does not say its type"},
	{do: absence, at: "ReadResourceDirectoryResult.resultType", to: "complete", from: "2026-07-28", reason: "what a result is that does not say its type"},
}

// uiTable is for the ui extension. Its specification is specification/2026-01-26/apps.mdx of
// modelcontextprotocol/ext-apps: an app, which it calls a view, is the client, and the host that shows it is the
// server.
var uiTable = []exception{
	{do: trim, at: "McpUi", from: "2025-06-18", reason: "the package is called ui"},
	{do: fractions, at: "SizeChangedNotification", from: "2025-06-18", reason: "pixels of CSS"},
	{do: fractions, at: "HostContext", from: "2025-06-18", reason: "pixels of CSS"},

	{do: flat, at: "HostContext.containerDimensions", from: "2025-06-18", reason: "each direction is fixed or has a limit: four arms without names"},
	{do: asMap, at: "Styles", from: "2025-06-18", reason: "76 members, which differ in nothing but their names: StyleVariableKey has these"},
	{do: retype, at: "DownloadFileRequest.params.contents", to: "ContentBlock", from: "2025-06-18", reason: "two arms of a union of the base, which cannot be arms of another package's"},

	{do: sent, at: "OpenLinkRequest", to: "client", from: "2025-06-18", reason: "View to Host: in no union"},
	{do: sent, at: "DownloadFileRequest", to: "client", from: "2025-06-18", reason: "View to Host: in no union"},
	{do: sent, at: "MessageRequest", to: "client", from: "2025-06-18", reason: "View to Host: in no union"},
	{do: sent, at: "UpdateModelContextRequest", to: "client", from: "2025-06-18", reason: "View to Host: in no union"},
	{do: sent, at: "InitializeRequest", to: "client", from: "2025-06-18", reason: "View to Host: in no union"},
	{do: sent, at: "RequestDisplayModeRequest", to: "client", from: "2025-06-18", reason: "View to Host: in no union"},
	{do: sent, at: "SandboxProxyReadyNotification", to: "client", from: "2025-06-18", reason: "View to Host: in no union"},
	{do: sent, at: "SizeChangedNotification", to: "client", from: "2025-06-18", reason: "View to Host: in no union"},
	{do: sent, at: "RequestTeardownNotification", to: "client", from: "2025-06-18", reason: "View to Host: in no union"},
	{do: sent, at: "InitializedNotification", to: "client", from: "2025-06-18", reason: "View to Host: in no union"},
	{do: sent, at: "ResourceTeardownRequest", to: "server", from: "2025-06-18", reason: "Host to View: in no union"},
	{do: sent, at: "SandboxResourceReadyNotification", to: "server", from: "2025-06-18", reason: "Host to View: in no union"},
	{do: sent, at: "ToolInputNotification", to: "server", from: "2025-06-18", reason: "Host to View: in no union"},
	{do: sent, at: "ToolInputPartialNotification", to: "server", from: "2025-06-18", reason: "Host to View: in no union"},
	{do: sent, at: "ToolResultNotification", to: "server", from: "2025-06-18", reason: "Host to View: in no union"},
	{do: sent, at: "ToolCancelledNotification", to: "server", from: "2025-06-18", reason: "Host to View: in no union"},
	{do: sent, at: "HostContextChangedNotification", to: "server", from: "2025-06-18", reason: "Host to View: in no union"},
}
