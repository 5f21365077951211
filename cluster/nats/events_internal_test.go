package nats

import (
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

func TestExplainRoom(t *testing.T) {
	full := &jetstream.APIError{ErrorCode: codeNoPeers, Description: "no suitable peers for placement, peer offline, insufficient storage"}
	early := &jetstream.APIError{ErrorCode: codeNoPeers, Description: "no suitable peers for placement, peer offline"}
	large := &jetstream.APIError{ErrorCode: codeStreamTooLarge}
	for _, test := range []struct {
		err       error
		bytes     int64
		explained bool
	}{
		{full, 1 << 20, true},
		{large, 1 << 20, true},
		{early, 1 << 20, false},
		{full, -1, false}, // which reserves nothing
		{errors.New("another"), 1 << 20, false},
	} {
		err := (&Options{EventBytes: test.bytes}).explainRoom(test.err)
		if got := strings.Contains(err.Error(), "want 1048576 bytes"); got != test.explained || !errors.Is(err, test.err) {
			t.Errorf("%v, %d bytes: got %v", test.err, test.bytes, err)
		}
		if passes(err) != passes(test.err) {
			t.Errorf("%v: whether New tries again depends on the explanation", err)
		}
	}
}
