// Package stress has the tests that take a Streamable HTTP server and its clients together and make
// it hard for them: a network that breaks, many sessions, much time.
//
//	go test ./runtime/transport/streamable/internal/stress -faults 60s -clients 200
//	go test ./runtime/transport/streamable/internal/stress -run TestSoak -soak 10m
//
// Without flags they take some seconds, and with -short less. What the network did can be repeated
// with the seed that the test prints.
package stress

import (
	"flag"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

var (
	faultTime = flag.Duration("faults", time.Second, "how long the network is bad, in each test of that")
	clients   = flag.Int("clients", 40, "clients in tests of a bad network")
	seed      = flag.Uint64("seed", 1, "what the bad network does; 0 is another one each time")
	soakTime  = flag.Duration("soak", time.Second, "how long the soak lasts")
	sessions  = flag.Int("sessions", 500, "sessions in the test of load")
)

// shorten returns a size for a test: with -short, a quarter of it.
func shorten[T int | time.Duration](n T) T {
	if testing.Short() {
		return n / 4
	}
	return n
}

func theSeed(t *testing.T) uint64 {
	s := *seed
	if s == 0 {
		s = rand.Uint64()
	}
	t.Logf("repeat with -seed %d", s)
	return s
}

// settleTime is how long that may take which only needs a turn on the processor: more than enough,
// but machines can be slow.
const settleTime = 20 * time.Second

// settle waits until something holds.
func settle(t testing.TB, what string, holds func() bool) bool {
	t.Helper()
	for end := time.Now().Add(settleTime); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Errorf("not within %v: %s", settleTime, what)
			return false
		}
	}
	return true
}

// heap returns how many bytes of the heap are in use once all that is garbage is gone.
func heap() int64 {
	var m runtime.MemStats
	for range 3 { // pools and finalizers give up what they have with the second and third
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
