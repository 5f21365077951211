package stdio

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/transport"
)

// readAll returns the lines of r; one that is too long as "too long: " and its beginning.
func readAll(r io.Reader, most int) (all []string, err error) {
	l := lines{r: r, max: most}
	for {
		line, err := l.next()
		var long *transport.MessageError
		switch {
		case errors.As(err, &long):
			all = append(all, "too long: "+string(long.Head))
		case err != nil:
			return all, err
		default:
			all = append(all, string(line))
		}
	}
}

// REQ STDIO-03
func TestLines(t *testing.T) {
	long := strings.Repeat("long", 3*bufferSize/4)
	for _, c := range []struct {
		name, in string
		max      int
		want     []string
	}{
		{"nothing", "", 9, nil},
		{"one", "{}\n", 9, []string{"{}"}},
		{"several", "a\nb\nc\n", 9, []string{"a", "b", "c"}},
		{"carriage returns", "a\r\nb\rc\r\n\r\nd", 9, []string{"a", "b\rc", "d"}},
		{"blank lines", "\n \t\r\n\na\n\n\r\r\n \r \n", 9, []string{"a"}},
		{"no end", "a\nb", 9, []string{"a", "b"}},
		{"only line feeds", strings.Repeat("\n", 1000), 9, nil},
		{"at the limit", "123456789\n123456789\r\n123456789", 9, []string{"123456789", "123456789", "123456789"}},
		{"too long", "a\n1234567890\nb\n", 9, []string{"a", "too long: 1234567890", "b"}},
		{"too long with a carriage return", "1234567890\r\nb\n", 9, []string{"too long: 1234567890", "b"}},
		{"too long at the end", "a\n1234567890", 9, []string{"a", "too long: 1234567890"}},
		{"too long twice", "1234567890\n1234567890\nb", 9, []string{"too long: 1234567890", "too long: 1234567890", "b"}},
		{"far too long", "a\n" + long + "\nb\n", 100, []string{"a", "too long: " + long[:headSize], "b"}},
		{"far too long at the end", "a\n" + long, 100, []string{"a", "too long: " + long[:headSize]}},
		{"longer than the buffer", "a\n" + long + "\nb\n" + long + "\r\n" + long, 4 * bufferSize, []string{"a", long, "b", long, long}},
		{"longer than the buffer, and too long", long + "\nb\n", len(long) - 1, []string{"too long: " + long[:headSize], "b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{
				"at once":        strings.NewReader(c.in),
				"byte by byte":   iotest.OneByteReader(strings.NewReader(c.in)),
				"half":           iotest.HalfReader(strings.NewReader(c.in)),
				"end with data":  iotest.DataErrReader(strings.NewReader(c.in)),
				"empty readings": &hesitant{r: strings.NewReader(c.in)},
			} {
				got, err := readAll(r, c.max)
				for i := range got { // the rest of a line that is too long may not have been read yet
					if strings.HasPrefix(got[i], "too long: ") && i < len(c.want) && strings.HasPrefix(c.want[i]+"\r", got[i]) && len(got[i]) > c.max {
						got[i] = c.want[i]
					}
				}
				if diff := cmp.Diff(c.want, got); diff != "" || err != io.EOF {
					t.Errorf("%s: error %v, -want +got:\n%.300s", name, err, diff)
				}
			}
		})
	}
}

// A hesitant reader reads nothing half of the time.
type hesitant struct {
	r    io.Reader
	turn bool
}

func (h *hesitant) Read(b []byte) (int, error) {
	if h.turn = !h.turn; h.turn {
		return 0, nil
	}
	return h.r.Read(b)
}

type zero struct{}

func (zero) Read([]byte) (int, error) { return 0, nil }

func TestLinesErrors(t *testing.T) {
	broken := errors.New("broken")
	all, err := readAll(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 9)
	if diff := cmp.Diff([]string{"a", "b"}, all); diff != "" || err != broken {
		t.Error(err, diff)
	}
	if _, err := readAll(zero{}, 9); err != io.ErrNoProgress {
		t.Error(err)
	}
}

// Lines outlive the buffer, and a long one does not keep the buffer large.
func TestLinesBuffer(t *testing.T) {
	long := strings.Repeat("x", 10*bufferSize)
	l := lines{r: strings.NewReader("first\n" + long + "\nlast\n"), max: 1 << 20}
	first, _ := l.next()
	if !l.more.Load() {
		t.Error("there is no more after the first line")
	}
	second, _ := l.next()
	last, _ := l.next()
	if l.more.Load() {
		t.Error("there is more after the last line")
	}
	if string(first) != "first" || string(second) != long || string(last) != "last" {
		t.Errorf("%.20s, %.20s, %.20s", first, second, last)
	}
	if _, err := l.next(); err != io.EOF || len(l.buf) > bufferSize {
		t.Errorf("%v, buffer of %d bytes", err, len(l.buf))
	}
}

// However much is read, the buffer is as large as the lines make it; and of a line that is too long, nothing is kept.
func TestLinesBufferIsBounded(t *testing.T) {
	for name, in := range map[string]string{
		"many":     strings.Repeat(strings.Repeat("x", 99)+"\n", 10_000),
		"too long": strings.Repeat("x", 100*bufferSize),
	} {
		l := lines{r: iotest.HalfReader(strings.NewReader(in)), max: 100}
		for {
			if _, err := l.next(); err == io.EOF {
				break
			}
		}
		if len(l.buf) != bufferSize {
			t.Errorf("%s: the buffer has %d bytes", name, len(l.buf))
		}
	}
}

// FuzzLines compares with a simple reader of lines, whatever the sizes of the pieces.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\r\n\n b \nccccccccccccc\nd"), uint8(3))
	f.Add(bytes.Repeat([]byte("x"), 30), uint8(9))
	f.Fuzz(func(t *testing.T, data []byte, piece uint8) {
		const most = 12
		var want []string
		for _, line := range strings.Split(string(data), "\n") {
			line = strings.TrimSuffix(line, "\r")
			switch {
			case strings.Trim(line, " \t\r") == "" && len(line) <= most:
			case strings.Trim(line, " \t\r") == "" && len(line) > most:
				return // may be reported or not, by the pieces in which it comes
			case len(line) > most:
				want = append(want, "too long")
			default:
				want = append(want, line)
			}
		}
		got, err := readAll(&pieces{data, int(piece%16) + 1}, most)
		for i := range got {
			if strings.HasPrefix(got[i], "too long: ") {
				got[i] = "too long"
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || err != io.EOF {
			t.Fatalf("%q by %d: error %v, -want +got:\n%s", data, piece%16+1, err, diff)
		}
	})
}

// pieces reads a few bytes at a time.
type pieces struct {
	data []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), p.size)], p.data)
	p.data = p.data[n:]
	return n, nil
}
