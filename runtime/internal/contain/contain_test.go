package contain

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

func TestPanic(t *testing.T) {
	var log bytes.Buffer
	call := func(f func() error) (err error) {
		defer Panic(slog.New(slog.NewTextHandler(&log, nil)), "the store", &err)
		return f()
	}
	own := errors.New("full")
	if err := call(func() error { return own }); err != own || log.Len() > 0 {
		t.Errorf("without a panic: %v, logged %s", err, &log)
	}
	err := call(func() error { panic("secret") })
	if err == nil || err.Error() != "the store failed" {
		t.Errorf("got %v", err)
	}
	for _, want := range []string{`level=ERROR msg="mcp: the store panicked" panic=secret`, "contain_test.go"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("logged %s, want %s", &log, want)
		}
	}
}
