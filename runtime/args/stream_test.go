package args_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestStream collects items, one of which cannot be written, until there are too many.
func TestStream(t *testing.T) {
	putString := func(s *string, e *wire.Encoder) { e.String(*s) }
	var s args.Stream
	if got := string(s.Result()); got != `{"result":[]}` {
		t.Errorf("an empty stream is %s", got)
	}
	for i, item := range []string{"a", "b"} {
		raw, err := args.Collect(&s, &item, putString)
		if err != nil || string(raw) != `"`+item+`"` || s.Len() != i+1 {
			t.Errorf("item %d: got %s, %v; %d items", i, raw, err, s.Len())
		}
	}
	item := "c"
	_, err := args.Collect(&s, &item, func(s *string, e *wire.Encoder) { e.Fail("want d") })
	if want := "the result cannot be encoded: result[2]: want d"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if got := string(s.Result()); got != `{"result":["a","b"]}` {
		t.Errorf("got %s", got)
	}
	item = strings.Repeat("x", args.MaxStream/2)
	if _, err := args.Collect(&s, &item, putString); err != nil {
		t.Error(err)
	}
	_, err = args.Collect(&s, &item, putString)
	if want := "the results of the tool exceed the limit of 16 MiB"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if s.Len() != 3 {
		t.Errorf("%d items", s.Len())
	}
}

// TestStreamIsFull fills a stream to its last byte. With each item a comma counts.
func TestStreamIsFull(t *testing.T) {
	putRaw := func(r *wire.Raw, e *wire.Encoder) { e.Raw(*r) }
	for more, good := range map[int]bool{0: true, 1: false} {
		var s args.Stream
		first, second := wire.Raw(strings.Repeat("1", args.MaxStream/2)), wire.Raw(strings.Repeat("2", args.MaxStream/2-1+more))
		if _, err := args.Collect(&s, &first, putRaw); err != nil {
			t.Fatal(err)
		}
		if _, err := args.Collect(&s, &second, putRaw); (err == nil) != good {
			t.Errorf("with %d bytes too many: %v", more, err)
		}
	}
	var s args.Stream
	for path, put := range map[string]func(*int, *wire.Encoder){
		"result[0].a": func(_ *int, e *wire.Encoder) { e.BeginObject(); e.Key("a"); e.Fail("no") },
		"result[0][0]": func(_ *int, e *wire.Encoder) {
			wire.PutSlice(e, []int{1}, func(_ *int, e *wire.Encoder) { e.Fail("no") })
		},
		"result[0]": func(_ *int, e *wire.Encoder) { e.Fail("no") },
	} {
		raw, err := args.Collect(&s, new(int), put)
		if e, ok := err.(*args.ResultError); !ok || *e != (args.ResultError{Path: path, Msg: "no"}) || raw != nil {
			t.Errorf("got %s, %v; want %s", raw, err, path)
		}
	}
}

// TestMachineIntegers reads integers with bounds that a small machine cannot hold.
func TestMachineIntegers(t *testing.T) {
	const large = 5_000_000_000
	for text, want := range map[string]string{
		"4": "", "-1": "want an integer of at least 0, got -1", "5000000001": "want an integer of at most 5000000000, got 5000000001",
		"4294967297": "",
	} {
		if ^uint(0)>>32 == 0 && len(text) > 2 {
			continue // the bound that is said is that of the machine
		}
		d := args.New(wire.Raw(text), false)
		n := args.IntOf[int](d, 0, large)
		if err := d.Finish(); want == "" && (err != nil || int64(n) == 0) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("IntOf %s: got %d, %v", text, n, err)
		}
		d = args.New(wire.Raw(text), false)
		u := args.UintOf[uint](d, 0, large)
		if err := d.Finish(); want == "" && (err != nil || uint64(u) != uint64(n)) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("UintOf %s: got %d, %v", text, u, err)
		}
	}
}
