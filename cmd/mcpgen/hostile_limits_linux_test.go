package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/console"
	"github.com/mcpgen/mcpgen/internal/testenv"
)

// patience is what commands are given with servers that never come to an end.
const patience = 500 * time.Millisecond

// hostileUses has, for each command that uses a server, the arguments for each method that it calls.
var hostileUses = map[string]map[string]string{
	"adopt":   {"tools/list": "adopt -record r.json"},
	"inspect": {"tools/list": "inspect t"},
	"client":  {"tools/list": "client -out p"},
	"dev":     {"tools/list": "dev -http 127.0.0.1:0"},
	"call":    {"tools/list": "call absent", "tools/call": "call plain"},
	"read":    {"resources/read": "read x:r"},
	"prompt":  {"prompts/get": "prompt greet"},
	"watch":   {"subscriptions/listen": "watch"},
}

// A limitsRun is a run of a command with a hostile server.
type limitsRun struct {
	args, kind string
	http       bool
	code       int // -1 for any but that of a crash
	says       string
	types      string // at a terminal, when a form is shown
}

// TestHostileLimits runs every command that uses a server with servers of every kind that concerns it: they never end a
// list or a response, or send what is large. It checks how long the commands take, and how much memory.
func TestHostileLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs many programs, which -short does without")
	}
	var runs []limitsRun
	used := map[string]bool{}
	for _, c := range newRoot(console.NewPrinter(nil, os.Getenv), console.NewPrinter(nil, os.Getenv)).Commands() {
		if c.Flags().Lookup("url") == nil {
			continue
		}
		uses := hostileUses[c.Name()]
		if len(uses) == 0 {
			t.Errorf("mcpgen %s uses a server, and is not run here with a hostile one", c.Name())
			continue
		}
		impatient := c.Flags().Lookup("timeout") != nil
		for _, method := range slices.Sorted(maps.Keys(uses)) {
			for _, name := range slices.Sorted(maps.Keys(hostileKinds)) {
				kind := hostileKinds[name]
				switch {
				case kind.method != method:
				case kind.stalls && impatient:
					runs = append(runs, stalled(uses[method], name, true))
				case kind.endless && c.Name() != "inspect" && !testenv.Full(): // which costs much
				case kind.says != "":
					runs = append(runs, limitsRun{args: uses[method], kind: name, http: kind.endless, code: 3, says: kind.says})
				case !kind.stalls:
					runs = append(runs, limitsRun{args: uses[method], kind: name, http: name != "flooded watch", code: -1})
				}
				used[name] = used[name] || kind.method == method
			}
			if !impatient {
				continue
			}
			for _, http := range []bool{false, true} {
				for _, kind := range []string{"silent", "slow", "stalled"} {
					if http && kind != "slow" || !http && kind == "silent" || testenv.Full() {
						runs = append(runs, stalled(uses[method], kind, http))
					}
				}
			}
		}
	}
	for name := range hostileKinds {
		if !used[name] {
			t.Errorf("no command is run with a server of the kind %q", name)
		}
	}
	runs = append(runs,
		stalled("inspect", "drip", false), stalled("call plain", "progress", false), stalled("inspect -no-login", "slow", true),
		stalled("inspect -revision 2025-11-25", "silent", true),
		limitsRun{args: "call plain", kind: "form", code: 0, types: "no\n"}, limitsRun{args: "call plain", kind: "form", code: 1, types: "yes\n\x03"})
	for _, run := range runs {
		t.Run(fmt.Sprintf("%s %s http=%v %q", run.args, run.kind, run.http, run.types), func(t *testing.T) {
			t.Parallel()
			run.do(t)
		})
	}
}

// stalled is a run with a server that never comes to an end.
func stalled(args, kind string, http bool) limitsRun {
	return limitsRun{args: args + " -timeout " + patience.String(), kind: kind, http: http, code: 3, says: patience.String()}
}

const (
	// maxPeak is how much memory a command may have with any server, in KiB, and maxSmallPeak with one that sends little.
	// Half of it is the race detector's.
	maxPeak      = 1 << 20
	maxSmallPeak = 256 << 10
	// maxSpent is how much of the processor's time it may have.
	maxSpent = 10 * time.Second
	// maxLate is how much longer than its timeout it may take on a slow machine.
	maxLate = 8 * time.Second
)

func (r *limitsRun) do(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Fields(r.args)
	if r.http {
		args = append(args, "-url", newHostileHTTP(t, r.kind))
	} else {
		args = append(args, "--", self, asHostile, r.kind)
	}
	cmd := command(t, t.TempDir(), args...)
	peak, temp := filepath.Join(t.TempDir(), "peak"), t.TempDir()
	cmd.Env = append(cmd.Env, peakFile+"="+peak, "XDG_CONFIG_HOME="+t.TempDir(), "TMPDIR="+temp)
	start := time.Now()
	late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer late.Stop()
	var d *dialog
	if r.types != "" {
		d = startAtTerminal(t, 100, cmd)
		d.expect("cancel] ")
		d.types(r.types)
	} else {
		d = startWithPipe(t, cmd)
	}
	if args[0] == "dev" && d.shows("connected: ") {
		d.interrupt()
	}
	cmd.Wait()
	<-d.over
	out, code := d.all.String(), cmd.ProcessState.ExitCode()
	took, spent := time.Since(start), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	if crashed := code < 0 || code > 3 || strings.Contains(out, "goroutine "); crashed || r.code >= 0 && code != r.code || !strings.Contains(out, r.says) {
		t.Errorf("exit code %d, want %d, and a text with %q: %.1000s", code, r.code, r.says, out)
	}
	if spent > maxSpent || r.says == patience.String() && took > patience+maxLate { // it takes half a second on an idle machine
		t.Errorf("it took %v, and %v of the processor's time", took, spent)
	}
	text, err := os.ReadFile(peak)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v, %v of the processor's time, %s KiB, %d bytes shown", took, spent, text, len(out))
	limit := maxSmallPeak
	if kind := hostileKinds[r.kind]; testenv.Full() || kind != nil && kind.says != "" {
		limit = maxPeak
	}
	if n, err := strconv.Atoi(string(text)); err != nil || n > limit {
		t.Errorf("it had %s KiB of memory, want at most %d", text, limit)
	}
	if files, err := os.ReadDir(temp); err != nil || len(files) > maxSaved {
		t.Errorf("it saved %d files, want at most %d (%v)", len(files), maxSaved, err)
	}
}

// maxSaved is how many files a result may become.
const maxSaved = 100

// TestHostileProbe runs dev with a server that does not respond to the first request: it may want a login, but it has not
// said so, and an older server ignores what it does not know.
func TestHostileProbe(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for some seconds, which -short does without")
	}
	t.Parallel()
	cmd := command(t, t.TempDir(), "dev", "-http", "127.0.0.1:0", "-url", newHostileHTTP(t, "deaf"))
	cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+t.TempDir())
	d := startWithPipe(t, cmd)
	d.shows("connected: ") // within a minute
	d.interrupt()
	d.ends(0)
}
