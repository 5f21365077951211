package dev

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// A fakeProject has a program in memory, or a mistake in its code.
type fakeProject struct {
	t *testing.T

	mu      sync.Mutex
	source  string // the description of a tool
	lost    error  // why the sources are not known
	mistake error
	broken  error // why the program does not start

	server *shop               // the last program that was started
	last   transport.Transport // at its end
	starts []time.Time
	left   int // programs that are not discarded
}

func (p *fakeProject) Sources(context.Context) (Sources, error) {
	return Sources{Folders: []string{"shop"}}, p.lost
}

func (p *fakeProject) Build(context.Context) (Build, error) {
	if p.mistake != nil {
		return nil, p.mistake
	}
	p.left++
	return &fakeBuild{p, p.source}, nil
}

type fakeBuild struct {
	project *fakeProject
	source  string
}

func (b *fakeBuild) Same(other Build) bool { return b.source == other.(*fakeBuild).source }
func (b *fakeBuild) Verdict() string       { return "callers are safe" }
func (b *fakeBuild) Discard()              { b.project.left-- }

func (b *fakeBuild) Start(context.Context) (transport.Transport, error) {
	p := b.project
	p.mu.Lock()
	defer p.mu.Unlock()
	p.starts = append(p.starts, time.Now())
	if p.broken != nil {
		return nil, p.broken
	}
	p.server = newShop(p.t, b.source)
	near, far := serve(p.t, p.server.Server)
	p.last = far
	return near, nil
}

// A run is a runner at work on a fake project.
type run struct {
	*fakeProject
	t       *testing.T
	changes chan struct{}
	said    []string
	client  *mcptest.Client
	watched []Sources
	runner  *Runner
	cancel  func()
	ended   chan error
}

// begun starts a runner in a bubble of synctest.
func begun(t *testing.T, p *fakeProject) *run {
	p.t = t
	e := newEndpoint(t)
	r := &run{fakeProject: p, t: t, changes: make(chan struct{})}
	runner := &Runner{
		Project: p, Endpoint: e, Changes: r.changes,
		Watch: func(s Sources) error { r.watched = append(r.watched, s); return nil },
		Say:   r.say,
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.runner, r.cancel, r.ended = runner, cancel, make(chan error, 1)
	go func() { r.ended <- runner.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-r.ended; err != nil {
			t.Errorf("the runner failed: %v", err)
		}
		if p.left != 0 {
			t.Errorf("%d programs are left", p.left)
		}
	})
	synctest.Wait()
	r.client = connect(t, e, nil)
	return r
}

// say records what is said.
func (r *run) say(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, text)
}

// change tells the runner that the sources have changed, and waits until it is done.
func (r *run) change() {
	r.changes <- struct{}{}
	synctest.Wait()
}

// breaks says why programs do not start from now on.
func (r *run) breaks(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken = why
}

// becomes replaces the next program.
func (p *fakeProject) becomes(source string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.source = source
}

// says checks what was said since the last time, without the times of builds.
func (r *run) says(want ...string) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, text := range r.said {
		if before, after, ok := strings.Cut(text, " in 0.0 s"); ok {
			r.said[i] = before + after
		}
	}
	if !slices.Equal(r.said, want) {
		r.t.Errorf("said %q, want %q", r.said, want)
	}
	r.said = nil
}

// order checks what the tool says.
func (r *run) order(want string) {
	r.t.Helper()
	result, err := r.client.CallTool(r.t.Context(), &mcp.CallToolRequestParams{Name: "order"})
	got := ""
	if err != nil {
		got = err.Error()
	} else {
		got = mcptest.Text(result)
	}
	if !strings.HasPrefix(got, want) {
		r.t.Errorf("the tool says %q, want %q", got, want)
	}
}

func TestRunner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begun(t, &fakeProject{source: "Orders"})
		r.says("built: 3 tools, 1 prompt, 1 resource; callers are safe")
		r.order("Orders")
		first := r.runner.child
		r.source = "Sells"
		r.change()
		<-first.Done()
		r.says("built: 3 tools, 1 prompt, 1 resource; changed: order; callers are safe")
		r.order("Sells")
		r.mistake = errors.New("shop.go:1:2: expected 'package'\n")
		r.change()
		r.says("shop.go:1:2: expected 'package'", "the last good build keeps serving")
		r.order("Sells")
		r.mistake = nil
		r.change()
		r.says("built: the same program as before")
		r.source, r.broken = "Buys", errors.New("no database")
		r.change()
		r.says("the server does not start: no database", "the last good build keeps serving")
		r.order("Sells")
		r.broken = nil
		r.change()
		r.says("built: 3 tools, 1 prompt, 1 resource; changed: order; callers are safe")
		r.order("Buys")
		r.lost = errors.New("go.mod:1: unknown directive")
		r.change()
		r.says("go.mod:1: unknown directive", "the last good build keeps serving")
		if len(r.watched) != 6 {
			t.Errorf("the sources were watched %d times, want 6", len(r.watched))
		}
		r.lost = nil
		go r.client.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "wait"})
		synctest.Wait()
		r.source = "Lends" // whose predecessor is at work when the run ends
		r.change()
		r.order("Lends")
	})
}

// TestNoSources begins without a project, which nothing would make one.
func TestNoSources(t *testing.T) {
	lost := errors.New("there is no package")
	r := &Runner{Project: &fakeProject{lost: lost}, Endpoint: newEndpoint(t)}
	if err := r.Run(t.Context()); err != lost {
		t.Errorf("got %v, want %v", err, lost)
	}
}

// TestFirstBuildFails begins with a mistake.
func TestFirstBuildFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begun(t, &fakeProject{source: "Orders", mistake: errors.New("shop.go:1:2: expected 'package'")})
		r.says("shop.go:1:2: expected 'package'")
		r.order("the server does not build: shop.go:1:2: expected 'package'")
		r.mistake = nil
		r.change()
		r.says("built: 3 tools, 1 prompt, 1 resource; callers are safe")
		r.order("Orders")
	})
}

// TestLost loses the child, and again when it is started again.
func TestLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begun(t, &fakeProject{source: "Orders"})
		r.says("built: 3 tools, 1 prompt, 1 resource; callers are safe")
		r.breaks(errors.New("no database"))
		failed := make(chan error, 1)
		go func() {
			_, err := r.client.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "wait"})
			failed <- err
		}()
		synctest.Wait()
		r.last.Close()
		if err := <-failed; err == nil || !strings.Contains(err.Error(), "the server failed during the call") {
			t.Errorf("the call at work: got %v", err)
		}
		synctest.Wait()
		r.says("the server exited", "it is started again in 1s, or when its code changes")
		r.order("the server exited; it is started again in 1s")
		lost := time.Now()
		time.Sleep(4 * time.Second)
		synctest.Wait()
		r.says("the server does not start: no database", "it is started again in 2s, or when its code changes",
			"the server does not start: no database", "it is started again in 4s, or when its code changes")
		r.order("the server does not start: no database; it is started again in 4s")
		r.breaks(nil)
		time.Sleep(4 * time.Second)
		synctest.Wait()
		r.says("the server runs again")
		r.order("Orders")
		var after []time.Duration
		for _, at := range r.starts[1:] {
			after = append(after, at.Sub(lost))
		}
		if want := []time.Duration{time.Second, 3 * time.Second, 7 * time.Second}; !slices.Equal(after, want) {
			t.Errorf("it was started after %v, want %v", after, want)
		}
	})
}
