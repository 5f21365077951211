//go:build unix

package chaos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/cluster/nats"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// checkUp checks that after the faults all sessions and subscriptions work, and waits for events that are still in flight.
func (s *site) checkUp(users []*user) {
	s.Helper()
	s.settle("all NATS servers are healthy after the faults", s.natsIsHealthy)
	each(users, func(u *user) {
		s.settle(u.name+" receives a response", func() bool {
			_, err := u.CallTool(s.Context(), &mcp.CallToolRequestParams{Name: "count", Arguments: []byte(`{"call":"` + u.name + `/last"}`)})
			return err == nil
		})
	})
	before := make(map[*user]int)
	for _, u := range users {
		before[u] = u.heard()
	}
	deaf := func(u *user) bool { return u.heard() == before[u] }
	if !s.settle("all subscribers are notified of a change", func() bool {
		s.controlAll("/updated")
		time.Sleep(200 * time.Millisecond) // there may be many subscribers
		return !slices.ContainsFunc(users, deaf)
	}) {
		for _, u := range users {
			if deaf(u) {
				s.Logf("%s is not notified of it; its requests for streams, from other places:\n%s", u, strings.Join(u.tap.trail, "\n"))
				s.logSessions(u)
			}
		}
	}
	s.controlAll("/quiet")
	s.settle("all stored events have been received", func() bool {
		book := readLedgers(s, s.dir)
		return !slices.ContainsFunc(users, func(u *user) bool { return len(u.missing(book)) > 0 })
	})
}

// logSessions logs the records of the sessions of a user.
func (s *site) logSessions(u *user) {
	c, leave := s.join()
	defer leave()
	for id := range u.tap.sessions {
		r, err := c.Store().Get(s.Context(), "session."+id)
		s.Logf("its session is %s, %v", r.Value, err)
	}
}

func (u *user) heard() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.updates
}

// controlAll sends the same control request to all instances.
func (s *site) controlAll(path string) {
	s.Helper()
	for _, in := range s.all {
		resp, err := in.control(path)
		if err != nil {
			s.Errorf("%v", err)
			continue
		}
		resp.Body.Close()
	}
}

// missing returns the events that a client has not received, of the streams that it knows: a client that has received no
// event of a stream cannot ask for the rest.
func (u *user) missing(book *record) []kept {
	u.tap.mu.Lock()
	defer u.tap.mu.Unlock()
	var list []kept
	for id, in := range u.tap.sessions {
		for _, k := range book.kept[id] {
			if in.streams[k.Stream] && in.times[k.ID] == 0 {
				list = append(list, k)
			}
		}
	}
	return list
}

// A tally counts how calls ended.
type tally struct {
	answered, failed, unseen int
	missed                   int // how often a stream began anew
	numbers, told, events    int
	slowest                  time.Duration
	errors                   map[string]int

	notBegun    int            // tasks
	ends        map[string]int // of tasks, by status and message
	slowestTask time.Duration
}

// add checks what a user received.
func (y *tally) add(s *site, u *user) {
	s.Helper()
	book := readLedgers(s, s.dir)
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, w := range u.wrong {
		s.Errorf("%s: received a message for somebody else: %s", u.name, w)
	}
	for _, c := range u.calls {
		y.addCall(s, u, c, book.runs[c.Call])
	}
	for _, j := range u.jobs {
		y.addTask(s, u, j, book.runs[j.Call])
	}
	y.missed += u.wire.check(s, u.name)
	u.tap.check(s, u.name, y)
	for _, k := range u.missing(book) {
		s.Errorf("%s: has not received %s of %s: %s", u.name, k.ID, k.Session, k.Data)
	}
	for teller, numbers := range u.told {
		y.told += len(numbers)
		if !isSequence(numbers) {
			s.Errorf("%s: was told by %s the numbers %v, want them from 0 on without gaps", u.name, teller, numbers)
		}
	}
	want := 1
	if u.rev > mcp.V2025_11_25 {
		want = 0
	}
	if n := len(u.tap.sessions); n != want {
		s.Errorf("%s: had %d sessions, want %d", u.name, n, want)
	}
}

// addCall checks a call: the tool ran once or, if the call failed, perhaps never; the answer belongs to the question; the
// numbers are those that were sent, and complete if the call succeeded.
func (y *tally) addCall(s *site, u *user, c outcome, runs int) {
	s.Helper()
	numbers := u.numbers[c.Call]
	y.numbers += len(numbers)
	y.slowest = max(y.slowest, c.took)
	switch {
	case runs > 1:
		s.Errorf("%s ran %d times", c.Call, runs)
	case errors.As(c.err, new(*jsonrpc.TimeoutError)):
		s.Errorf("%s was forgotten: %v", c.Call, c.err)
	case c.err != nil:
		y.failed++
		if runs == 0 {
			y.unseen++
		}
		if y.errors == nil {
			y.errors = make(map[string]int)
		}
		y.errors[c.err.Error()]++
	case runs == 0:
		s.Errorf("%s succeeded, but never ran", c.Call)
	case c.text != u.want(c):
		s.Errorf("%s: got the answer %q, want %q", c.Call, c.text, u.want(c))
	case len(numbers) != c.Numbers:
		s.Errorf("%s succeeded: got the numbers %v, want %d of them", c.Call, numbers, c.Numbers)
	default:
		y.answered++
	}
	if !isSequence(numbers) {
		s.Errorf("%s: got the numbers %v, want them from 0 on without gaps", c.Call, numbers)
	}
}

func (y *tally) report(s *site) {
	s.Helper()
	s.Logf("%d calls succeeded, %d failed, of which %d never reached a tool; the slowest took %v; %d numbers arrived with calls, %d without; %d events had ids; a stream began anew %d times",
		y.answered, y.failed, y.unseen, y.slowest.Round(time.Millisecond), y.numbers, y.told, y.events, y.missed)
	for text, n := range y.errors {
		s.Logf("%6d failed: %s", n, text)
	}
	y.reportTasks(s)
	if y.answered == 0 || y.failed == 0 {
		s.Errorf("%d calls succeeded and %d failed: a test of faults needs both", y.answered, y.failed)
	}
}

// isSequence reports whether a list is 0, 1, 2 …
func isSequence(list []int) bool {
	for i, n := range list {
		if n != i {
			return false
		}
	}
	return true
}

// check checks that no event was received twice.
func (t *tap) check(s *site, name string, y *tally) {
	s.Helper()
	t.mu.Lock()
	defer t.mu.Unlock()
	for session, in := range t.sessions {
		y.events += len(in.times)
		for id, n := range in.times {
			if n > 1 {
				s.Errorf("%s: received the event %s of %s %d times", name, id, session, n)
			}
		}
	}
}

// check checks that no request ended twice or without having been sent. It returns how often messages without ids may
// have been lost.
func (c *counter) check(s *site, name string) (missed int) {
	s.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, n := range c.ended {
		if n > 1 || !c.sent[id] {
			s.Errorf("%s: request %s ended %d times, sent: %t", name, id, n, c.sent[id])
		}
	}
	return c.missed
}

// leave has all clients end their sessions.
func (s *site) leave(users []*user) {
	s.Helper()
	each(users, func(u *user) {
		begin := time.Now()
		u.close()
		if took := time.Since(begin); took > settleTime/2 {
			s.Errorf("%s took %v to leave", u, took)
		}
	})
	s.note("all clients have left")
}

// checkNothingLeft ends the sessions that clients could not end, and checks that nothing of any session is left.
func (s *site) checkNothingLeft(users []*user) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), 4*settleTime)
	defer cancel()
	conn, err := dialNATS(s.natsURLs())
	if err != nil {
		s.Fatal(err)
	}
	defer conn.Close()
	c, err := nats.New(ctx, conn, clusterOptions(*leaseTTL, silent))
	if err != nil {
		s.Fatal(err)
	}
	defer c.Leave(ctx)
	left := 0
	s.settle("no session is in the store", func() bool {
		list, err := c.Store().List(ctx, "session", "", 1000)
		for _, rec := range list {
			if s.deleteSession(strings.TrimPrefix(rec.Key, "session.")) {
				left++
			}
		}
		return err == nil && len(list) == 0
	})
	s.Logf("%d sessions were left by clients that did not know of them or could not end them", left)
	js, err := jetstream.New(conn)
	if err != nil {
		s.Fatal(err)
	}
	for _, name := range []string{prefix + "_records", prefix + "_events"} {
		stream, err := js.Stream(ctx, name)
		if err != nil {
			s.Fatal(err)
		}
		info, err := stream.Info(ctx)
		if err != nil {
			s.Fatal(err)
		}
		s.Logf("%s: %d messages, %d bytes, %d consumers", name, info.State.Msgs, info.State.Bytes, info.State.Consumers)
		if info.State.Consumers != 0 {
			s.Errorf("%s: %d consumers are left", name, info.State.Consumers)
		}
		if name == prefix+"_records" {
			s.checkRecords(ctx, users, c.Store(), stream)
		}
	}
	s.proxy.transport.CloseIdleConnections()
	for _, in := range s.all {
		var n int
		var stacks string
		if !s.settle(fmt.Sprintf("instance %d has no goroutines for clients", in.number), func() bool {
			n, stacks = in.goroutines()
			return n <= idleGoroutines
		}) {
			s.Logf("instance %d: %s", in.number, stacks)
		}
	}
}

// deleteSession ends a session.
func (s *site) deleteSession(id string) bool {
	r, err := http.NewRequestWithContext(s.Context(), http.MethodDelete, s.proxy.url(), nil)
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Mcp-Session-Id", id)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode/100 == 2
}

// stop shuts all processes down gracefully.
func (s *site) stop() {
	s.Helper()
	each(s.all, func(in *instance) {
		if err := in.process.stop(settleTime); err != nil {
			s.Errorf("instance %d ended with %v", in.number, err)
		}
	})
	s.stopNATS()
	s.note("all processes have ended")
}
