package main

import (
	"math"
	"strings"
	"testing"
	"time"
)

var small = Load{Instances: 10, Sessions: 10_000, Calls: 0.5, Streamed: 0.1, Events: 4, Streams: 0.2, Life: time.Hour}

// near reports whether a simulated number is close to what is expected.
func near(got, want float64) bool { return math.Abs(got-want) <= 0.05*want }

// The simulation agrees with what can be calculated.
func TestSimulate(t *testing.T) {
	r := Simulate(small, measured, 20, 1)
	if r.Calls != 5000 {
		t.Errorf("%v calls, want 5000", r.Calls)
	}
	if want := r.Calls * 9 / 10; !near(r.Passed, want) {
		t.Errorf("%v are passed on, want about %v", r.Passed, want)
	}
	if want := r.Calls * small.Streamed * float64(small.Events); !near(r.Appends, want) {
		t.Errorf("%v events, want about %v", r.Appends, want)
	}
	cpu := r.Calls*measured.Call.Seconds() + r.Appends*measured.Append.Seconds() + r.Passed*measured.Pass.Seconds()
	if !near(r.InstanceCores, cpu) {
		t.Errorf("%v cores, want about %v", r.InstanceCores, cpu)
	}
	if r.StreamsElsewhere != 1800 || !near(r.Refreshes, 10_000.0/900) || r.Records != 4_500_000 || !near(r.EventsFill.Seconds(), float64(1<<30)/(r.Appends*float64(measured.EventBytes))) {
		t.Errorf("got %+v", r)
	}
	if again := Simulate(small, measured, 20, 1); again != r {
		t.Errorf("the same seed gives %+v and %+v", r, again)
	}
}

// With all requests of a session at one instance, nothing is passed on or looked up.
func TestSticky(t *testing.T) {
	l := small
	l.Sticky = true
	if r := Simulate(l, measured, 20, 1); r.Passed != 0 || r.Messages != 0 || r.Gets != 0 || r.StreamsElsewhere != 0 {
		t.Errorf("got %+v", r)
	}
}

// Look-ups are rare only if there are few sessions, since an instance remembers a limited number of holders.
func TestLookUps(t *testing.T) {
	few := Simulate(small, measured, 100, 1)
	l := small
	l.Sessions, l.Calls = 1_000_000, small.Calls/100
	many := Simulate(l, measured, 100, 1)
	if few.LookUps > few.Passed/2 || many.LookUps < many.Passed {
		t.Errorf("%v of %v and %v of %v: few sessions must need few look-ups", few.LookUps, few.Passed, many.LookUps, many.Passed)
	}
}

func TestPrint(t *testing.T) {
	var b strings.Builder
	Simulate(small, measured, 1, 1).print(&b)
	if n := strings.Count(b.String(), "\n"); n != 17 || strings.Contains(b.String(), "%!") {
		t.Errorf("%d lines:\n%s", n, b.String())
	}
}
