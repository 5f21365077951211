package as_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/as"
	"github.com/mcpgen/mcpgen/runtime/auth/as/storetest"
)

func TestMemoryStore(t *testing.T) {
	storetest.Run(t, func(_ *testing.T, max int) as.Store { return as.NewMemoryStore(&as.MemoryOptions{MaxRecords: max}) })
}

// TestMemoryStoreBytes bounds what the records of a kind have together.
func TestMemoryStoreBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := as.NewMemoryStore(&as.MemoryOptions{MaxBytes: 1000})
		record := func(i, size int) as.Record {
			key := fmt.Sprintf("%02d", i)
			return as.Record{Kind: as.KindClient, Key: key, Value: []byte(strings.Repeat("a", size-len(key))), Expires: time.Now().Add(time.Hour)}
		}
		create := func(r as.Record, want error) {
			t.Helper()
			if err := s.Create(t.Context(), r); !errors.Is(err, want) {
				t.Fatalf("%s: %v, want %v", r.Key, err, want)
			}
		}
		for i := range 10 {
			create(record(i, 100), nil)
		}
		create(record(10, 3), as.ErrFull)
		if err := s.Replace(t.Context(), record(0, 100).Value, record(0, 50)); err != nil {
			t.Fatal(err)
		}
		create(record(10, 51), as.ErrFull)
		create(record(10, 50), nil)
		if _, err := s.Take(t.Context(), as.KindClient, "05"); err != nil {
			t.Fatal(err)
		}
		create(record(5, 100), nil)
		create(record(11, 3), as.ErrFull)
		time.Sleep(time.Hour)
		create(record(11, 1000), nil)
	})
}
