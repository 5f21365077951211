package harness

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Main is the main function of a peer's program. The first peer is the
// default; the others are variants chosen with -peer.
func Main(peers ...Peer) {
	if err := run(peers); err != nil {
		fmt.Fprintln(os.Stderr, "pb:", err)
		os.Exit(1)
	}
}

func run(peers []Peer) error {
	var names []string
	for _, p := range peers {
		names = append(names, p.Name())
	}
	var (
		name  = flag.String("peer", names[0], "variant: "+strings.Join(names, ", "))
		only  = flag.String("w", "1,2,4,5", "workloads to run, such as 1a or 2-stdio; 2 means all that begin with it")
		out   = flag.String("out", "-", "file to append JSON lines to")
		dur   = flag.Duration("dur", time.Second, "measured time of one case")
		warm  = flag.Duration("warm", 250*time.Millisecond, "warm-up time of one case")
		rep   = flag.Int("rep", 1, "number of this repetition, recorded in the output")
		msg   = flag.Int("msg", 64, "echo message length")
		conc  = flag.String("conc", "1,8,64", "concurrencies")
		prof  = flag.String("profile", "", "directory for server CPU and allocation profiles")
		verb  = flag.Bool("v", false, "show first responses")
		sess  = flag.Int("sessions", 2000, "sessions of workload 5")
		child = flag.String("child", "", "internal: run the server (stdio or http)")
		mode  = flag.String("mode", "", "internal: HTTP mode of the child")
		tools = flag.Int("tools", 0, "internal: tools of the child")
	)
	flag.Parse()
	i := slices.Index(names, *name)
	if i < 0 {
		return fmt.Errorf("no peer %q (have %v)", *name, names)
	}
	p := peers[i]
	if *child != "" {
		return runChild(p, childConfig{kind: *child, mode: HTTPMode(*mode), tools: *tools})
	}
	w := os.Stdout
	if *out != "-" {
		f, err := os.OpenFile(*out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		w = f
	}
	e := &Env{Peer: p, Out: &Out{w: w}, Dur: *dur, Warm: *warm, Rep: *rep, MsgLen: *msg, Profile: *prof, Verbose: *verb, Sessions: *sess}
	for _, s := range strings.Split(*conc, ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			return err
		}
		e.Conc = append(e.Conc, n)
	}
	want := strings.Split(*only, ",")
	failed := 0
	for _, wl := range Workloads {
		if !slices.ContainsFunc(want, func(name string) bool { return Selects(name, wl.Name) }) {
			continue
		}
		switch err := wl.Run(e); {
		case errors.Is(err, ErrUnsupported):
			fmt.Fprintf(os.Stderr, "pb: %s: workload %s: skipped: %v\n", p.Name(), wl.Name, err)
		case err != nil:
			failed++
			fmt.Fprintf(os.Stderr, "pb: %s: workload %s: %v\n", p.Name(), wl.Name, err)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d workloads failed", failed)
	}
	return nil
}

// Selects reports whether a name on the command line means a workload: it is the workload's name,
// or the number of a group of them.
func Selects(name, workload string) bool {
	return name == workload || len(name) == 1 && strings.HasPrefix(workload, name)
}
