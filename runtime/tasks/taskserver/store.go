package taskserver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/store"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Each task is a record of a [store.Store], under its owner and its id. If several processes share the store, the
// record names the lease of the process that runs the task, and the record work.LEASE.ID has its key, so that the tasks
// of a process that has ended are found without looking at all tasks. Records are replaced by revision number: only a
// process that has seen the last change can make another one.

// A taskRecord is a task in the store. It is immutable.
type taskRecord struct {
	Task tasks.Task `json:"task"`
	// Principal alone may use the task; the key says so, too. If it is empty, anyone who knows the id may.
	Principal string `json:"principal,omitempty"`
	// Scopes are those that the request required. Requests about the task require them, too.
	Scopes []string `json:"scopes,omitempty"`
	// Revision is that of the request that became the task.
	Revision wire.Revision `json:"revision"`
	// Lease is the name of the lease of the process that runs the task, empty if none does.
	Lease string `json:"lease,omitempty"`
	// Asks has the requests for input through 2025-11-25, where they are not a part of the task.
	Asks []taskAsk `json:"asks,omitempty"`

	key    string
	number uint64 // revision of the record, 0 if it is not in the store
}

// over returns the record of the task after it has ended in the given way.
func (rec *taskRecord) over(end tasks.Task) *taskRecord {
	over := *rec
	over.Task, over.Lease, over.Asks = end, "", nil
	return &over
}

// A taskAsk is a request for input that waits to be sent to a client.
type taskAsk struct {
	Key    string   `json:"key"`
	Method string   `json:"method"`
	Params wire.Raw `json:"params"`
}

// ownedTasks returns the prefix of the keys of a principal's tasks. Nobody else finds these tasks.
func ownedTasks(principal string) string {
	// REQ TASK-18
	return "task." + shortHash(principal)
}

// taskKey returns the key of a task. It is not valid if the id cannot be that of a task.
func taskKey(principal, id string) string {
	if id == "" || strings.Contains(id, ".") {
		return ""
	}
	return ownedTasks(principal) + "." + id
}

// taskIDOf is the inverse of taskKey.
func taskIDOf(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }

// shortHash returns a short hash of a text of any length, for use in a key.
func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// A taskStore keeps the tasks of a server.
type taskStore struct {
	store.Store
	member *store.Member // nil if the store is not shared
}

// load returns the record of a task, nil if there is none.
func (s *taskStore) load(ctx context.Context, key string) (*taskRecord, error) {
	if !store.ValidKey(key) {
		return nil, nil
	}
	r, err := s.Get(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return decodeTask(r)
}

// errTaskRecord is the error for a record that no process can have written.
var errTaskRecord = errors.New("no task is stored like that")

func decodeTask(r store.Record) (*taskRecord, error) {
	rec := &taskRecord{key: r.Key, number: r.Revision}
	if err := json.Unmarshal(r.Value, rec); err != nil {
		return nil, fmt.Errorf("%w: record %s: %w", errTaskRecord, r.Key, err)
	}
	return rec, nil
}

// list returns the first n records of a principal, or fewer, whose ids are greater than after.
func (s *taskStore) list(ctx context.Context, principal, after string, n int) ([]*taskRecord, error) {
	under := ownedTasks(principal)
	if after != "" {
		after = under + "." + after
	}
	found, err := s.List(ctx, under, after, n)
	if err != nil {
		return nil, err
	}
	list := make([]*taskRecord, len(found))
	for i, r := range found {
		if list[i], err = decodeTask(r); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// save stores a record in place of the one that it was made from. The error is [store.ErrConflict] if there is a newer
// one.
func (s *taskStore) save(ctx context.Context, rec *taskRecord) (number uint64, err error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // which lengthens results
	if err := enc.Encode(rec); err != nil {
		return 0, err
	}
	return s.Put(ctx, rec.key, buf.Bytes(), rec.number, timeLeft(&rec.Task))
}

// timeLeft returns how long a record of a task is kept from now on, 0 if for ever.
func timeLeft(t *tasks.Task) time.Duration {
	at := t.Expires()
	if at.IsZero() {
		return 0
	}
	return max(time.Until(at), time.Second)
}

func workKey(lease, id string) string { return "work." + lease + "." + id }

// assign records that a lease has a task.
func (s *taskStore) assign(ctx context.Context, lease string, rec *taskRecord) error {
	_, err := s.Put(ctx, workKey(lease, taskIDOf(rec.key)), []byte(rec.key), 0, timeLeft(&rec.Task))
	if errors.Is(err, store.ErrConflict) { // it is recorded already
		return nil
	}
	return err
}

// release records that a lease no longer has a task.
func (s *taskStore) release(ctx context.Context, lease, id string) error {
	if lease == "" {
		return nil
	}
	return s.Delete(ctx, workKey(lease, id), 0)
}

// works reports whether the process that holds the lease of that name is alive.
func (s *taskStore) works(ctx context.Context, lease string) (bool, error) {
	if lease == "" || s.member == nil {
		return false, nil
	}
	return s.member.Alive(ctx, lease)
}
