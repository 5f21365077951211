package sqlite_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/cluster/sqlite"
	"github.com/mcpgen/mcpgen/cluster/store"
)

const childEnv = "MCPGEN_SQLITE_CHILD" // what the child does, and its file

func TestMain(m *testing.M) {
	task, path, ok := strings.Cut(os.Getenv(childEnv), " ")
	if !ok {
		os.Exit(m.Run())
	}
	if err := map[string]func(*sqlite.Store) error{"write": write, "count": increment}[task](mustOpen(path)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func mustOpen(path string) *sqlite.Store {
	s, err := sqlite.Open(path, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return s
}

// write writes forever, and prints what it has written.
func write(s *sqlite.Store) error {
	ctx := context.Background()
	session := "S" + strconv.Itoa(os.Getpid())
	for i := 0; ; i++ {
		size := i % 7 * 5000
		value := fmt.Appendf(nil, "%0*d", size+1, i)
		key := "k." + strconv.Itoa(os.Getpid()) + "-" + strconv.Itoa(i)
		revision, err := s.Put(ctx, key, value, 0, 0)
		if err != nil {
			return err
		}
		id, err := s.Append(ctx, session, "r1", value)
		if err != nil {
			return err
		}
		if i%10 == 9 {
			if err := s.Delete(ctx, key, 0); err != nil {
				return err
			}
			key = "-"
		}
		fmt.Println(key, revision, session, id, i, size)
	}
}

// increment adds 100 to a number, concurrently with other processes.
func increment(s *sqlite.Store) error {
	ctx := context.Background()
	for range 100 {
		for {
			r, err := s.Get(ctx, "n")
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			n, _ := strconv.Atoi(string(r.Value))
			_, err = s.Put(ctx, "n", []byte(strconv.Itoa(n+1)), r.Revision, 0)
			if err == nil {
				break
			}
			if !errors.Is(err, store.ErrConflict) {
				return err
			}
		}
	}
	return s.Close()
}

func child(t *testing.T, task, path string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), childEnv+"="+task+" "+path)
	c.Stderr = os.Stderr
	return c
}

// A process that is killed while it writes leaves a file with everything that it has written.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "killed.db")
	type written struct {
		key, session, id string
		revision         uint64
		i, size          int
	}
	var all []written
	for round := range 8 {
		c := child(t, "write", path)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			if n == 20+round*7 {
				c.Process.Kill() // the lines that it has written can still be read
			}
			var w written
			if _, err := fmt.Sscan(lines.Text(), &w.key, &w.revision, &w.session, &w.id, &w.i, &w.size); err != nil {
				break // it was killed in the middle of a line
			}
			all = append(all, w)
		}
		c.Wait()

		if got := query(t, path, `PRAGMA integrity_check`); got != "ok" {
			t.Fatalf("the file is damaged: %s", got)
		}
		s, err := sqlite.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range all {
			value := fmt.Sprintf("%0*d", w.size+1, w.i)
			if r, err := s.Get(t.Context(), w.key); w.key != "-" && (err != nil || string(r.Value) != value || r.Revision != w.revision) {
				t.Fatalf("%s at %d: %d, %v", w.key, w.revision, r.Revision, err)
			}
			if stream, err := s.Stream(t.Context(), w.session, w.id); err != nil || stream != "r1" {
				t.Fatalf("event %s of %s: %v", w.id, w.session, err)
			}
		}
		last := all[len(all)-1]
		if err := s.Fence(t.Context(), last.session, 1); err != nil {
			t.Error(err)
		}
		if _, err := s.Append(t.Context(), last.session, "r1", nil); err != nil {
			t.Error(err)
		}
		if events, err := s.After(t.Context(), last.session, last.id); err != nil || len(events) < 1 {
			t.Errorf("after the last event: %v, %v", events, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Processes that change the same record lose no change.
func TestProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shared.db")
	var all []*exec.Cmd
	for range 3 {
		c := child(t, "count", path)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	for _, c := range all {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	if r, err := open(t, path, nil).Get(t.Context(), "n"); err != nil || string(r.Value) != "300" {
		t.Errorf("the number is %s, %v, want 300", r.Value, err)
	}
}

// query opens the file separately and returns the only value of a query.
func query(t *testing.T, path, text string) (value string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(text).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// count returns how many rows a table has.
func count(t *testing.T, path, table string) int {
	t.Helper()
	n, err := strconv.Atoi(query(t, path, `SELECT count(*) FROM `+table))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
