package sqlite_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/internal/testenv"
)

// On a full disk, what exists can still be changed and deleted, and deletions make room: nobody else has to.
func TestDiskFull(t *testing.T) {
	if !testenv.Mounts(t) {
		return
	}
	for _, test := range []struct {
		name string
		size int // of a record
		fill func(t *testing.T, dir string) string
	}{
		{"large records", 200_000, nil},
		{"records", 5000, nil},
		{"by others", 5000, testenv.FillDisk},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := testenv.SmallDisk(t, "24m")
			s := open(t, filepath.Join(dir, "small.db"), nil)
			lease, err := s.Put(t.Context(), "lease.a", nil, 0, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			put := func() error {
				_, err := s.Put(t.Context(), fmt.Sprintf("session.%d", n), make([]byte, test.size), 0, time.Hour)
				if err == nil {
					n++
				}
				return err
			}
			for err = nil; err == nil; err = put() {
				if n == 200 && test.fill != nil {
					test.fill(t, dir)
				}
			}
			if !strings.Contains(err.Error(), "disk is full") {
				t.Fatal(err)
			}
			held := n
			for i := range max(500, held) {
				if lease, err = s.Put(t.Context(), "lease.a", nil, lease, time.Hour); err != nil {
					t.Fatalf("renewal %d of the lease: %v", i, err)
				}
				if i < held/2 {
					if err := s.Delete(t.Context(), fmt.Sprintf("session.%d", i), 0); err != nil {
						t.Fatalf("deletion %d: %v", i, err)
					}
				}
			}
			if err := s.Delete(t.Context(), "lease.a", lease); err != nil {
				t.Error(err)
			}
			if _, err := s.Put(t.Context(), "lease.b", nil, 0, time.Hour); err != nil {
				t.Errorf("another lease: %v", err)
			}
			if _, err := s.Append(t.Context(), "S", "r1", nil); err != nil {
				t.Errorf("an event: %v", err)
			}
			for range held / 4 {
				if err := put(); err != nil {
					t.Fatalf("after the deletions: %v", err)
				}
			}
			for i := range n {
				want := error(nil)
				if i < held/2 {
					want = store.ErrNotFound
				}
				if _, err := s.Get(t.Context(), fmt.Sprintf("session.%d", i)); !errors.Is(err, want) {
					t.Fatalf("record %d: %v, want %v", i, err, want)
				}
			}
		})
	}
}
