package eventstream_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventstream"
)

func TestAppendEvent(t *testing.T) {
	tests := []struct {
		name  string
		event eventstream.Event
		want  string
	}{
		{"data", eventstream.Event{Data: []byte(`{"a":1}`)}, "data: {\"a\":1}\n\n"},
		{"all fields", eventstream.Event{ID: "s-1", Type: "endpoint", Data: []byte("/x"), Retry: 1500 * time.Millisecond},
			"event: endpoint\nid: s-1\nretry: 1500\ndata: /x\n\n"},
		{"priming", eventstream.Event{ID: "s-0", Retry: time.Second}, "id: s-0\nretry: 1000\ndata: \n\n"},
		{"lines", eventstream.Event{Data: []byte("a\nb\rc\r\nd\n")}, "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n"},
		{"injection by data", eventstream.Event{Data: []byte("x\n\nid: 9\n\nevent: evil\rdata: y")},
			"data: x\ndata: \ndata: id: 9\ndata: \ndata: event: evil\ndata: data: y\n\n"},
		{"injection by id", eventstream.Event{ID: "1\ndata: evil", Data: []byte("x")}, "data: x\n\n"},
		{"injection by id and CR", eventstream.Event{ID: "1\rdata: evil", Data: []byte("x")}, "data: x\n\n"},
		{"NUL in an id", eventstream.Event{ID: "1\x002", Data: []byte("x")}, "data: x\n\n"},
		{"injection by type", eventstream.Event{Type: "a\n\ndata: evil", Data: []byte("x")}, "data: x\n\n"},
		{"negative retry", eventstream.Event{Retry: -time.Second, Data: []byte("x")}, "data: x\n\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := eventstream.AppendEvent([]byte("before"), test.event)
			if diff := cmp.Diff("before"+test.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
