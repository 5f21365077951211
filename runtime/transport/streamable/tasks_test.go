package streamable_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A task of a session outlives the connections of its client. What it asks comes on the stream of
// tasks/result, news of it on the stream of the session, and tasks/get is answered without a stream.
//
// REQ TASK-21
func TestTask(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "test", Version: "1"}, &server.Options{Setup: []server.Setup{taskserver.Enable(nil)}})
	err := s.AddTool(mcp.Tool{
		Name:      "ask",
		Execution: &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportRequired},
	}, ask)
	if err != nil {
		t.Fatal(err)
	}
	h := serve(t, s, nil)
	h.open("2025-11-25")
	news := h.stream(h.request("GET", ""))
	news.next() // the first event, to go on from

	created := h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","task":{}}}`)
	task := wire.Raw(created.body).StringAt("result", "task", "taskId")
	if task == "" || created.header.Get("Content-Type") != "application/json" {
		t.Fatalf("the call was answered %d %s %s", created.status, created.header.Get("Content-Type"), created.body)
	}
	if got := news.next(); !strings.Contains(got, `"notifications/tasks/status"`) || !strings.Contains(got, task) {
		t.Errorf("news: %s", got)
	}

	result := `{"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":"` + task + `"}}`
	left := h.stream(h.request("POST", result))
	left.next() // the first event
	left.next() // the question
	left.resp.Body.Close()

	get := h.post(`{"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"` + task + `"}}`)
	if got := wire.Raw(get.body).StringAt("result", "status"); got != "input_required" || get.header.Get("Content-Type") != "application/json" {
		t.Errorf("tasks/get: %s %s", get.header.Get("Content-Type"), get.body)
	}

	again := h.stream(h.request("POST", strings.Replace(result, `"id":2`, `"id":4`, 1)))
	again.next() // the first event
	_, data, _ := strings.Cut(again.next(), "data: ")
	if got := wire.Raw(data).StringAt("method"); got != "elicitation/create" {
		t.Fatalf("want the question again, got %s", data)
	}
	id := string(wire.Raw(data)[strings.Index(data, `"id":`)+5 : strings.Index(data, `,"method"`)])
	h.post(`{"jsonrpc":"2.0","id":`+id+`,"result":{"action":"decline"}}`).want(t, 202, "")
	if got := again.next(); !strings.Contains(got, `"text":"decline"`) {
		t.Errorf("result: %s", got)
	}
}
