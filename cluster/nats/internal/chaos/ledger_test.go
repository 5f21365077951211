//go:build unix

package chaos

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// An entry of a ledger says what an instance does. One of its fields is set.
type entry struct {
	Run  string `json:"run,omitempty"` // the tool runs for a call of that name; written before it does
	Kept *kept  `json:"kept,omitempty"`
}

// kept is an event that was stored. An event may have no such entry if the instance was killed just then.
type kept struct {
	Session string `json:"session"`
	Stream  string `json:"stream"`
	ID      string `json:"id"`
	Data    string `json:"data"`
}

// A ledger is a file to which an instance appends entries.
type ledger struct {
	mu   sync.Mutex
	file *os.File
}

func openLedger(name string) (*ledger, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return &ledger{file: f}, err
}

func (l *ledger) write(e entry) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.file.Write(append(data, '\n'))
	return err
}

// keptEvents is an event store that records in a ledger what it has stored.
type keptEvents struct {
	streamable.EventStore
	ledger *ledger
}

func (k keptEvents) Append(ctx context.Context, session, stream string, data []byte) (string, error) {
	id, err := k.EventStore.Append(ctx, session, stream, data)
	if err == nil && len(data) > 0 {
		err = k.ledger.write(entry{Kept: &kept{session, stream, id, string(data)}})
	}
	return id, err
}

// A record is the contents of all ledgers.
type record struct {
	runs map[string]int    // of the tool, by the name of the call
	kept map[string][]kept // events by session
}

// readLedgers reads what the instances have written so far. The last line of a killed instance may be incomplete.
func readLedgers(t testing.TB, dir string) *record {
	t.Helper()
	r := &record{runs: make(map[string]int), kept: make(map[string][]kept)}
	files, err := filepath.Glob(filepath.Join(dir, "*.ledger"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(strings.NewReader(string(data)))
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				break
			}
			var e entry
			if err := json.Unmarshal(line, &e); err != nil {
				t.Errorf("%s: %v in %q", name, err, line)
				continue
			}
			if e.Run != "" {
				r.runs[e.Run]++
			}
			if e.Kept != nil {
				r.kept[e.Kept.Session] = append(r.kept[e.Kept.Session], *e.Kept)
			}
		}
	}
	return r
}
