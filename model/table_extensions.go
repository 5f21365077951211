package model

// extensionTables returns the exceptions for the schema of each extension, by its identifier.
func extensionTables() map[string][]exception {
	return map[string][]exception{"io.modelcontextprotocol/tasks": tasksTable}
}

// tasksTable is of the tasks extension. Its specification is specification/draft/tasks.md of
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
