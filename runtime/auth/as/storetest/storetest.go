// Package storetest tests stores of authorization servers.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

// Run tests that a store does what [as.Store] says. Open returns a new one that has room for max records of each
// kind, and closes it by t.Cleanup. Each test is in a bubble of package synctest, with its own time.
func Run(t *testing.T, open func(t *testing.T, max int) as.Store) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, tester)
	}{
		{"create and get", testCreate},
		{"replace", testReplace},
		{"take", testTake},
		{"kinds are apart", testKinds},
		{"records expire", testExpiry},
		{"there is room for so many", testRoom},
		{"values are copies", testCopies},
		{"one of many takes", testTakeRace},
		{"one of many creates", testCreateRace},
		{"no replacement is lost", testReplaceRace},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test.run(t, tester{t, open(t, 100)}) })
		})
	}
}

// A tester calls a store.
type tester struct {
	*testing.T
	store as.Store
}

func record(key, value string) as.Record {
	return as.Record{Kind: as.KindGrant, Key: key, Value: []byte(value), Expires: time.Now().Add(time.Hour)}
}

func (t tester) create(r as.Record, want error) {
	t.Helper()
	if err := t.store.Create(t.Context(), r); !errors.Is(err, want) {
		t.Fatalf("Create %s %q: %v, want %v", r.Kind, r.Key, err, want)
	}
}

func (t tester) replace(old string, r as.Record, want error) {
	t.Helper()
	if err := t.store.Replace(t.Context(), []byte(old), r); !errors.Is(err, want) {
		t.Fatalf("Replace %s %q: %v, want %v", r.Kind, r.Key, err, want)
	}
}

// gives reports whether Get or Take returns a record.
func (t tester) gives(r as.Record, get func(context.Context, as.Kind, string) (as.Record, error)) {
	t.Helper()
	got, err := get(t.Context(), r.Kind, r.Key)
	if err != nil {
		t.Fatalf("%s %q: %v", r.Kind, r.Key, err)
	}
	if got.Kind != r.Kind || got.Key != r.Key || !bytes.Equal(got.Value, r.Value) || got.Expires.Sub(r.Expires).Abs() > time.Millisecond {
		t.Fatalf("got %v, want %v", got, r)
	}
}

func (t tester) absent(kind as.Kind, key string) {
	t.Helper()
	if r, err := t.store.Get(t.Context(), kind, key); !errors.Is(err, as.ErrNotFound) {
		t.Fatalf("Get %s %q: %v, %v, want %v", kind, key, r, err, as.ErrNotFound)
	}
	if r, err := t.store.Take(t.Context(), kind, key); !errors.Is(err, as.ErrNotFound) {
		t.Fatalf("Take %s %q: %v, %v, want %v", kind, key, r, err, as.ErrNotFound)
	}
}

func testCreate(_ *testing.T, t tester) {
	t.absent(as.KindGrant, "a")
	r := record("a", `{"n":1}`)
	t.create(r, nil)
	t.gives(r, t.store.Get)
	t.gives(r, t.store.Get)
	t.create(record("a", `{"n":2}`), as.ErrExists)
	t.gives(r, t.store.Get)
	t.absent(as.KindGrant, "A")
	t.create(record("a'; DROP TABLE records; --\x00\n☃", "x"), nil)
	t.gives(r, t.store.Get)
}

func testReplace(_ *testing.T, t tester) {
	t.replace("1", record("a", "2"), as.ErrNotFound)
	t.absent(as.KindGrant, "a")
	t.create(record("a", "1"), nil)
	t.replace("3", record("a", "2"), as.ErrConflict)
	t.gives(record("a", "1"), t.store.Get)
	later := record("a", "2")
	later.Expires = later.Expires.Add(time.Hour)
	t.replace("1", later, nil)
	t.gives(later, t.store.Get)
	t.replace("1", record("a", "3"), as.ErrConflict)
}

func testTake(_ *testing.T, t tester) {
	r := record("a", "1")
	t.create(r, nil)
	t.create(record("b", "2"), nil)
	t.gives(r, t.store.Take)
	t.absent(as.KindGrant, "a")
	t.gives(record("b", "2"), t.store.Get)
	t.create(r, nil)
	t.gives(r, t.store.Get)
}

func testKinds(_ *testing.T, t tester) {
	client := record("a", "client")
	client.Kind = as.KindClient
	t.create(record("a", "grant"), nil)
	t.create(client, nil)
	t.gives(record("a", "grant"), t.store.Take)
	t.gives(client, t.store.Get)
}

func testExpiry(_ *testing.T, t tester) {
	r := record("a", "1")
	t.create(r, nil)
	time.Sleep(time.Hour - time.Second)
	t.gives(r, t.store.Get)
	time.Sleep(time.Second)
	t.absent(as.KindGrant, "a")
	t.replace("1", record("a", "2"), as.ErrNotFound)
	t.create(record("a", "3"), nil)
	t.gives(record("a", "3"), t.store.Get)
	past := record("b", "1")
	past.Expires = time.Now()
	t.create(past, nil)
	t.absent(as.KindGrant, "b")
}

func testRoom(_ *testing.T, t tester) {
	for i := range 100 {
		t.create(record(fmt.Sprint(i), "1"), nil)
	}
	t.create(record("more", "1"), as.ErrFull)
	t.create(record("7", "1"), as.ErrExists)
	t.replace("1", record("7", "2"), nil)
	other := record("more", "1")
	other.Kind = as.KindClient
	t.create(other, nil)
	t.gives(record("0", "1"), t.store.Take)
	t.create(record("more", "1"), nil)
	t.create(record("still more", "1"), as.ErrFull)
	time.Sleep(time.Hour)
	t.create(record("still more", "1"), nil)
}

func testCopies(_ *testing.T, t tester) {
	r := record("a", "1")
	t.create(r, nil)
	r.Value[0] = 'x'
	got, err := t.store.Get(t.Context(), r.Kind, r.Key)
	if err != nil {
		t.Fatal(err)
	}
	got.Value[0] = 'y'
	t.gives(record("a", "1"), t.store.Get)
}

// together calls f at the same time in several goroutines, and returns how often it succeeded. Other errors than
// those that losers receive fail the test.
func (t tester) together(n int, f func(i int) error, lose ...error) (won int) {
	t.Helper()
	results := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { results[i] = f(i) })
	}
	all.Wait()
	for _, err := range results {
		expected := err == nil
		for _, l := range lose {
			expected = expected || errors.Is(err, l)
		}
		if !expected {
			t.Errorf("got %v, want one of %v", err, lose)
		}
		if err == nil {
			won++
		}
	}
	return won
}

func testTakeRace(_ *testing.T, t tester) {
	t.create(record("a", "1"), nil)
	won := t.together(8, func(int) error {
		_, err := t.store.Take(t.Context(), as.KindGrant, "a")
		return err
	}, as.ErrNotFound)
	if won != 1 {
		t.Errorf("%d have taken the record, want 1", won)
	}
}

func testCreateRace(_ *testing.T, t tester) {
	won := t.together(8, func(i int) error {
		return t.store.Create(t.Context(), record("a", fmt.Sprint(i)))
	}, as.ErrExists)
	if won != 1 {
		t.Errorf("%d have created the record, want 1", won)
	}
}

func testReplaceRace(_ *testing.T, t tester) {
	t.create(record("a", "0"), nil)
	const each = 20
	won := t.together(4, func(int) error {
		for range each {
			for {
				r, err := t.store.Get(t.Context(), as.KindGrant, "a")
				if err != nil {
					return err
				}
				n := 0
				fmt.Sscan(string(r.Value), &n)
				err = t.store.Replace(t.Context(), r.Value, record("a", fmt.Sprint(n+1)))
				if err == nil {
					break
				}
				if !errors.Is(err, as.ErrConflict) {
					return err
				}
			}
		}
		return nil
	})
	if won != 4 {
		t.Fatal("some have failed")
	}
	t.gives(record("a", fmt.Sprint(4*each)), t.store.Get)
}
