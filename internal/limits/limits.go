// Package limits measures what foreign bytes cost, for the tests of the packages that take them in.
//
// The tables are in the files cost_test.go beside the code that they are about; docs/limits.md is the
// list of them all. A row makes the worst input that is known, of n and of 4n bytes. What is done with
// it takes at most 20 times as long, and allocates at most 20 times as much, as parsing the same bytes;
// four times the bytes take at most about four times as long, and allocate about four times as much;
// and what comes back or goes into a log has at most 64 KiB.
package limits

import (
	"encoding/json"
	"flag"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Case is one row: a place where foreign bytes enter, and the worst bytes that are known for it.
type Case struct {
	Name string // "args: unknown arguments", as in docs/limits.md

	// Input makes about n bytes. JSON texts stand on lines of their own.
	Input func(n int) string

	// Run does what the place does with the bytes, and returns the text of the answer, the error, or
	// the log lines, empty if the bytes are well.
	Run func(in string) string

	// Than is what the time is compared with.
	Than Parser

	// Most is how many times as long as parsing it may take, 20 if 0. Another figure needs a reason in
	// docs/limits.md.
	Most float64

	// Memory is the same for what is allocated, compared with [JSON].
	Memory float64

	// Fixed is the time that it may take in any case, however short the input, and FixedMemory how much
	// it may allocate. They need a reason, too.
	Fixed       time.Duration
	FixedMemory uint64

	// Large lets what comes back be longer than 64 KiB: it is no message, but what was asked for.
	Large bool
}

// A Parser parses the bytes of a case, which is what they cost at least.
type Parser int

const (
	JSON Parser = iota // encoding/json into an any, a line at a time
	Text               // encoding/json of one string that holds all of them
	Wire               // the scan of package wire, about ten times as fast
)

const (
	most    = 20
	maxText = 64 << 10
	// growth is how many times as long four times the bytes may take. That of a square is 16; what is
	// linear, but no longer fits into the processor's caches, has up to 8.
	growth = 10
	// memoryGrowth is how many times as much may be allocated for each byte, of four times as many. That of a square is 4;
	// maps and slices grow in steps.
	memoryGrowth = 2
	// quick is too short to be measured well.
	quick    = 500 * time.Microsecond
	attempts = 12
	// little is what may be allocated for any input: buffers, and what others keep.
	little = 512 << 10
)

// Flags returns the flag -limits.size, how many bytes the smaller inputs have. It is for the tests'
// variables.
func Flags() *int {
	return flag.Int("limits.size", 16<<10, "how many bytes the smaller inputs of the tables of costs have")
}

// Check measures the rows of a table: what they allocate and return, and their times if all is asked for.
func Check(t *testing.T, size int, cases []Case) {
	t.Helper()
	if testing.Short() {
		t.Skip("it measures processor time, which -short does without")
	}
	testenv.Measures(t)
	for i := range cases {
		c := &cases[i]
		t.Run(c.Name, func(t *testing.T) { c.check(t, size) })
	}
}

func (c *Case) check(t *testing.T, size int) {
	if probe := c.Input(size / 32); !c.bearable(probe) {
		t.Fatalf("%d bytes take so long that more are not tried: %.1f times parsing", len(probe), c.ratio(probe))
	}
	small, large := c.Input(size), c.Input(4*size)
	if n, m := len(small), len(large); n < size/2 || m < 2*n {
		t.Fatalf("the inputs have %d and %d bytes, want about %d and %d", n, m, size, 4*size)
	}
	few, _ := c.memory(small)
	many, out := c.memory(large)
	if len(out) > maxText && !c.Large {
		t.Errorf("what comes back has %d bytes, more than %d: %.200s …", len(out), maxText, out)
	}
	if many > orMost(c.Memory) {
		t.Errorf("allocates %.1f times as much as encoding/json does, want at most %v", many, orMost(c.Memory))
	}
	if few > 0 && many > memoryGrowth*few {
		t.Errorf("what it allocates grows faster than the bytes: %.1f times as much as encoding/json does, and %.1f for four times the bytes", few, many)
	}
	if !testenv.Full() {
		return
	}
	r := result{math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64}
	for range attempts { // others are at work on this machine: what is too slow is measured again
		if r.measure(c, small, large); r.wrong(c) == "" || r.hopeless(c) {
			break
		}
	}
	t.Logf("%8d bytes: %10v, %5.1f times parsing; %8d bytes: %10v, %5.1f times; out %d bytes %.100q",
		len(small), r.small, r.times(r.small, r.parseSmall), len(large), r.large, r.times(r.large, r.parseLarge), len(out), out)
	if wrong := r.wrong(c); wrong != "" {
		t.Error(wrong)
	}
}

// bearable reports whether it makes sense to go on with longer inputs than the probe.
func (c *Case) bearable(probe string) bool {
	start := CPUTime()
	c.Run(probe)
	took := CPUTime() - start
	return took < 100*time.Millisecond || took < 4*c.Fixed
}

func (c *Case) ratio(in string) float64 {
	start := CPUTime()
	c.Run(in)
	took := CPUTime() - start
	return float64(took) / float64(measure(c.Than.of(in)))
}

func orMost(v float64) float64 {
	if v == 0 {
		return most
	}
	return v
}

// A result is how long everything took, in time of the processor.
type result struct {
	small, large, parseSmall, parseLarge time.Duration
}

func (r *result) times(took, parse time.Duration) float64 {
	return float64(took) / float64(max(parse, 1))
}

func (r *result) wrong(c *Case) string {
	var wrong []string
	if r.large > quick && r.large > c.Fixed && r.times(r.large, r.parseLarge) > orMost(c.Most) {
		wrong = append(wrong, "it takes too long for its bytes")
	}
	grows := r.large > growth*max(r.small, quick) && r.times(r.large, r.parseLarge) > 1.5*r.times(r.small, r.parseSmall)
	if grows && r.large > 4*quick && r.large > 4*c.Fixed {
		wrong = append(wrong, "the time grows faster than the bytes")
	}
	return strings.Join(wrong, "; ")
}

// hopeless reports whether it takes so long that it cannot be the fault of others.
func (r *result) hopeless(c *Case) bool {
	return r.large > 8*c.Fixed && r.large > 100*time.Millisecond && r.times(r.large, r.parseLarge) > 4*orMost(c.Most)
}

// measure notes the shortest times so far.
func (r *result) measure(c *Case, small, large string) {
	for _, m := range []struct {
		shortest *time.Duration
		f        func()
	}{
		{&r.small, func() { c.Run(small) }}, {&r.large, func() { c.Run(large) }},
		{&r.parseSmall, c.Than.of(small)}, {&r.parseLarge, c.Than.of(large)},
	} {
		*m.shortest = min(*m.shortest, measure(m.f))
	}
}

// measure returns how much of the processor's time f takes, without the garbage collector's, which
// comes when the heap of the whole process has grown and not when f makes it work.
func measure(f func()) time.Duration {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	start, n, spent := CPUTime(), 0, time.Duration(0)
	for spent < 2*time.Millisecond {
		f()
		n++
		spent = CPUTime() - start
	}
	return spent / time.Duration(n)
}

// memory returns how many times as much Run allocates as encoding/json does, 0 if it is little, and what it returns.
func (c *Case) memory(in string) (times float64, out string) {
	parser := c.Than
	if parser == Wire {
		parser = JSON
	}
	parse := max(allocated(parser.of(in)), uint64(len(in)), 1)
	times = math.Inf(1)
	for range attempts { // what a pool has lost to the garbage collector is allocated once more
		run := allocated(func() { out = c.Run(in) })
		if run <= max(c.FixedMemory, little) {
			return 0, out
		}
		if times = min(times, float64(run)/float64(parse)); times <= orMost(c.Memory) {
			break
		}
	}
	return times, out
}

func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// of returns what parses in.
func (p Parser) of(in string) func() {
	switch p {
	case Text:
		text, err := json.Marshal(in)
		if err != nil {
			panic(err) // strings can always be encoded
		}
		return func() {
			var v any
			json.Unmarshal(text, &v)
		}
	case Wire:
		lines := lines(in)
		return func() {
			for _, line := range lines {
				wire.Raw(line).Check()
			}
		}
	default:
		lines := lines(in)
		return func() {
			for _, line := range lines {
				var v any
				json.Unmarshal(line, &v)
			}
		}
	}
}

func lines(in string) (list [][]byte) {
	for line := range strings.Lines(in) {
		list = append(list, []byte(line))
	}
	return list
}

// List returns what item makes, joined by commas between open and end, about n bytes of it.
func List(n int, open, end string, item func(i int) string) string {
	var b strings.Builder
	b.WriteString(open)
	for i := 0; b.Len() < n; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(item(i))
	}
	b.WriteString(end)
	return b.String()
}
