package tasks_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

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

// The store in memory against a map.
func TestMemory(t *testing.T) {
	var m tasks.Memory
	ctx := t.Context()
	want := map[string]*tasks.Record{}
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		id := fmt.Sprint("t", random.IntN(100))
		switch random.IntN(4) {
		case 0, 1:
			r := &tasks.Record{Task: tasks.Task{ID: id}, Principal: fmt.Sprint("p", random.IntN(3))}
			want[id] = r
			if err := m.Put(ctx, r); err != nil {
				t.Fatal(err)
			}
		case 2:
			delete(want, id)
			if err := m.Delete(ctx, id); err != nil {
				t.Fatal(err)
			}
		default:
			if r, err := m.Get(ctx, id); err != nil || r != want[id] {
				t.Fatalf("get %s: %v, %v", id, r, err)
			}
			after, n := fmt.Sprint("t", random.IntN(100)), random.IntN(10)
			var expected []*tasks.Record
			for _, r := range want {
				if r.Principal == "p1" && r.Task.ID > after {
					expected = append(expected, r)
				}
			}
			slices.SortFunc(expected, func(a, b *tasks.Record) int { return strings.Compare(a.Task.ID, b.Task.ID) })
			if got, err := m.List(ctx, "p1", after, n); err != nil || !slices.Equal(got, expected[:min(n, len(expected))]) {
				t.Fatalf("list after %s: %v, %v", after, got, err)
			}
		}
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 100 {
				id := fmt.Sprint(i, "-", j)
				m.Put(ctx, &tasks.Record{Task: tasks.Task{ID: id}})
				m.List(ctx, "", "", 10)
				m.Get(ctx, id)
				m.Delete(ctx, id)
			}
		})
	}
	wg.Wait()
}

// A record survives a store that keeps JSON.
func TestRecordAsJSON(t *testing.T) {
	r := tasks.Record{Principal: "ada", Revision: mcp.V2025_11_25,
		Task: tasks.Task{ID: "t", Status: mcp.TaskStatusCompleted, CreatedAt: at, TTL: time.Hour, Result: wire.Raw(`{"a":[1]}`)}}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back tasks.Record
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if back.Principal != "ada" || back.Revision != r.Revision || back.Task.ID != "t" || string(back.Task.Result) != `{"a":[1]}` ||
		!back.Task.Expires().Equal(at.Add(time.Hour)) {
		t.Errorf("got %+v", back)
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
