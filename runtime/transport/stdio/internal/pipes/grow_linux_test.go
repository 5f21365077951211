package pipes

import (
	"bytes"
	"os"
	"testing"
)

// A long message is written at once, although nobody reads yet.
func TestPipeGrows(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out := Quick(w)
	defer out.Close()
	long := bytes.Repeat([]byte("x"), 200<<10)
	n, err := out.(NowWriter).WriteNow(long)
	if err != nil {
		t.Fatal(err)
	}
	if n < len(long) {
		t.Skipf("the system does not let the pipe grow beyond %d bytes: sysctl fs.pipe-max-size must be 1048576 or more, and fs.pipe-user-pages-soft not be used up", n)
	}
	got := make([]byte, len(long)+1)
	if n, err := r.Read(got); err != nil || !bytes.Equal(got[:n], long[:n]) {
		t.Errorf("%d bytes arrived, %v", n, err)
	}
}
