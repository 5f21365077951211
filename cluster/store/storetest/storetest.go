// Package storetest tests implementations of [store.Store], [streamable.EventStore] and [taskserver.Store], in which
// several processes keep what they must share. Those of this module pass.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
)

// Store tests that a store does what [store.Store] says. Open returns a new store, and closes it with t.Cleanup.
func Store(t *testing.T, open func(t *testing.T) store.Store) {
	for _, test := range []struct {
		name string
		run  func(storeTester)
	}{
		{"put and get", testPut},
		{"revisions", testRevisions},
		{"delete", testDelete},
		{"list", testList},
		{"keys", testKeys},
		{"values are copies", testCopies},
		{"records expire", testExpiry},
		{"records live long", testLongLife},
		{"one of many creates", testCreateRace},
		{"one of many deletes", testDeleteRace},
		{"no change is lost", testPutRace},
		{"a context ends", testContext},
		{"leases", testLeases},
		{"once", testOnce},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(storeTester{t, open(t)}) })
	}
}

// A storeTester calls a store.
type storeTester struct {
	*testing.T
	store store.Store
}

func (t storeTester) put(key, value string, revision uint64, want error) uint64 {
	t.Helper()
	next, err := t.store.Put(t.Context(), key, []byte(value), revision, time.Hour)
	if !errors.Is(err, want) || err == nil && next <= revision {
		t.Fatalf("Put %q at %d: %d, %v, want %v", key, revision, next, err, want)
	}
	return next
}

func (t storeTester) has(key, value string, revision uint64) {
	t.Helper()
	r, err := t.store.Get(t.Context(), key)
	if err != nil || r.Key != key || string(r.Value) != value || r.Revision != revision {
		t.Fatalf("Get %q: %q, %q at %d, %v, want %q at %d", key, r.Key, r.Value, r.Revision, err, value, revision)
	}
}

func (t storeTester) lacks(key string) {
	t.Helper()
	if r, err := t.store.Get(t.Context(), key); !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("Get %q: %v, %v, want %v", key, r, err, store.ErrNotFound)
	}
}

func (t storeTester) delete(key string, revision uint64, want error) {
	t.Helper()
	if err := t.store.Delete(t.Context(), key, revision); !errors.Is(err, want) {
		t.Fatalf("Delete %q at %d: %v, want %v", key, revision, err, want)
	}
}

func testPut(t storeTester) {
	t.lacks("a")
	first := t.put("a", "1", 0, nil)
	t.has("a", "1", first)
	second := t.put("a", "2\x00\xff", first, nil)
	t.has("a", "2\x00\xff", second)
	t.lacks("A")
	t.lacks("a.b")
	other := t.put("a.b", "", 0, nil)
	t.has("a.b", "", other)
	t.has("a", "2\x00\xff", second)
	forever, err := t.store.Put(t.Context(), "b", []byte("x"), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.has("b", "x", forever)
	large := strings.Repeat("0123456789abcdef", 16<<10)
	t.has("c", large, t.put("c", large, 0, nil))
}

// Room tests a store with room for n records: it must have room for n records whose keys have the same first part.
func Room(t *testing.T, s store.Store, n int) {
	r := storeTester{t, s}
	for i := range n {
		r.put(fmt.Sprint("a.", i), "1", 0, nil)
	}
	r.put("a.more", "1", 0, store.ErrFull)
	r.put("a.0", "1", 0, store.ErrConflict)
	r.put("a", "1", 0, store.ErrFull)
	r.put("aa.more", "1", 0, nil)
	r.put("b", "1", 0, nil)
	one := r.put("b.1", "1", 0, nil)
	r.put("b.1", "2", one, nil)
	r.delete("a.0", 0, nil)
	r.delete("a.0", 0, nil)
	last, err := s.Put(t.Context(), "a.more", []byte("1"), 0, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	r.put("a.0", "1", 0, store.ErrFull)
	if last, err = s.Put(t.Context(), "a.more", []byte("2"), last, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	r.put("b.2", "1", 0, nil) // what removes others' records counts them
	r.until("there is room where a record has expired", func() bool {
		_, err := s.Put(t.Context(), "a.0", []byte("1"), 0, time.Hour)
		if err != nil && !errors.Is(err, store.ErrFull) {
			t.Fatal(err)
		}
		return err == nil
	})
	r.put("a.more", "1", last, store.ErrConflict)
	r.put("a.more", "1", 0, store.ErrFull)
}

func testRevisions(t storeTester) {
	t.put("a", "x", 7, store.ErrConflict)
	t.lacks("a")
	first := t.put("a", "1", 0, nil)
	t.put("a", "x", 0, store.ErrConflict)
	t.put("a", "x", first+1000, store.ErrConflict)
	second := t.put("a", "2", first, nil)
	t.put("a", "x", first, store.ErrConflict)
	t.has("a", "2", second)
	t.delete("a", 0, nil)
	t.put("a", "x", second, store.ErrConflict)
	if third := t.put("a", "3", 0, nil); third <= second {
		t.Errorf("after a deletion the revision is %d, want more than %d", third, second)
	}
}

func testDelete(t storeTester) {
	t.delete("a", 0, nil)
	first := t.put("a", "1", 0, nil)
	b := t.put("b", "1", 0, nil)
	second := t.put("a", "2", first, nil)
	t.delete("a", first, store.ErrConflict)
	t.has("a", "2", second)
	t.delete("a", second, nil)
	t.lacks("a")
	t.delete("a", second, store.ErrConflict)
	t.delete("none", 1, store.ErrConflict)
	t.delete("a", 0, nil)
	t.has("b", "1", b)
}

// testDeleteRace has several goroutines delete a record that all of them have seen. One must succeed.
func testDeleteRace(t storeTester) {
	revision := t.put("a", "1", 0, nil)
	won := t.together(8, store.ErrConflict, func(int) error { return t.store.Delete(t.Context(), "a", revision) })
	if won != 1 {
		t.Errorf("%d have deleted the record, want 1", won)
	}
	t.lacks("a")
}

func testList(t storeTester) {
	for _, key := range []string{"l.c", "l.a", "l.b.x", "l.b-", "l", "lx.a", "m.a", "l.d"} {
		t.put(key, "of "+key, 0, nil)
	}
	t.delete("l.d", 0, nil)
	for _, test := range []struct {
		under, after string
		n            int
		want         string
	}{
		{"l", "", 10, "l.a l.b- l.b.x l.c"},
		{"l", "l.a", 10, "l.b- l.b.x l.c"},
		{"l", "l.a", 2, "l.b- l.b.x"},
		{"l", "l.b", 1, "l.b-"},
		{"l", "l.c", 10, ""},
		{"l", "l.b/", 10, "l.c"}, // which is not a key: it is greater than all keys under l.b
		{"l", "l.a/", 1, "l.b-"},
		{"l.b", "", 10, "l.b.x"},
		{"none", "", 10, ""},
	} {
		list, err := t.store.List(t.Context(), test.under, test.after, test.n)
		var keys []string
		for _, r := range list {
			keys = append(keys, r.Key)
			if string(r.Value) != "of "+r.Key {
				t.Errorf("%q has the value %q", r.Key, r.Value)
			}
			t.has(r.Key, string(r.Value), r.Revision)
		}
		if got := strings.Join(keys, " "); err != nil || got != test.want {
			t.Errorf("List %q after %q, %d of them: %q, %v, want %q", test.under, test.after, test.n, got, err, test.want)
		}
	}
}

func testKeys(t storeTester) {
	long := strings.Repeat("x", 250)
	t.has(long, "1", t.put(long, "1", 0, nil))
	t.has("A-z_0.9", "1", t.put("A-z_0.9", "1", 0, nil))
	for _, key := range []string{"", ".", "a.", ".a", "a..b", "a b", "a*", ">", "a/b", "ä", "a\x00", long + "x"} {
		t.put(key, "x", 0, store.ErrKey)
		t.delete(key, 0, store.ErrKey)
		if _, err := t.store.Get(t.Context(), key); !errors.Is(err, store.ErrKey) {
			t.Errorf("Get %q: %v", key, err)
		}
		if _, err := t.store.List(t.Context(), key, "", 1); !errors.Is(err, store.ErrKey) {
			t.Errorf("List %q: %v", key, err)
		}
	}
}

func testCopies(t storeTester) {
	value := []byte("1")
	revision, err := t.store.Put(t.Context(), "c.a", value, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	value[0] = 'x'
	r, err := t.store.Get(t.Context(), "c.a")
	if err != nil {
		t.Fatal(err)
	}
	r.Value[0] = 'y'
	list, err := t.store.List(t.Context(), "c", "", 1)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	list[0].Value[0] = 'z'
	t.has("c.a", "1", revision)
}

// until waits until f returns true.
func (t storeTester) until(what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !f(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("timed out waiting until %s", what)
		}
	}
}

func testExpiry(t storeTester) {
	begun := time.Now()
	revision, err := t.store.Put(t.Context(), "x.a", []byte("1"), 0, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	kept := t.put("x.b", "1", 0, nil)
	var renewed uint64
	err = store.ErrConflict
	for errors.Is(err, store.ErrConflict) { // it expires before it is renewed if the machine is slow
		if renewed, err = t.store.Put(t.Context(), "x.c", []byte("1"), 0, time.Second); err != nil {
			t.Fatal(err)
		}
		renewed, err = t.store.Put(t.Context(), "x.c", []byte("2"), renewed, time.Hour)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.until("the record has expired", func() bool {
		r, err := t.store.Get(t.Context(), "x.a")
		return errors.Is(err, store.ErrNotFound) || r.Revision != revision
	})
	if took := time.Since(begun); took < time.Second {
		t.Errorf("the record has expired after %v, want 1s", took)
	}
	t.put("x.a", "2", revision, store.ErrConflict)
	list, err := t.store.List(t.Context(), "x", "", 10)
	if err != nil || len(list) != 2 {
		t.Errorf("List: %v, %v", list, err)
	}
	t.has("x.b", "1", kept)
	t.has("x.c", "2", renewed)
	if again := t.put("x.a", "3", 0, nil); again <= revision {
		t.Errorf("after the end the revision is %d, want more than %d", again, revision)
	}
}

// testLongLife stores records whose lifetimes are longer than times can express.
func testLongLife(t storeTester) {
	for i, ttl := range []time.Duration{math.MaxInt64, math.MaxInt64 - time.Microsecond, math.MaxInt64 / 2} {
		key := "long." + strconv.Itoa(i)
		revision, err := t.store.Put(t.Context(), key, []byte("1"), 0, ttl)
		if err != nil {
			t.Errorf("Put for %v: %v", ttl, err)
			continue
		}
		t.put("long.other", "1", 0, nil) // stores remove what has expired when they store something
		t.delete("long.other", 0, nil)
		t.has(key, "1", revision)
		t.put(key, "2", 0, store.ErrConflict)
	}
}

// together calls f in several goroutines at the same time, and returns how often it succeeded. An error other than
// lose fails the test.
func (t storeTester) together(n int, lose error, f func(i int) error) (won int) {
	t.Helper()
	results := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { results[i] = f(i) })
	}
	all.Wait()
	for _, err := range results {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, lose):
			t.Errorf("got %v, want %v", err, lose)
		}
	}
	return won
}

func testCreateRace(t storeTester) {
	won := t.together(8, store.ErrConflict, func(i int) error {
		_, err := t.store.Put(t.Context(), "a", []byte(fmt.Sprint(i)), 0, time.Hour)
		return err
	})
	if won != 1 {
		t.Errorf("%d have created the record, want 1", won)
	}
}

func testPutRace(t storeTester) {
	t.put("a", "0", 0, nil)
	const each = 20
	t.together(4, nil, func(int) error {
		for range each {
			for {
				r, err := t.store.Get(t.Context(), "a")
				if err != nil {
					return err
				}
				n := 0
				fmt.Sscan(string(r.Value), &n)
				_, err = t.store.Put(t.Context(), "a", []byte(fmt.Sprint(n+1)), r.Revision, time.Hour)
				if err == nil {
					break
				}
				if !errors.Is(err, store.ErrConflict) {
					return err
				}
			}
		}
		return nil
	})
	if r, err := t.store.Get(t.Context(), "a"); err != nil || !bytes.Equal(r.Value, []byte(fmt.Sprint(4*each))) {
		t.Errorf("got %s, %v, want %d", r.Value, err, 4*each)
	}
}

func testContext(t storeTester) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, put := t.store.Put(ctx, "a", nil, 0, 0)
	_, get := t.store.Get(ctx, "a")
	_, list := t.store.List(ctx, "a", "", 1)
	for i, err := range []error{put, get, list, t.store.Delete(ctx, "a", 0)} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d: %v, want %v", i, err, context.Canceled)
		}
	}
}

// testLeases has two members. One leaves, and one is cut off.
func testLeases(t storeTester) {
	cut := &cutStore{Store: t.store}
	opts := &store.MemberOptions{TTL: 2 * time.Second}
	a, err := store.Join(t.Context(), cut, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Leave(context.WithoutCancel(t.Context()))
	b, err := store.Join(t.Context(), t.store, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Leave(context.WithoutCancel(t.Context()))
	lease := a.Lease()
	alive := func(m *store.Member, l *store.Lease) bool {
		ok, err := m.Alive(t.Context(), l.ID())
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if !lease.Valid() || !alive(a, lease) || !alive(b, lease) || lease.ID() == b.Lease().ID() {
		t.Fatal("two members are not alive, or the same")
	}
	cut.set(true)
	<-lease.Done()
	if lease.Valid() || a.Lease() != nil {
		t.Error("a member that does not reach the store still has its lease")
	}
	t.until("the others see that a lease has ended", func() bool { return !alive(b, lease) })
	cut.set(false)
	t.until("there is a new lease", func() bool { return a.Lease() != nil })
	again := a.Lease()
	if again.ID() == lease.ID() || !alive(b, again) {
		t.Error("the new lease is the old one, or not alive")
	}
	if err := a.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again.Valid() || a.Lease() != nil || alive(b, again) {
		t.Error("a member that has left is alive")
	}
}

// A cutStore does not reach the store if cut is set.
type cutStore struct {
	store.Store
	mu  sync.Mutex
	cut bool
}

func (s *cutStore) set(cut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut = cut
}

func (s *cutStore) Put(ctx context.Context, key string, value []byte, revision uint64, ttl time.Duration) (uint64, error) {
	s.mu.Lock()
	cut := s.cut
	s.mu.Unlock()
	if cut {
		return 0, errors.New("the network is down")
	}
	return s.Store.Put(ctx, key, value, revision, ttl)
}

func testOnce(t storeTester) {
	once := store.Once(t.store, anyUse)
	won := t.together(4, errUsed, func(int) error {
		first, err := once(t.Context(), "a-_B9", time.Now().Add(time.Minute))
		if err == nil && !first {
			return errUsed
		}
		return err
	})
	if won != 1 {
		t.Errorf("%d were the first, want 1", won)
	}
	if first, err := once(t.Context(), "other", time.Now().Add(time.Minute)); !first || err != nil {
		t.Errorf("another one: %t, %v", first, err)
	}
}

// anyUse is the memory of a process to which each use is the first, so that the store alone decides.
func anyUse(context.Context, string, time.Time) (bool, error) { return true, nil }

var errUsed = errors.New("used")
