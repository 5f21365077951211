package store

import (
	"testing"
	"testing/synctest"
	"time"
)

// A machine that sleeps stops the clock that counts for timers, but not that of the wall. Once a lease has ended by
// either, it is not valid; the member takes another one.
func TestLeaseSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ttl = 9 * time.Second
		m, err := Join(t.Context(), new(Memory), &MemberOptions{TTL: ttl})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		l := m.Lease()
		l.wall.Add(-int64(ttl - 2*time.Second)) // as if the machine had slept that long
		if !l.Valid() || m.Lease() != l {
			t.Fatal("the lease ends early")
		}
		l.wall.Add(-int64(2 * time.Second))
		if l.Valid() || m.Lease() != nil {
			t.Error("the lease is still valid")
		}
		select {
		case <-l.Done():
		case <-time.After(ttl / 3):
			t.Error("nothing ends the lease when the machine is awake again")
		}
		synctest.Wait()
		if next := m.Lease(); next == nil || next == l || !next.Valid() {
			t.Errorf("there is no new lease: %v", next)
		}
		if err := m.Leave(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
