package eventreader_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventreader"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventstream"
)

// read returns all events of a stream, each as one line, and the final error.
func read(r *eventreader.Reader) ([]string, error) {
	var events []string
	for {
		e, err := r.Next()
		if err != nil {
			return events, err
		}
		events = append(events, fmt.Sprintf("%s|%s|%s|%s", e.ID, e.Type, e.Data, e.Retry))
	}
}

func TestReader(t *testing.T) {
	tests := []struct {
		name, stream string
		want         []string
	}{
		{"nothing", "", nil},
		{"LF", "data: a\n\ndata: b\n\n", []string{"||a|0s", "||b|0s"}},
		{"CR", "data: a\r\rdata: b\r\r", []string{"||a|0s", "||b|0s"}},
		{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"||a|0s", "||b|0s"}},
		{"mixed", "data: a\r\n\rdata: b\n\r\ndata: c\r\n\n", []string{"||a|0s", "||b|0s", "||c|0s"}},
		{"byte order mark", "\ufeffdata: a\n\n", []string{"||a|0s"}},
		{"second byte order mark", "\ufeff\ufeffdata: a\n\ndata: b\n\n", []string{"||b|0s"}},
		{"part of a byte order mark", "\xef\xbbdata: a\n\ndata: b\n\n", []string{"||b|0s"}},
		{"no blank line at the end", "data: a\n\ndata: b\n", []string{"||a|0s"}},
		{"comments", ":\n: hello\n\ndata: a\n:x\ndata: b\n\n:\n\n", []string{"||a\nb|0s"}},
		{"one space is taken away", "data:a\n\ndata:  a \n\n", []string{"||a|0s", "|| a |0s"}},
		{"no colon", "data\n\ndata\ndata\n\n", []string{"|||0s", "||\n|0s"}},
		{"empty data", "data:\n\n", []string{"|||0s"}},
		{"no data", "id: 7\nevent: x\n\ndata: a\n\n", []string{"7||a|0s"}},
		{"id stays", "id: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", []string{"7||a|0s", "7||b|0s", "||c|0s"}},
		{"id with NUL", "id: 7\ndata: a\n\nid: 8\x00\ndata: b\n\n", []string{"7||a|0s", "7||b|0s"}},
		{"id of some length", "id: " + strings.Repeat("7", 4<<10) + "\ndata: a\n\n", []string{strings.Repeat("7", 4<<10) + "||a|0s"}},
		{"id that is too long", "id: 7\ndata: a\n\nid: " + strings.Repeat("8", 4<<10+1) + "\ndata: b\n\n", []string{"7||a|0s", "7||b|0s"}},
		{"last id wins", "id: 7\nid: 8\ndata: a\n\n", []string{"8||a|0s"}},
		{"type is of one event", "event: x\nevent: y\ndata: a\n\ndata: b\n\n", []string{"|y|a|0s", "||b|0s"}},
		{"retry", "retry: 500\ndata: a\n\ndata: b\n\n", []string{"||a|500ms", "||b|0s"}},
		{"retry that is no number", "retry: 5s\nretry: -5\nretry: +5\nretry:\nretry: 1.5\nretry:  5\ndata: a\n\n", []string{"||a|0s"}},
		{"retry without end", "retry: 99999999999999999999999\ndata: a\n\n", []string{"||a|2562047h47m16.854s"}},
		{"unknown and odd fields", "Data: a\n data: b\ndatax: c\nfoo\n\ndata: d\n\n", []string{"||d|0s"}},
		{"colons in values", "id: a:b\ndata: {\"a\":1}\n\n", []string{"a:b||{\"a\":1}|0s"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"at once":     strings.NewReader(test.stream),
				"byte-wise":   iotest.OneByteReader(strings.NewReader(test.stream)),
				"EOF at once": iotest.DataErrReader(strings.NewReader(test.stream)),
			} {
				got, err := read(eventreader.New(r, 0))
				if err != io.EOF {
					t.Errorf("%s: error %v, want EOF", how, err)
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("%s: %s", how, diff)
				}
			}
		})
	}
}

func TestReaderState(t *testing.T) {
	r := eventreader.New(strings.NewReader("id: 1\ndata: a\n\nretry: 0\nid: 2\n\nid: 3\n"), 0)
	if _, told := r.Retry(); told || r.LastEventID() != "" {
		t.Error("a stream that has said nothing has an ID or a time to wait")
	}
	if e, err := r.Next(); err != nil || e.ID != "1" || r.LastEventID() != "1" {
		t.Errorf("first event %+v, %v, last ID %q", e, err, r.LastEventID())
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("error %v, want EOF", err)
	}
	// The ID of a block without data counts, the one of a block without an end does not.
	if wait, told := r.Retry(); wait != 0 || !told || r.LastEventID() != "2" {
		t.Errorf("got %s, %t, %q; want 0s, true and 2", wait, told, r.LastEventID())
	}
}

func TestReaderDoesNotWait(t *testing.T) {
	// A CR ends a line at once: whether an LF follows is of no interest before something follows.
	for _, end := range []string{"\n\n", "\r\r", "\r\n\r\n", "\r\n\r"} {
		in, out := io.Pipe()
		r := eventreader.New(in, 0)
		go out.Write([]byte("data: a" + end))
		if e, err := r.Next(); err != nil || string(e.Data) != "a" {
			t.Errorf("%q: %+v, %v", end, e, err)
		}
		in.Close()
	}
}

func TestReaderLimit(t *testing.T) {
	tests := []struct {
		name, stream string
		want         []string
		tooLarge     bool
	}{
		{"exact", "data: 12345678\n\n", []string{"||12345678|0s"}, false},
		{"one more", "data: a\n\ndata: 123456789\n\ndata: b\n\n", []string{"||a|0s"}, true},
		{"lines add up", "data: 1234\ndata: 567\n\n", []string{"||1234\n567|0s"}, false},
		{"lines add up to more", "data: 1234\ndata: 5678\n\n", nil, true},
		{"many empty lines", strings.Repeat("data\n", 20), nil, true},
		{"line without end", "data: " + strings.Repeat("x", 1000), nil, true},
		{"long comment", ":" + strings.Repeat("x", 1000) + "\n\ndata: a\n\n", nil, true},
		{"many comments", strings.Repeat(": keep-alive\n", 1000) + "data: a\n\n", []string{"||a|0s"}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := eventreader.New(iotest.OneByteReader(strings.NewReader(test.stream)), 8)
			got, err := read(r)
			if errors.Is(err, eventreader.ErrTooLarge) != test.tooLarge {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if _, again := r.Next(); again != err {
				t.Errorf("then the error is %v", again)
			}
		})
	}
}

func TestReaderErrors(t *testing.T) {
	broken := errors.New("broken")
	r := eventreader.New(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken)), 0)
	got, err := read(r)
	if diff := cmp.Diff([]string{"||a|0s"}, got); diff != "" || err != broken {
		t.Errorf("%s, error %v", diff, err)
	}
	if _, err := eventreader.New(lazy{}, 0).Next(); err != io.ErrNoProgress {
		t.Errorf("a reader that never reads: error %v", err)
	}
}

type lazy struct{}

func (lazy) Read([]byte) (int, error) { return 0, nil }

func TestDataIsTheCallers(t *testing.T) {
	r := eventreader.New(strings.NewReader("data: first\n\ndata: other\n\n"), 0)
	first, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != nil || string(first.Data) != "first" {
		t.Errorf("the first event's data became %q, %v", first.Data, err)
	}
}

// What is written is read again, whatever is in it: one event, its data the same line by line.
func FuzzRoundTrip(f *testing.F) {
	f.Add("1", "message", []byte(`{"jsonrpc":"2.0"}`), int64(500))
	f.Add("a\nb", "\r", []byte("x\r\n\ry\n\n"), int64(-1))
	f.Add("\x00", ":", []byte("\n"), int64(1)<<62)
	f.Fuzz(func(t *testing.T, id, kind string, data []byte, retry int64) {
		wire := eventstream.AppendEvent(nil, eventstream.Event{ID: id, Type: kind, Data: data, Retry: time.Duration(retry)})
		r := eventreader.New(bytes.NewReader(wire), len(data)+len(id)+len(kind)+32)
		got, err := r.Next()
		if err != nil {
			t.Fatalf("%q: %v", wire, err)
		}
		if strings.ContainsAny(id, "\r\n\x00") {
			id = ""
		}
		if strings.ContainsAny(kind, "\r\n\x00") {
			kind = ""
		}
		lines := bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
		wait := max(time.Duration(retry), 0).Truncate(time.Millisecond)
		if got.ID != id || got.Type != kind || !bytes.Equal(got.Data, lines) || got.Retry != wait {
			t.Errorf("%q was read as %+v", wire, got)
		}
		if _, err := r.Next(); err != io.EOF {
			t.Errorf("%q: then %v", wire, err)
		}
	})
}

// No input makes the reader panic, hang, or exceed its limit, and how the input is cut into reads
// changes nothing.
func FuzzReader(f *testing.F) {
	f.Add([]byte("\ufeffid: 1\r\ndata: a\r\rretry: 5\n\n:c\n\n"))
	f.Add([]byte("data\rdata\n\r\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		const limit = 64
		whole, err := read(eventreader.New(bytes.NewReader(stream), limit))
		bytewise, err2 := read(eventreader.New(iotest.OneByteReader(bytes.NewReader(stream)), limit))
		if diff := cmp.Diff(whole, bytewise); diff != "" || errors.Is(err, io.EOF) != errors.Is(err2, io.EOF) {
			t.Errorf("%s, errors %v and %v", diff, err, err2)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	stream := bytes.Repeat(eventstream.AppendEvent(nil, eventstream.Event{ID: "0123456789-42", Data: bytes.Repeat([]byte("x"), 400)}), b.N)
	r := eventreader.New(bytes.NewReader(stream), 0)
	b.SetBytes(int64(len(stream) / b.N))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if _, err := r.Next(); err != nil {
			b.Fatal(err)
		}
	}
}
