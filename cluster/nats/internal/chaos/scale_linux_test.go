package chaos

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

var scaleTime = flag.Duration("chaos.scale", 0, "how long TestScale measures each load; it is skipped if 0")

// TestScale measures what calls, records and events cost, separately for instances and NATS servers, by the number of
// instances; see docs/scale.md. It checks nothing, and its numbers mean little on a machine that is busy otherwise.
//
//	go test ./internal/chaos -run TestScale -v -chaos.scale 4s
func TestScale(t *testing.T) {
	if *scaleTime == 0 {
		t.Skip("it measures; to run it: -chaos.scale 4s")
	}
	s := begin(t, 1)
	s.startNATS()
	for i := range 6 {
		s.all = append(s.all, &instance{site: s, number: i, ledger: os.DevNull})
	}
	each(s.all, (*instance).start)
	s.settle("the NATS servers are a cluster", s.natsIsHealthy)
	for _, n := range []int{1, 2, 3, 6} {
		for _, load := range []load{
			{name: "without a session", modern: true},
			{name: "in a session"},
			{name: "in a session, with 2 notifications", numbers: 2},
		} {
			s.measure(n, load)
		}
	}
	s.measureStores()
	each(s.all, func(in *instance) {
		if err := in.process.stop(settleTime); err != nil {
			s.Error(err)
		}
	})
	s.stopNATS()
}

// A load says which calls a measurement makes.
type load struct {
	name    string
	modern  bool
	numbers int
}

// connections is how many calls are in flight at the same time.
const connections = 16

// measure makes calls at the first n instances in turn, and logs what they cost.
func (s *site) measure(n int, l load) {
	s.Helper()
	web := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}}
	defer web.CloseIdleConnections()
	sessions := make([]string, connections)
	for i := range sessions {
		if !l.modern {
			sessions[i] = s.openSession(web, s.all[i%n])
		}
	}
	var calls atomic.Int64
	instances, servers := s.cpu()
	var work sync.WaitGroup
	end := time.Now().Add(*scaleTime)
	for i := range connections {
		work.Go(func() {
			for k := 0; time.Now().Before(end); k++ {
				if err := s.call(web, s.all[(i+k)%n], sessions[i], 2+k, l); err != nil {
					s.Errorf("%v", err)
					return
				}
				calls.Add(1)
			}
		})
	}
	work.Wait()
	after, serversAfter := s.cpu()
	count := float64(calls.Load())
	s.Logf("%d instances, calls %s: %6.0f/s; CPU per call %6.1f µs in instances, %6.1f µs in NATS",
		n, l.name, count/scaleTime.Seconds(), float64((after-instances).Microseconds())/count, float64((serversAfter-servers).Microseconds())/count)
	for _, id := range sessions {
		if id != "" {
			resp, err := s.send(web, s.all[0], http.MethodDelete, id, "", false)
			if err != nil {
				s.Fatal(err)
			}
			resp.Body.Close()
		}
	}
}

// cpu returns the processor time that the instances and the NATS servers have used.
func (s *site) cpu() (instances, servers time.Duration) {
	for _, in := range s.all {
		instances += in.process.cpu()
	}
	for _, n := range s.nats {
		servers += n.process.cpu()
	}
	return instances, servers
}

// cpu returns the processor time that the process has used, in steps of 10 ms.
func (p *process) cpu() time.Duration {
	data, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(p.cmd.Process.Pid), "stat"))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	var user, system int64
	fmt.Sscan(fields[11], &user)
	fmt.Sscan(fields[12], &system)
	return time.Duration(user+system) * 10 * time.Millisecond
}

func (s *site) send(web *http.Client, in *instance, method, session, body string, modern bool) (*http.Response, error) {
	r, err := http.NewRequest(method, "http://"+in.address+"/mcp", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Mcp-Protocol-Version", mcp.V2025_11_25.String())
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	if modern {
		r.Header.Set("Mcp-Protocol-Version", mcp.V2026_07_28.String())
		r.Header.Set("Mcp-Method", "tools/call")
		r.Header.Set("Mcp-Name", "count")
	}
	return web.Do(r)
}

func (s *site) openSession(web *http.Client, in *instance) string {
	s.Helper()
	resp, err := s.send(web, in, http.MethodPost, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"scale","version":"1"}}}`, false)
	if err != nil {
		s.Fatal(err)
	}
	resp.Body.Close()
	id := resp.Header.Get("Mcp-Session-Id")
	resp, err = s.send(web, in, http.MethodPost, id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, false)
	if err != nil {
		s.Fatal(err)
	}
	resp.Body.Close()
	return id
}

func (s *site) call(web *http.Client, in *instance, session string, id int, l load) error {
	meta := ""
	if l.modern {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"scale","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	}
	resp, err := s.send(web, in, http.MethodPost, session, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"count","arguments":{"call":"x","numbers":%d}%s}}`, id, l.numbers, meta), l.modern)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err == nil && (resp.StatusCode != http.StatusOK || !strings.Contains(string(data), answerTo(question{Call: "x", Numbers: l.numbers}))) {
		err = fmt.Errorf("%s: %s", resp.Status, data)
	}
	return err
}

// measureStores logs what it costs to change and to read records, and to store events.
func (s *site) measureStores() {
	s.Helper()
	c, leave := s.join()
	defer leave()
	value := []byte(strings.Repeat("x", 300))
	for _, test := range []struct {
		name string
		do   func(ctx context.Context, key string, revision uint64) (uint64, error)
	}{
		{"records changed", func(ctx context.Context, key string, revision uint64) (uint64, error) {
			return c.Store().Put(ctx, key, value, revision, time.Hour)
		}},
		{"records read", func(ctx context.Context, key string, _ uint64) (uint64, error) {
			r, err := c.Store().Get(ctx, key)
			return r.Revision, err
		}},
		{"events stored", func(ctx context.Context, key string, _ uint64) (uint64, error) {
			_, err := c.Events().Append(ctx, strings.ReplaceAll(key, ".", "-"), "r1", value)
			return 0, err
		}},
	} {
		var count atomic.Int64
		_, servers := s.cpu()
		var work sync.WaitGroup
		end := time.Now().Add(*scaleTime)
		for i := range connections {
			work.Go(func() {
				key, revision := fmt.Sprintf("scale.%d", i), uint64(0)
				for time.Now().Before(end) {
					var err error
					if revision, err = test.do(s.Context(), key, revision); err != nil {
						s.Errorf("%v", err)
						return
					}
					count.Add(1)
				}
			})
		}
		work.Wait()
		_, after := s.cpu()
		s.Logf("%s: %6.0f/s; %6.1f µs of CPU in NATS", test.name, float64(count.Load())/scaleTime.Seconds(), float64((after-servers).Microseconds())/float64(count.Load()))
	}
}
