//go:build unix

package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// toolTask is the tool that runs as a task. If its process dies, the task fails.
const toolTask = "task"

// addTasks adds the tools that run as tasks.
func (w *worker) addTasks() error {
	return w.server.AddTool(mcp.Tool{
		Name: toolTask, InputSchema: wire.Raw(`{"type":"object"}`), Execution: &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportRequired},
	}, w.toil)
}

// toil takes its time, reports progress, and perhaps asks the client who it is. No two runs have the same result.
func (w *worker) toil(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
	var q question
	if err := json.Unmarshal(args, &q); err != nil {
		return nil, err
	}
	if err := w.ledger.write(entry{Run: q.Call}); err != nil {
		return nil, err
	}
	for i := range q.Numbers {
		c.Progress().Report(float64(i), float64(q.Numbers), "")
		select {
		case <-time.After(time.Duration(q.Pause) * time.Millisecond):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	answer := q.Call
	if q.Asks {
		who, err := askWho(ctx, c, q)
		if err != nil {
			return nil, err
		}
		answer = answerFrom(q, who)
	}
	return server.TextResult(fmt.Sprintf("%s, in run %d of %s", answer, w.runs.Add(1), w.config.Name)), nil
}

// A job is a task that a user has begun, or a call that has failed to become one.
type job struct {
	question
	id    string // empty if the call failed
	err   error  // of the call
	end   string // as the user saw it first
	other string // another end, or another reason to fail the test
	last  error  // why the user did not learn the end, at the last attempt
	took  time.Duration
}

// delegate begins tasks, one after the other, until ctx ends, and waits for the end of the last one.
func (u *user) delegate(ctx, whole context.Context, random *rand.Rand) {
	for i := 0; ctx.Err() == nil; i++ {
		j := u.begin(whole, random, i)
		u.mu.Lock()
		u.jobs = append(u.jobs, j)
		u.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(between(random, time.Millisecond, time.Second)):
		}
	}
}

// begin begins a task, and follows it to its end: by its own requests and those of another client.
func (u *user) begin(ctx context.Context, random *rand.Rand, i int) *job {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	j := &job{question: question{
		Call: fmt.Sprintf("%s/task%d", u.name, i), Numbers: random.IntN(4), Pause: random.IntN(300), Asks: random.IntN(4) == 0,
	}}
	began := time.Now()
	defer func() { j.took = time.Since(began) }()
	args, err := json.Marshal(j.question)
	if err != nil {
		j.other = err.Error()
		return j
	}
	task, err := taskclient.Start(ctx, u.Client, &mcp.CallToolRequestParams{Name: toolTask, Arguments: args})
	if err != nil {
		j.err = err
		return j
	}
	j.id = task.ID()
	if random.IntN(5) == 0 {
		time.Sleep(between(random, 0, time.Second))
		taskclient.Of(u.anyone(random).Client, j.id).Cancel(ctx) // it may have ended, or the request may fail
	}
	for ; ctx.Err() == nil && j.end == "" && j.other == ""; time.Sleep(20 * time.Millisecond) {
		if j.Asks || random.IntN(2) == 0 {
			task.Result(ctx) // it also answers what the task asks
		}
		j.look(ctx, u.anyone(random))
	}
	if j.end == "" && j.other == "" {
		j.other = fmt.Sprintf("it did not end in time: %v", j.last)
	}
	return j
}

// anyone returns the user or another one: without a principal, whoever knows the id of a task may use it. The requests
// of both have different ways through 2025-11-25, since their sessions are at different instances.
func (u *user) anyone(random *rand.Rand) *user {
	if random.IntN(2) == 0 {
		return u
	}
	return u.peer
}

// look looks by way of a user how the task has ended, and compares that with what was seen before. It reports whether
// the user was told.
func (j *job) look(ctx context.Context, by *user) bool {
	end, err := by.endOf(ctx, j.id)
	rpc, refused := errors.AsType[*jsonrpc.Error](err)
	switch {
	case refused && strings.Contains(rpc.Message, "unknown task"):
		j.other = "it is lost: " + rpc.Message
		return true
	case err != nil:
		j.last = err
		return false
	case j.end == "":
		j.end = end
	case j.end != end:
		j.other = fmt.Sprintf("it ended twice: %s, and %s", j.end, end)
	}
	return true
}

// endOf returns the status, message and result of a task that is over. An error says that it is not, or that the client
// does not know.
func (u *user) endOf(ctx context.Context, id string) (string, error) {
	task := taskclient.Of(u.Client, id)
	now, err := task.Get(ctx)
	if err != nil {
		return "", err
	}
	if !tasks.Done(now.Status) {
		return "", fmt.Errorf("it is %s: %q", now.Status, now.StatusMessage)
	}
	r, err := task.Result(ctx)
	rpc, failed := errors.AsType[*jsonrpc.Error](err)
	end := fmt.Sprintf("%s %q: ", now.Status, now.StatusMessage)
	switch {
	case now.Status == mcp.TaskStatusCancelled && err == taskclient.ErrCancelled:
		return end, nil
	case now.Status == mcp.TaskStatusFailed && failed && rpc.Message == now.StatusMessage:
		return end, nil
	case err == nil:
		return end + text(r), nil
	}
	return "", err
}

// checkTasks looks at all tasks again, after the faults.
func (s *site) checkTasks(users []*user) {
	s.Helper()
	each(users, func(u *user) {
		for i, j := range u.jobs {
			if j.id == "" || j.end == "" {
				continue
			}
			by := []*user{u, u.peer}[i%2]
			for end := time.Now().Add(settleTime); !j.look(s.Context(), by); time.Sleep(20 * time.Millisecond) {
				if time.Now().After(end) {
					j.other = "after the faults, nobody says how it has ended"
					break
				}
			}
		}
	})
	s.note("all tasks have been looked at again")
}

// addTask checks a task that a user has begun: its handler ran once at most, and it has ended once, with its own
// result.
func (y *tally) addTask(s *site, u *user, j *job, runs int) {
	s.Helper()
	completed := strings.HasPrefix(j.end, string(mcp.TaskStatusCompleted))
	y.slowestTask = max(y.slowestTask, j.took)
	own := j.Call + ","
	if j.Asks {
		own = answerFrom(j.question, u.name) + ","
	}
	switch {
	case runs > 1:
		s.Errorf("%s: the task %s ran %d times, want at most once", j.Call, j.id, runs)
	case j.other != "":
		s.Errorf("%s: the task %s: %s", j.Call, j.id, j.other)
	case errors.As(j.err, new(*jsonrpc.TimeoutError)):
		s.Errorf("%s was forgotten: %v", j.Call, j.err)
	case j.err != nil:
		y.notBegun++
	case completed && runs == 0:
		s.Errorf("%s: the task %s completed, but never ran", j.Call, j.id)
	case completed && !strings.Contains(j.end, ": "+own):
		s.Errorf("%s: the task %s ended as %s, want the result %q", j.Call, j.id, j.end, own)
	default:
		y.ends[strings.TrimSuffix(strings.SplitAfter(j.end, `": `)[0], ": ")]++
	}
}

func (y *tally) reportTasks(s *site) {
	s.Helper()
	s.Logf("%d tasks did not begin; the slowest took %v", y.notBegun, y.slowestTask.Round(time.Millisecond))
	total := 0
	for end, n := range y.ends {
		total += n
		s.Logf("%6d tasks: %s", n, end)
	}
	if total == 0 {
		s.Errorf("no task has begun")
	}
}

// checkRecords checks that no task is at work, and that all records expire. A task that asks a client who does not know of
// it waits until it expires.
func (s *site) checkRecords(ctx context.Context, users []*user, st store.Store, records jetstream.Stream) {
	s.Helper()
	unknown := make(map[string]bool)
	for _, u := range users {
		for _, j := range u.jobs {
			unknown[j.Call] = j.err != nil && j.Asks
		}
	}
	var work []string
	if !s.settle("no task is at work", func() bool {
		work = nil
		list, err := st.List(ctx, "work", "", 1000)
		for _, r := range list {
			task, err := st.Get(ctx, string(r.Value))
			_, asks, _ := bytes.Cut(task.Value, []byte(`"message":"`))
			if call, _, _ := bytes.Cut(asks, []byte(`"`)); !unknown[string(call)] {
				work = append(work, fmt.Sprintf("%s: %s, %v", r.Key, task.Value, err))
			}
		}
		return err == nil && len(work) == 0
	}) {
		s.Logf("%s", strings.Join(work, "\n"))
	}
	info, err := records.Info(ctx, jetstream.WithSubjectFilter(prefix+".records.>"))
	if err != nil {
		s.Fatal(err)
	}
	kinds := make(map[string]int)
	for subject := range info.State.Subjects {
		m, err := records.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) { // it has expired
			continue
		}
		if err != nil {
			s.Fatal(err)
		}
		kinds[strings.Split(subject, ".")[2]]++
		if m.Header.Get(jetstream.MsgTTLHeader) == "" {
			s.Errorf("the record %s does not expire: %s", subject, m.Data)
		}
	}
	s.Logf("records that expire, by kind: %v", kinds)
}
