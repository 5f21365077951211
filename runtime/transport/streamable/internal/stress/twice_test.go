package stress

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

// TestTwice has a request delivered twice: while it is at work, and after it was answered. In another
// session the same id is another request.
//
// REQ JRPC-03: an id is good for one request of a session
func TestTwice(t *testing.T) {
	s := newSite(t, nil)
	rt := new(http.Transport)
	v, other := visit(t, rt, s.url()), visit(t, rt, s.url())
	for _, id := range []string{"7", `"seven"`} {
		q := question{Call: "call", Value: 21, Numbers: 1, Pause: 200}
		answer := `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"call: 42"}]}}`
		refusal := `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32600,"message":"invalid request: the id %s"}}`
		first, err := rt.RoundTrip(v.request(t, http.MethodPost, callOf(id, q)))
		if err != nil {
			t.Fatal(err)
		}
		body := bufio.NewReader(first.Body)
		next := func() string {
			data, err := nextData(body)
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
		if got, want := next(), `{"jsonrpc":"2.0","method":"notifications/test/number","params":{"call":"call","number":0}}`; got != want {
			t.Fatalf("id %s: got %s\nwant %s", id, got, want)
		}
		// Now it is at work.
		_, status, got := v.post(t, callOf(id, q))
		if want := fmt.Sprintf(refusal, "is that of another request, which has no response yet"); status != http.StatusBadRequest || got != want {
			t.Errorf("id %s again: got %d %s\nwant 400 %s", id, status, got, want)
		}
		if got := next(); got != answer {
			t.Errorf("id %s: got %s\nwant %s", id, got, answer)
		}
		first.Body.Close()
		_, status, got = v.post(t, callOf(id, q))
		if want := fmt.Sprintf(refusal, "was that of an earlier request, and an id is good for one"); status != http.StatusBadRequest || got != want {
			t.Errorf("id %s once more: got %d %s\nwant 400 %s", id, status, got, want)
		}
		if n := s.ran("call"); n != 1 {
			t.Errorf("id %s: the call ran %d times, want once", id, n)
		}
		if _, status, got := other.post(t, callOf(id, q)); status != http.StatusOK || !strings.Contains(got, answer) {
			t.Errorf("id %s in another session: got %d %s, want the answer", id, status, got)
		}
		s.forget()
	}
	v.leave(t)
	other.leave(t)
	rt.CloseIdleConnections()
	s.expectNothingLeft(t)
	s.stop(t)
}

// TestTwiceAtRandom has everything that clients send delivered twice, on two connections, and lets
// chance decide which of the two responses they get.
func TestTwiceAtRandom(t *testing.T) {
	s := newSite(t, nil)
	network := &repeater{http: new(http.Transport), random: rand.New(rand.NewPCG(theSeed(t), 0))}
	users := make([]*user, shorten(16))
	for i := range users {
		u, err := connect(t.Context(), fmt.Sprint("user", i), s.url(), &http.Client{Transport: network}, mcp.V2025_11_25)
		if err != nil {
			t.Fatal(err)
		}
		users[i] = u
	}
	network.mu.Lock()
	network.repeats = true
	network.mu.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var work sync.WaitGroup
	for i, u := range users {
		work.Go(func() { u.askOn(ctx, t.Context(), rand.New(rand.NewPCG(uint64(i), 0)), 0) })
	}
	time.Sleep(shorten(time.Second))
	settleOutcomes(t, users)
	cancel()
	work.Wait()
	network.mu.Lock()
	network.repeats = false
	network.mu.Unlock()
	network.all.Wait()
	var total tally
	settleCalls(t, users)
	for _, u := range users {
		u.wire.expectOnce(t, u.name)
		total.add(t, s, u)
	}
	total.report(t)
	each(users, func(i int) { users[i].Close() })
	network.http.CloseIdleConnections()
	s.expectNothingLeft(t)
	s.stop(t)
}

// A repeater delivers requests twice.
type repeater struct {
	http *http.Transport
	all  sync.WaitGroup

	mu      sync.Mutex
	random  *rand.Rand
	repeats bool
}

func (p *repeater) RoundTrip(r *http.Request) (*http.Response, error) {
	p.mu.Lock()
	repeats, late, first := p.repeats, time.Duration(p.random.IntN(20))*time.Millisecond, p.random.IntN(2) == 0
	p.mu.Unlock()
	if !repeats || r.Method != http.MethodPost {
		return p.http.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	again := func() *http.Request {
		// The one that is not waited for has its own fate.
		twin := r.Clone(context.WithoutCancel(r.Context()))
		twin.Body = io.NopCloser(bytes.NewReader(body))
		return twin
	}
	seen, unseen := again().WithContext(r.Context()), again()
	p.all.Go(func() {
		if first {
			time.Sleep(late)
		}
		resp, err := p.http.RoundTrip(unseen)
		if err != nil {
			return
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	})
	if !first {
		time.Sleep(late)
	}
	return p.http.RoundTrip(seen)
}
