package emit

import (
	"bytes"
	"cmp"
	"go/format"
	"runtime"
	"sync"
)

// formatted formats the source of a file. That is most of the work of writing it, so large files are formatted in
// parts, concurrently.
func formatted(src []byte) ([]byte, error) {
	parts := split(src, max(len(src)/runtime.GOMAXPROCS(0)+1, 16<<10))
	errs := make([]error, len(parts))
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() { parts[i], errs[i] = format.Source(parts[i]) })
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			_, err := format.Source(src) // which tells the right line
			return nil, cmp.Or(err, errs[i])
		}
	}
	for i := range parts {
		parts[i] = bytes.TrimSpace(parts[i])
	}
	return append(bytes.Join(parts, []byte("\n\n")), '\n'), nil
}

// split cuts the source between functions, into parts of at least that size, except the last. No string in
// generated code contains line breaks, and unnamed functions have no blank after func, so a line that begins with
// "func " begins a declaration.
func split(src []byte, size int) [][]byte {
	var parts [][]byte
	for from := size; from < len(src); {
		at := bytes.Index(src[from:], []byte("\nfunc "))
		if at < 0 {
			break
		}
		from += at + 1
		at = from
		for at > 0 { // comments belong to what follows
			line := bytes.LastIndexByte(src[:at-1], '\n') + 1
			if !bytes.HasPrefix(src[line:], []byte("//")) {
				break
			}
			at = line
		}
		if at > 0 {
			parts = append(parts, src[:at])
			src, from = src[at:], size
		}
	}
	return append(parts, src)
}
