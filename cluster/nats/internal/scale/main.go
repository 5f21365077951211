// Scale simulates a cluster of many instances with many sessions, and prints what it costs; see docs/scale.md.
//
//	go run ./internal/scale
//	go run ./internal/scale -sticky
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// measured has the costs in docs/scale.md, which says which of them are estimates.
var measured = Costs{
	Call: 39 * time.Microsecond, Pass: 145 * time.Microsecond, PassNATS: 85 * time.Microsecond,
	Append: 50 * time.Microsecond, AppendNATS: 160 * time.Microsecond,
	GetNATS: 75 * time.Microsecond, PutNATS: 81 * time.Microsecond, MessageNATS: 17 * time.Microsecond,
	RecordBytes: 450, EventBytes: 300, MessagesPass: 5,
}

func main() {
	l := Load{}
	flag.IntVar(&l.Instances, "instances", 100, "instances")
	flag.IntVar(&l.Sessions, "sessions", 1_000_000, "sessions")
	flag.Float64Var(&l.Calls, "calls", 0.02, "calls of a session in a second, on average")
	flag.Float64Var(&l.Streamed, "streamed", 0.1, "the share of calls with a stream")
	flag.IntVar(&l.Events, "events", 4, "events of such a call")
	flag.Float64Var(&l.Streams, "streams", 0.2, "the share of sessions with an open stream")
	flag.DurationVar(&l.Life, "life", time.Hour, "how long a session lasts")
	flag.BoolVar(&l.Sticky, "sticky", false, "the load balancer sends all requests of a session to one instance")
	seconds := flag.Int("seconds", 60, "how many seconds to simulate")
	seed := flag.Uint64("seed", 1, "the seed of what happens by chance")
	flag.Parse()
	if l.Instances < 1 || l.Sessions < 1 || *seconds < 1 || l.Life <= 0 {
		fmt.Fprintln(os.Stderr, "scale: instances, sessions, seconds and life must be positive")
		os.Exit(2)
	}
	Simulate(l, measured, *seconds, *seed).print(os.Stdout)
}

func (r Result) print(w io.Writer) {
	line := func(name, format string, value any) { fmt.Fprintf(w, "%-46s "+format+"\n", name, value) }
	line("calls", "%10.0f/s", r.Calls)
	line("  passed on", "%10.0f/s", r.Passed)
	line("  of the busiest session", "%10.1f/s", r.BusiestSession)
	line("streams that are passed on", "%10.0f", r.StreamsElsewhere)
	line("messages between processes", "%10.0f/s", r.Messages)
	line("events stored", "%10.0f/s", r.Appends)
	line("records read", "%10.0f/s", r.Gets)
	line("  to find which instance has a session", "%10.0f/s", r.LookUps)
	line("  to find out which instances are alive", "%10.0f/s", r.Watches)
	line("records changed", "%10.0f/s", r.Puts)
	line("  so that they do not expire", "%10.0f/s", r.Refreshes)
	line("cores of all instances", "%10.1f", r.InstanceCores)
	line("cores of the busiest instance", "%10.2f", r.BusiestInstance)
	line("cores of all NATS servers", "%10.1f", r.NATSCores)
	line("records, of each replica", "%10.2f GiB", r.Records/(1<<30))
	if r.EventsFill > 0 {
		line("1 GiB of events is full after", "%10v", r.EventsFill.Round(time.Second))
	}
	line("NATS, when all sessions of an instance move", "%10v of CPU", r.TakeOverCPU.Round(10*time.Millisecond))
}
