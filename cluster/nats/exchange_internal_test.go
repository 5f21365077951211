package nats

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A process that gives a request up before it has accepted it will not handle it, so that the request may be passed on
// again: so it is when the process leaves at that moment.
func TestGivenUp(t *testing.T) {
	accept, cancel := frame{kind: frameAccept, number: 1}, frame{kind: frameCancel, number: 1}
	second := frame{kind: frameCancel, number: 2}
	n := &node{cluster: &Cluster{opts: Options{TTL: time.Minute}}}
	const died, lost = "has stopped before it was done", "it is not known whether"
	for _, test := range []struct {
		name   string
		method string
		frames []frame
		passed bool
		want   string
	}{
		{"before it is accepted", http.MethodPost, []frame{cancel}, false, ""},
		{"before a stream is accepted", http.MethodGet, []frame{cancel}, false, ""},
		{"afterwards", http.MethodPost, []frame{accept, second}, true, died},
		{"and what came before is lost", http.MethodPost, []frame{second}, true, lost},
		{"it never arrived", http.MethodPost, []frame{{kind: frameReset}}, false, ""},
	} {
		x := newExchange(nil, "x", "to", "from", "peer")
		for _, f := range test.frames {
			x.receive(f)
		}
		w := httptest.NewRecorder()
		s := &passing{passed: &passed{w: w, r: httptest.NewRequest(test.method, "/", nil), read: true, all: true}, x: x}
		if passed := s.run(n); passed != test.passed || !strings.Contains(w.Body.String(), test.want) || !passed && w.Body.Len() > 0 {
			t.Errorf("%s: got %t, %q, want %t, %q", test.name, passed, w.Body, test.passed, test.want)
		}
	}
}
