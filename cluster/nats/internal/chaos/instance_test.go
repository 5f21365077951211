//go:build unix

package chaos

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/cluster/nats"
	"github.com/mcpgen/mcpgen/cluster/shared"
	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	roleInstance = "instance"
	theResource  = "test://one"
	numberMethod = "notifications/test/number"
)

// An instanceConfig configures an instance of the MCP server.
type instanceConfig struct {
	Name   string        `json:"name"` // unique in the test, also among those that were killed
	NATS   string        `json:"nats"`
	Ledger string        `json:"ledger"`
	TTL    time.Duration `json:"ttl"`
}

// clusterOptions are those of all members.
func clusterOptions(ttl time.Duration, log *slog.Logger) *nats.Options {
	return &nats.Options{Prefix: prefix, Replicas: 3, TTL: ttl, EventBytes: 256 << 20, EventsPerStream: 100_000, Logger: log}
}

// runInstance is the main function of an instance.
func runInstance(data []byte) error {
	var c instanceConfig
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	term := terminated()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})).With("instance", c.Name)
	book, err := openLedger(c.Ledger)
	if err != nil {
		return err
	}
	conn, err := dialNATS(c.NATS)
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	cluster, err := nats.New(ctx, conn, clusterOptions(c.TTL, log))
	if err != nil {
		return err
	}
	w := &worker{config: c, ledger: book, log: log, tellers: make(map[*server.Session]*teller)}
	if err := w.serve(cluster); err != nil {
		return err
	}
	opts := cluster.Options(&streamable.Options{Logger: log, Retry: 500 * time.Millisecond})
	opts.Events = keptEvents{opts.Events, book}
	h := streamable.NewHandler(w.server, opts)
	mux := http.NewServeMux()
	mux.Handle("/mcp", cluster.Handler(h))
	mux.HandleFunc("/quiet", func(http.ResponseWriter, *http.Request) { w.quiet.Store(true) })
	mux.HandleFunc("/updated", func(http.ResponseWriter, *http.Request) { w.server.ResourceUpdated(theResource) })
	mux.HandleFunc("/goroutines", func(rw http.ResponseWriter, _ *http.Request) {
		stacks := make([]byte, 1<<20)
		fmt.Fprintf(rw, "%d\n%s", runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	web := &http.Server{Handler: mux, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}
	served := make(chan error, 1)
	go func() { served <- web.Serve(l) }()
	go w.tell()
	if err := sayReady(l.Addr().String()); err != nil {
		return err
	}
	select {
	case err := <-served:
		return err
	case <-term:
	}
	ctx, cancel = context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	return errors.Join(h.Shutdown(ctx), w.server.Shutdown(ctx), cluster.Leave(ctx), web.Shutdown(ctx))
}

// A worker is the MCP server of an instance.
type worker struct {
	config instanceConfig
	ledger *ledger
	log    *slog.Logger
	server *server.Server
	quiet  atomic.Bool  // tellers have stopped
	runs   atomic.Int32 // of tasks that had a result

	mu      sync.Mutex
	tellers map[*server.Session]*teller
	last    int
}

// A teller sends a session numbers that belong to no request.
type teller struct {
	name string // unique in the test
	next int
}

func (w *worker) serve(c *nats.Cluster) error {
	w.server = server.New(mcp.Implementation{Name: "chaos", Version: "1"}, &server.Options{
		Logger:      silent,
		Logging:     true,
		NotifyRate:  -1,
		StateKeys:   [][]byte{[]byte(strings.Repeat("k", 32))},
		StateOnce:   store.Once(c.Store(), server.OnceInMemory(0)),
		Middleware:  []server.Middleware{w.meet},
		OnSubscribe: func(context.Context, *server.Call, string) error { return nil },
		Setup: []server.Setup{taskserver.Enable(&taskserver.Options{
			Store: shared.NewTasks(c.Member()), PollInterval: 100 * time.Millisecond, MaxRunning: -1, MaxTasks: -1, MaxBytes: -1,
		})},
	})
	if err := w.addTasks(); err != nil {
		return err
	}
	for name, h := range map[string]server.ToolHandler{"count": w.count, "ask": w.ask} {
		if err := w.server.AddTool(mcp.Tool{Name: name, InputSchema: wire.Raw(`{"type":"object"}`)}, h); err != nil {
			return err
		}
	}
	return w.server.AddResource(mcp.Resource{URI: theResource, Name: "one"},
		func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
			return server.TextResource("text/plain", "1"), nil
		})
}

// meet starts a teller for each session that is used here.
func (w *worker) meet(next server.Handler) server.Handler {
	return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
		if s := c.Session(); s != nil && c.Method() == mcp.MethodCallTool.Name {
			w.mu.Lock()
			if w.tellers[s] == nil {
				w.last++
				w.tellers[s] = &teller{name: fmt.Sprintf("%s.%d", w.config.Name, w.last)}
			}
			w.mu.Unlock()
		}
		return next(ctx, c)
	}
}

// tell sends all sessions the next number, again and again, until they end.
func (w *worker) tell() {
	for {
		time.Sleep(500 * time.Millisecond)
		w.mu.Lock()
		all := make(map[*server.Session]*teller, len(w.tellers))
		for s, t := range w.tellers {
			all[s] = t
		}
		w.mu.Unlock()
		for s, t := range all {
			if w.quiet.Load() {
				return
			}
			r := slog.NewRecord(time.Time{}, slog.LevelInfo, "number", 0)
			r.AddAttrs(slog.String("teller", t.name), slog.Int("number", t.next))
			if err := s.LogHandler().Handle(context.Background(), r); err != nil {
				w.log.Warn("a session is told no more", "error", err)
				w.mu.Lock()
				delete(w.tellers, s)
				w.mu.Unlock()
				continue
			}
			t.next++
		}
	}
}

// A question is the arguments of the tools.
type question struct {
	Call    string `json:"call"`    // its name, unique in the test
	Numbers int    `json:"numbers"` // how many notifications to send before the answer
	Pause   int    `json:"pause"`   // milliseconds before each of them
	Asks    bool   `json:"asks,omitempty"`
}

// count sends numbers.
func (w *worker) count(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
	var q question
	if err := json.Unmarshal(args, &q); err != nil {
		return nil, err
	}
	if err := w.ledger.write(entry{Run: q.Call}); err != nil {
		return nil, err
	}
	for i := range q.Numbers {
		if err := c.Notify(ctx, numberMethod, wire.Raw(fmt.Sprintf(`{"call":%q,"number":%d}`, q.Call, i))); err != nil {
			return nil, err
		}
		time.Sleep(time.Duration(q.Pause) * time.Millisecond)
	}
	return server.TextResult(answerTo(q)), nil
}

func answerTo(q question) string { return fmt.Sprintf("%s: %d", q.Call, q.Numbers) }

// ask asks the client who it is.
func (w *worker) ask(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
	var q question
	if err := json.Unmarshal(args, &q); err != nil {
		return nil, err
	}
	who, err := askWho(ctx, c, q)
	if err != nil {
		return nil, err
	}
	if err := w.ledger.write(entry{Run: q.Call}); err != nil {
		return nil, err
	}
	return server.TextResult(answerFrom(q, who)), nil
}

func askWho(ctx context.Context, c *server.Call, q question) (who string, err error) {
	r, err := c.Elicit(ctx, &mcp.ElicitRequestFormParams{
		Message: q.Call,
		RequestedSchema: mcp.ElicitRequestFormParamsRequestedSchema{
			Properties: wire.Members[mcp.PrimitiveSchemaDefinition]{{Name: "who", Value: &mcp.StringSchema{}}},
		},
	})
	if err != nil {
		return "", err
	}
	return who, json.Unmarshal(r.Content["who"], &who)
}

func answerFrom(q question, who string) string { return fmt.Sprintf("%s, says %s", q.Call, who) }

// An instance is one of several places behind the proxy, with the process that is there at the moment.
type instance struct {
	site    *site
	number  int
	starts  int
	ledger  string // instead of a ledger of its own
	process *process
	address string
}

func (in *instance) start() {
	s := in.site
	in.starts++
	name := fmt.Sprintf("instance%d-%d", in.number, in.starts)
	p, err := startProcess(s.dir, name, roleInstance, instanceConfig{
		Name: name, NATS: s.natsURLs(), Ledger: cmp.Or(in.ledger, filepath.Join(s.dir, name+".ledger")), TTL: *leaseTTL,
	}, &in.address)
	if err != nil {
		s.Errorf("%v", err)
		return
	}
	s.Cleanup(p.kill)
	in.process = p
	s.note("%s has started", name)
}

// control sends the process a request that is not MCP's.
func (in *instance) control(path string) (*http.Response, error) {
	return http.Get("http://" + in.address + path)
}

// idleGoroutines is how many goroutines an instance has without clients, and a few more.
const idleGoroutines = 40

// goroutines returns how many goroutines the process has, and their stacks.
func (in *instance) goroutines() (n int, stacks string) {
	resp, err := in.control("/goroutines")
	if err != nil {
		return math.MaxInt, err.Error()
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return math.MaxInt, err.Error()
	}
	fmt.Sscan(string(data), &n)
	return n, string(data)
}
