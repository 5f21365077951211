package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/bench/harness"
)

// revision is the one that the clients of the workload initialize with.
const revision = "2024-11-05"

// A client sends messages to an endpoint.
type client struct {
	hc  *http.Client
	url string
}

func newClient(url string) *client {
	hc := harness.NewHTTPClient()
	hc.Timeout = 10 * time.Second
	return &client{hc, url}
}

// send sends a request with a body, or a DELETE without one, in a session if there is one, and returns the body and the session
// of the response. Version is that of the header, if there is one.
func (c *client) send(body []byte, session, version string) (response []byte, opened string, err error) {
	method := http.MethodPost
	if body == nil {
		method = http.MethodDelete
	}
	r, err := http.NewRequest(method, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	if body != nil {
		r.Header["Content-Type"] = []string{"application/json"}
		r.Header["Accept"] = []string{"application/json, text/event-stream"}
	}
	if session != "" {
		r.Header["Mcp-Session-Id"] = []string{session}
	}
	if version != "" {
		r.Header["Mcp-Protocol-Version"] = []string{version}
	}
	resp, err := c.hc.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	if response, err = io.ReadAll(resp.Body); err != nil {
		return nil, "", err
	}
	if resp.StatusCode/100 != 2 {
		return nil, "", fmt.Errorf("%s %.60s: %s: %.300s", method, body, resp.Status, response)
	}
	return response, resp.Header.Get("Mcp-Session-Id"), nil
}

// data returns the message of a response, which is an event where the server streams.
func data(response []byte) []byte {
	for line := range bytes.Lines(response) {
		if message, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			return message
		}
	}
	return response
}

// counts are what users of the workload did.
type counts struct {
	iterations int
	counted    int // initialize, tools/call and tools/list: the requests of the published figures
	all        int // HTTP requests
	bytes      int // of the bodies of responses
	calls      []time.Duration
}

func (c *counts) add(o counts) {
	c.iterations += o.iterations
	c.counted += o.counted
	c.all += o.all
	c.bytes += o.bytes
	c.calls = append(c.calls, o.calls...)
}

// A user repeats the iteration of the workload: for each tool a session with one call, and a session with a tools/list.
type user struct {
	*client
	requests []request
	counts   counts
}

// A request is what a session is opened for.
type request struct {
	body  []byte
	call  bool // it is a tools/call
	check func(response []byte) error
}

func newUser(c *client, n int) *user {
	id := userID(n)
	return &user{client: c, requests: []request{
		callOf("search_products", `{"category":"Electronics","min_price":50.0,"max_price":500.0,"limit":10}`, checkSearch),
		callOf("get_user_cart", `{"user_id":"`+id+`"}`, checkCart),
		callOf("checkout", `{"user_id":"`+id+`","items":[{"product_id":42,"quantity":2},{"product_id":1337,"quantity":1}]}`, checkCheckout),
		{[]byte(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`), false, checkList},
	}}
}

func callOf(tool, arguments string, check func([]byte) error) request {
	return request{[]byte(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`), true, check}
}

const (
	initialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{},"clientInfo":{"name":"bench","version":"1.0"}}}`
	initialized = harness.InitializedLine
)

func (u *user) iterate() error {
	for _, r := range u.requests {
		if err := u.session(r); err != nil {
			return err
		}
	}
	u.counts.iterations++
	return nil
}

// session opens a session, makes one request, and ends the session if it has an id.
func (u *user) session(r request) error {
	_, session, err := u.do([]byte(initialize), "")
	if err != nil {
		return err
	}
	if _, _, err := u.do([]byte(initialized), session); err != nil {
		return err
	}
	begun := time.Now()
	response, _, err := u.do(r.body, session)
	if err != nil {
		return err
	}
	if r.call {
		u.counts.calls = append(u.counts.calls, time.Since(begun))
	}
	u.counts.counted += 2
	if err := r.check(data(response)); err != nil {
		return fmt.Errorf("%.80s: %w: %.300s", r.body, err, response)
	}
	if session != "" {
		_, _, err = u.do(nil, session)
	}
	return err
}

func (u *user) do(body []byte, session string) ([]byte, string, error) {
	response, opened, err := u.send(body, session, "")
	u.counts.all++
	u.counts.bytes += len(response)
	return response, opened, err
}

// A decoded response to a tools/call or a tools/list.
type decoded struct {
	Result struct {
		Content []struct{ Text string }
		Tools   []struct{ Name string }
		IsError bool
	}
}

// textOf decodes the text of a result, which is JSON.
func textOf(response []byte, into any) error {
	var d decoded
	if err := json.Unmarshal(response, &d); err != nil {
		return err
	}
	if d.Result.IsError || len(d.Result.Content) == 0 {
		return errors.New("no result")
	}
	return json.Unmarshal([]byte(d.Result.Content[0].Text), into)
}

func checkSearch(response []byte) error {
	var r struct {
		Found    int               `json:"total_found"`
		Products []json.RawMessage `json:"products"`
		Popular  []int             `json:"top10_popular_ids"`
	}
	if err := textOf(response, &r); err != nil {
		return err
	}
	if r.Found != 2251 || len(r.Products) != 10 || len(r.Popular) != 10 {
		return fmt.Errorf("%d found, %d products, %d popular ones", r.Found, len(r.Products), len(r.Popular))
	}
	return nil
}

func checkCart(response []byte) error {
	var r struct {
		UserID  string `json:"user_id"`
		Cart    struct{ Items []json.RawMessage }
		History []json.RawMessage `json:"recent_history"`
	}
	if err := textOf(response, &r); err != nil {
		return err
	}
	if r.UserID == "" || len(r.Cart.Items) == 0 || len(r.History) != 5 {
		return fmt.Errorf("%d items and %d orders of %q", len(r.Cart.Items), len(r.History), r.UserID)
	}
	return nil
}

func checkCheckout(response []byte) error {
	var r struct {
		Status string
		Total  float64
		Items  int `json:"items_count"`
	}
	if err := textOf(response, &r); err != nil {
		return err
	}
	if r.Status != "confirmed" || r.Total <= 0 || r.Items != 2 {
		return fmt.Errorf("%q, %v for %d items", r.Status, r.Total, r.Items)
	}
	return nil
}

func checkList(response []byte) error {
	var d decoded
	if err := json.Unmarshal(response, &d); err != nil {
		return err
	}
	if len(d.Result.Tools) != 3 {
		return fmt.Errorf("%d tools", len(d.Result.Tools))
	}
	return nil
}

// A sample is what a round measured of a cell, with the server's own counters.
type sample struct {
	counts
	wall          time.Duration
	before, after harness.ProcStats
}

// per returns how much of something that the server counts went to each of n.
func (s *sample) per(n int, of func(harness.ProcStats) float64) float64 {
	return (of(s.after) - of(s.before)) / float64(max(n, 1))
}

func cpuOf(s harness.ProcStats) float64    { return float64(s.CPUNs) / 1e3 }
func sysOf(s harness.ProcStats) float64    { return float64(s.SysNs) / 1e3 }
func allocsOf(s harness.ProcStats) float64 { return float64(s.Mallocs) }
func kibOf(s harness.ProcStats) float64    { return float64(s.TotalAlloc) / 1024 }

// percentile returns that of the latencies of calls, which it sorts, in milliseconds.
func (s *sample) percentile(p int) float64 {
	if len(s.calls) == 0 {
		return 0
	}
	slices.Sort(s.calls)
	return float64(s.calls[(len(s.calls)-1)*p/100]) / 1e6
}

// A cell is a row of a table before it is measured: a server, and what is asked of it.
type cell struct {
	name    string
	child   *harness.Child
	client  *client
	measure func(*cell) (*sample, error)
	samples []*sample // one for each round
}

// loadShop lets users repeat the workload, for warm without measuring and then for d.
func loadShop(users int, warm, d time.Duration) func(*cell) (*sample, error) {
	return func(c *cell) (*sample, error) {
		var s sample
		if _, err := repeat(c.client, users, warm); err != nil {
			return nil, err
		}
		var err error
		if s.before, err = c.child.Do("stats"); err != nil {
			return nil, err
		}
		begun := time.Now()
		if s.counts, err = repeat(c.client, users, d); err != nil {
			return nil, err
		}
		s.wall = time.Since(begun)
		s.after, err = c.child.Do("stats")
		return &s, err
	}
}

// repeat lets users repeat the workload until d is over, and each end the iteration it is in. Each does it once at least.
func repeat(c *client, users int, d time.Duration) (counts, error) {
	all := make([]*user, users)
	errs := make([]error, users)
	end := time.Now().Add(d)
	var wg sync.WaitGroup
	for i := range all {
		all[i] = newUser(c, i+1)
		wg.Go(func() {
			for errs[i] == nil {
				errs[i] = all[i].iterate()
				if time.Now().After(end) {
					return
				}
			}
		})
	}
	wg.Wait()
	var sum counts
	for _, u := range all {
		sum.add(u.counts)
	}
	return sum, errors.Join(errs...)
}

// loadEcho opens sessions, each of which makes some calls that are not measured, and then lets all of them at once make a number
// of calls together, each with another argument.
func loadEcho(sessions, warm, calls int) func(*cell) (*sample, error) {
	return func(c *cell) (*sample, error) {
		var s sample
		all := make([]*echoer, sessions)
		for i := range all {
			_, id, err := c.client.send([]byte(harness.InitializeLine), "", "")
			if err != nil {
				return nil, err
			}
			if _, _, err := c.client.send([]byte(initialized), id, harness.Legacy); err != nil {
				return nil, err
			}
			all[i] = &echoer{client: c.client, session: id, next: i * 1_000_000}
		}
		each := func(n int) error {
			errs := make([]error, sessions)
			var wg sync.WaitGroup
			start := make(chan struct{})
			for i, e := range all {
				wg.Go(func() {
					<-start
					errs[i] = e.repeat(n)
				})
			}
			close(start)
			wg.Wait()
			return errors.Join(errs...)
		}
		if err := each(warm); err != nil {
			return nil, err
		}
		for _, e := range all {
			e.counts = counts{}
		}
		var err error
		if s.before, err = c.child.Do("stats"); err != nil {
			return nil, err
		}
		begun := time.Now()
		if err := each(max(calls/sessions, 1)); err != nil {
			return nil, err
		}
		s.wall = time.Since(begun)
		if s.after, err = c.child.Do("stats"); err != nil {
			return nil, err
		}
		for _, e := range all {
			s.add(e.counts)
			if e.session == "" {
				continue
			}
			if _, _, err := c.client.send(nil, e.session, harness.Legacy); err != nil {
				return nil, fmt.Errorf("ending a session: %w", err)
			}
		}
		return &s, nil
	}
}

// An echoer calls the echo tool in a session.
type echoer struct {
	*client
	session string
	next    int
	counts  counts
}

func (e *echoer) repeat(n int) error {
	for range n {
		e.next++
		body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"message":"%[1]d"}}}`, e.next)
		begun := time.Now()
		response, _, err := e.send(body, e.session, harness.Legacy)
		if err != nil {
			return err
		}
		e.counts.calls = append(e.counts.calls, time.Since(begun))
		if !bytes.Contains(response, fmt.Appendf(nil, `"text":"%d"`, e.next)) {
			return fmt.Errorf("the echo of %d is %.300s", e.next, response)
		}
		e.counts.iterations++
		e.counts.counted++
		e.counts.all++
		e.counts.bytes += len(response)
	}
	return nil
}
