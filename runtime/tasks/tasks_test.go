package tasks_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var at = time.Date(2026, 7, 28, 9, 30, 0, 5e6, time.FixedZone("", 3600))

// REQ XTASK-06, XTASK-08: every state of a task, as it is on the wire.
func TestEncode(t *testing.T) {
	const common = `"createdAt":"2026-07-28T08:30:00.005Z","lastUpdatedAt":"2026-07-28T08:30:01.005Z",`
	for _, test := range []struct {
		task tasks.Task
		want string
	}{
		{tasks.Task{Status: mcp.TaskStatusWorking, StatusMessage: "half", TTL: time.Minute, PollInterval: 2 * time.Second},
			`"status":"working","statusMessage":"half",` + common + `"ttlMs":60000,"pollIntervalMs":2000`},
		{tasks.Task{Status: mcp.TaskStatusInputRequired, InputRequests: mcp.InputRequests{"k": &mcp.ListRootsRequest{}}},
			`"status":"input_required",` + common + `"ttlMs":null,"inputRequests":{"k":{"method":"roots/list"}}`},
		{tasks.Task{Status: mcp.TaskStatusCompleted, Result: wire.Raw(`{"a":1.50}`)},
			`"status":"completed",` + common + `"ttlMs":null,"result":{"a":1.50}`},
		{tasks.Task{Status: mcp.TaskStatusFailed, Error: &jsonrpc.Error{Code: 7, Message: "m"}},
			`"status":"failed",` + common + `"ttlMs":null,"error":{"code":7,"message":"m"}`},
		{tasks.Task{Status: mcp.TaskStatusCancelled, Extra: wire.Extra{{Name: "x", Value: wire.Raw("[]")}}},
			`"status":"cancelled",` + common + `"ttlMs":null,"x":[]`},
	} {
		task := test.task
		task.ID, task.CreatedAt, task.UpdatedAt = "t", at, at.Add(time.Second)
		got, err := json.Marshal(task)
		if want := `{"taskId":"t",` + test.want + `}`; err != nil || string(got) != want {
			t.Errorf("got  %s, %v\nwant %s", got, err, want)
		}
		var back tasks.Task
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatal(err)
		}
		if again, _ := json.Marshal(back); string(again) != string(got) {
			t.Errorf("decoded and encoded again: %s", again)
		}
	}
	if _, err := json.Marshal(tasks.Task{Result: wire.Raw("7")}); err == nil {
		t.Error("a result that is no object is no error")
	}
}

// What other servers may send.
func TestDecode(t *testing.T) {
	const rest = `"taskId":"t","status":"working","createdAt":"2026","lastUpdatedAt":"2026-07-28T09:30:00+01:00"`
	for text, want := range map[string]string{
		`{` + rest + `,"ttlMs":null}`:                                     "0s 0s",
		`{` + rest + `,"ttlMs":-5,"pollIntervalMs":null}`:                 "0s 0s",
		`{` + rest + `,"ttlMs":1e3,"pollIntervalMs":9223372036854775807}`: "1s " + (math.MaxInt64 / time.Millisecond * time.Millisecond).String(),
	} {
		var task tasks.Task
		if err := json.Unmarshal([]byte(text), &task); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := fmt.Sprint(task.TTL, task.PollInterval); got != want || !task.CreatedAt.IsZero() || task.UpdatedAt.Hour() != 9 {
			t.Errorf("%s: got %s, %+v", text, got, task)
		}
	}
	for text, want := range map[string]string{
		`{}`:                                    "missing required members: taskId, status, createdAt, lastUpdatedAt, ttlMs",
		`{` + rest + `,"ttlMs":1,"result":[]}`:  "result: want object, got array",
		`{` + rest + `,"ttlMs":1,"error":{}}`:   "error.code, error.message",
		`{` + rest + `,"ttlMs":1,"taskId":"u"}`: "taskId",
		`{` + rest + `,"ttlMs":1.5}`:            "ttlMs: ",
		`{` + rest + `,"ttlMs":1,"inputRequests":{"a":{"method":"roots/list","params":7}}}`: "inputRequests.a.params: ",
	} {
		err := json.Unmarshal([]byte(text), new(tasks.Task))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// REQ TASK-07: the same task in the core of 2025-11-25.
func TestCore(t *testing.T) {
	task := &tasks.Task{ID: "t", Status: mcp.TaskStatusWorking, StatusMessage: "m", CreatedAt: at, UpdatedAt: at, TTL: time.Hour}
	core := task.Core()
	got, err := wire.Marshal(mcp.V2025_11_25, &core)
	const want = `{"taskId":"t","status":"working","statusMessage":"m","createdAt":"2026-07-28T08:30:00.005Z",` +
		`"lastUpdatedAt":"2026-07-28T08:30:00.005Z","ttl":3600000}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	core = tasks.FromCore(&core).Core()
	if again, _ := wire.Marshal(mcp.V2025_11_25, &core); string(again) != want {
		t.Errorf("there and back: %s", again)
	}
	if e := task.Expires(); !e.Equal(at.Add(time.Hour)) {
		t.Errorf("expires %v", e)
	}
	if e := new(tasks.Task).Expires(); !e.IsZero() {
		t.Errorf("without a limit: expires %v", e)
	}
}

func TestParams(t *testing.T) {
	const text = `{"_meta":{"a":1},"taskId":"t","inputResponses":{"k":{"roots":[]}},"x":1}`
	var p extension.UpdateTaskRequestParams
	if err := wire.Decode([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	if again, err := wire.Marshal(wire.Any, &p); err != nil || string(again) != text {
		t.Errorf("got %s, %v", again, err)
	}
}

// Whatever comes, decoding does not panic, and what it accepts stays the same when it is encoded and
// decoded again.
func FuzzTask(f *testing.F) {
	f.Add(`{"taskId":"t","status":"working","createdAt":"2026-07-28T09:30:00Z","lastUpdatedAt":"","ttlMs":1,"x":{}}`)
	f.Add(`{"taskId":"t","status":"failed","createdAt":"","lastUpdatedAt":"","ttlMs":null,"error":{"code":1,"message":""},"result":{}}`)
	f.Add(`{"taskId":"","status":"","createdAt":"","lastUpdatedAt":"","ttlMs":null,"pollIntervalMs":1e18,"inputRequests":{"a":{"method":"roots/list"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var state extension.GetTaskResult
		if wire.Decode([]byte(text), &state) != nil {
			return
		}
		task := tasks.FromState(&state)
		first, err := wire.Marshal(mcp.V2026_07_28, task.State())
		if err != nil {
			return // what it asks is of another revision
		}
		var again extension.GetTaskResult
		if err := wire.Decode(first, &again); err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		if second, err := wire.Marshal(mcp.V2026_07_28, tasks.FromState(&again).State()); err != nil || string(second) != string(first) {
			t.Fatalf("%s became %s, %v", first, second, err)
		}
		core := task.Core()
		if _, err := wire.Marshal(mcp.V2025_11_25, &core); err != nil && task.Status != "" {
			t.Fatal(err)
		}
	})
}

// decoded returns the task in the params of a notification, which can be decoded as the result of tasks/get.
func decoded(t *testing.T, message wire.Encodable) *tasks.Task {
	t.Helper()
	raw, err := wire.Marshal(mcp.V2026_07_28, message)
	if err != nil {
		t.Fatal(err)
	}
	state := new(extension.GetTaskResult)
	if err := wire.Decode(raw, state); err != nil {
		t.Fatal(err)
	}
	return tasks.FromState(state)
}

// Each form that a task takes in messages carries all that it has a place for, there and back.
func TestThereAndBack(t *testing.T) {
	utc := at.UTC().Round(0)
	common := tasks.Task{
		ID: "t", Status: mcp.TaskStatusWorking, StatusMessage: "m", CreatedAt: utc, UpdatedAt: utc.Add(time.Second), TTL: time.Minute, PollInterval: time.Second,
		Extra: wire.Extra{{Name: "x", Value: wire.Raw("[]")}},
	}
	all := common
	all.InputRequests = mcp.InputRequests{"k": &mcp.ListRootsRequest{}}
	all.Result = wire.Raw("{}")
	all.Error = &jsonrpc.Error{Code: 7, Message: "e", Data: wire.Raw("[7]")}
	changed := all.Changed(&mcp.NotificationMetaObject{})
	if changed.Meta == nil {
		t.Error("a notification lacks its metadata")
	}
	core := all.Core()
	for name, test := range map[string]struct{ want, got *tasks.Task }{
		"2025-11-25":                   {&common, tasks.FromCore(&core)},
		"2025-11-25, the status":       {&common, tasks.FromCoreState(all.CoreState())},
		"the extension":                {&common, tasks.FromCreated(all.Created())},
		"the extension, the status":    {&all, tasks.FromState(all.State())},
		"the extension, notifications": {&all, decoded(t, changed)},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if got := tasks.FromCore(&mcp.Task{CreatedAt: "2026-07-28T25:00:00Z"}); !got.CreatedAt.IsZero() {
		t.Errorf("what is no time is %v", got.CreatedAt)
	}
}

func TestDone(t *testing.T) {
	for status, want := range map[mcp.TaskStatus]bool{
		mcp.TaskStatusCompleted: true, mcp.TaskStatusFailed: true, mcp.TaskStatusCancelled: true,
		mcp.TaskStatusWorking: false, mcp.TaskStatusInputRequired: false, "": false, "other": false,
	} {
		if got := tasks.Done(status); got != want {
			t.Errorf("%s: got %t", status, got)
		}
	}
}

// A task has the progress that was set last. Copies that were made before keep theirs.
func TestProgress(t *testing.T) {
	var task tasks.Task
	if p, ok := task.Progress(); ok || p != (tasks.Progress{}) {
		t.Errorf("a task without one has %+v", p)
	}
	first := tasks.Progress{Done: 1, Total: 3, Message: "m"}
	task.SetProgress(first)
	copied := task
	task.SetProgress(tasks.Progress{Done: 2})
	task.SetProgress(tasks.Progress{Done: math.NaN()}) // is ignored
	if p, ok := task.Progress(); !ok || p != (tasks.Progress{Done: 2}) {
		t.Errorf("got %+v and %t", p, ok)
	}
	if p, ok := copied.Progress(); !ok || p != first {
		t.Errorf("the copy has %+v and %t", p, ok)
	}
	copied.Extra = wire.Extra{{Name: copied.Extra[0].Name, Value: wire.Raw(`{"message":"m","progress":""}`)}}
	if p, ok := copied.Progress(); ok || p != (tasks.Progress{}) {
		t.Errorf("what is no progress is %+v", p)
	}
}
