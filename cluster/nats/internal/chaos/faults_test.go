//go:build unix

package chaos

import (
	"math/rand/v2"
	"sync"
	"time"
)

// storm causes faults for a time, in two concurrent lines: one for the instances, one for the NATS servers. Each line
// causes one fault at a time, and waits until what is broken works again.
func (s *site) storm(length time.Duration) {
	s.Helper()
	end := time.Now().Add(length)
	var lines sync.WaitGroup
	line := func(number uint64, fault func(*rand.Rand)) {
		random := rand.New(rand.NewPCG(s.seed, 1_000_000+number))
		lines.Go(func() {
			for time.Now().Before(end) && !s.Failed() {
				fault(random)
			}
		})
	}
	line(0, s.harmInstance)
	line(1, s.harmNATS)
	lines.Wait()
	s.note("the faults are over")
}

// between returns a random duration between two.
func between(random *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(random.Int64N(int64(most-least)))
}

// harmInstance kills an instance and starts another in its place, or pauses one.
func (s *site) harmInstance(random *rand.Rand) {
	time.Sleep(between(random, 300*time.Millisecond, 2*time.Second))
	in := s.all[random.IntN(len(s.all))]
	if random.IntN(2) == 0 {
		pause := between(random, 100*time.Millisecond, 2**leaseTTL)
		s.note("instance %d is paused for %v", in.number, pause)
		in.process.pause()
		time.Sleep(pause)
		in.process.wake()
		s.note("instance %d runs again", in.number)
		return
	}
	away := between(random, 100*time.Millisecond, 2*time.Second)
	s.note("instance %d is killed, for %v", in.number, away)
	in.process.kill()
	s.proxy.set(in.number, "")
	time.Sleep(away)
	in.start()
	s.proxy.set(in.number, in.address)
}

// harmNATS kills a NATS server and starts it again.
func (s *site) harmNATS(random *rand.Rand) {
	time.Sleep(between(random, time.Second, 4*time.Second))
	n := s.nats[random.IntN(len(s.nats))]
	away := between(random, 100*time.Millisecond, 3*time.Second)
	s.note("%s is killed, for %v", n.config.Name, away)
	n.process.kill()
	time.Sleep(away)
	if err := n.start(s); err != nil {
		s.Errorf("%v", err)
		return
	}
	s.settle("all NATS servers are healthy", s.natsIsHealthy)
}

// pauseNATS pauses a NATS server: others lead in the meantime, and it does not know that when it wakes.
func (s *site) pauseNATS(random *rand.Rand) {
	time.Sleep(between(random, time.Second, 2*time.Second))
	n := s.nats[random.IntN(len(s.nats))]
	pause := between(random, time.Second, 12*time.Second)
	s.note("%s is paused for %v", n.config.Name, pause)
	n.process.pause()
	time.Sleep(pause)
	n.process.wake()
	s.settle("all NATS servers are healthy", s.natsIsHealthy)
}

func (s *site) natsIsHealthy() bool {
	for _, n := range s.nats {
		if !n.isHealthy() {
			return false
		}
	}
	return true
}
