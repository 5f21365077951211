package nats_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/mcpgen/mcpgen/cluster/nats"
	"github.com/mcpgen/mcpgen/internal/testenv"
)

// On a full disk, a NATS server stores nothing any more, and says nothing: changes fail, and what was stored can be read. It
// goes on when it is restarted, with room.
func TestDiskFull(t *testing.T) {
	if !testenv.Mounts(t) {
		return
	}
	dir := testenv.SmallDisk(t, "24m")
	opts := &server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, JetStreamMaxStore: maxStore, StoreDir: dir, NoSigs: true, NoLog: true}
	s := startServer(t, opts)
	records := join(t, connect(t, s), nats.Options{}).Store()
	tries := 0
	var stored []string
	put := func(within time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), within)
		defer cancel()
		tries++
		key := fmt.Sprint("k.", tries)
		_, err := records.Put(ctx, key, make([]byte, 5000), 0, time.Hour)
		if err == nil {
			stored = append(stored, key)
		}
		return err
	}
	for range 100 {
		if err := put(time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	other := testenv.FillDisk(t, dir)
	for put(time.Second) == nil {
		if tries == 1000 {
			t.Fatal("there is still room")
		}
	}
	if err := put(time.Second); err == nil {
		t.Error("another record is stored")
	}
	if _, err := records.Get(t.Context(), "k.1"); err != nil {
		t.Error(err)
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	s.Shutdown()
	s.WaitForShutdown()
	startServer(t, opts)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if err := put(time.Second); err == nil {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("when there is room again: %v", err)
		}
	}
	for _, key := range stored {
		if _, err := records.Get(t.Context(), key); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
}
