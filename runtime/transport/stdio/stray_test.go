package stdio

import (
	"io"
	"log/slog"
	"os"
	"testing"
)

// Closing does not wait for ever for a standard error that nobody reads.
func TestStderrThatNobodyReads(t *testing.T) {
	output, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r, w := io.Pipe() // without a buffer
	defer r.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		toStderr(w, output, slog.New(slog.DiscardHandler))
	}()
	io.WriteString(in, "printed")
	io.ReadFull(r, make([]byte, 1)) // it is being passed on
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		closeStray(output, done)
	}()
	<-closed
	select {
	case <-done:
		t.Error("what was printed has been passed on to nobody")
	default:
	}
	r.Close()
	<-done
}
