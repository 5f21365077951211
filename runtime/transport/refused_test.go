package transport_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// People and programs read the same time, rounded up.
func TestTryLater(t *testing.T) {
	for _, test := range []struct {
		after      time.Duration
		text, data string
	}{
		{1200 * time.Millisecond, "full; try again in 1.2s", `{"retryAfterMs":1200}`},
		{1201 * time.Millisecond, "full; try again in 1.3s", `{"retryAfterMs":1201}`},
		{time.Second, "full; try again in 1s", `{"retryAfterMs":1000}`},
		{20*time.Millisecond + 1, "full; try again in 21ms", `{"retryAfterMs":21}`},
		{0, "full; try again in 1ms", `{"retryAfterMs":1}`},
		{-time.Hour, "full; try again in 1ms", `{"retryAfterMs":1}`},
		{90 * time.Minute, "full; try again in 1h30m0s", `{"retryAfterMs":5400000}`},
	} {
		e := transport.TryLater("full", test.after)
		if e.Err.Message != test.text || string(e.Err.Data) != test.data || e.Err.Code != jsonrpc.CodeInternalError {
			t.Errorf("%s: %d %q %s", test.after, e.Err.Code, e.Err.Message, e.Err.Data)
		}
		if after, ok := transport.RetryAfter(fmt.Errorf("call: %w", e)); !ok || after != e.RetryAfter || after < test.after {
			t.Errorf("%s: %s %t", test.after, after, ok)
		}
	}
}

// Only errors that say when say it.
func TestRetryAfter(t *testing.T) {
	const most = 9223372036854 * time.Millisecond
	for data, want := range map[string]time.Duration{
		"": 0, `7`: 0, `{}`: 0, `{"retryAfterMs":"7"}`: 0, `{"retryAfterMs":1.5}`: 0, `{"retryAfterMs":0}`: 0, `{"retryAfterMs":-7}`: 0, `{"retryAfterMs":-9223372036854775808}`: 0,
		`{"retryAfterMs":-9223372036855}`: 0, `{"a":7}`: 0, `{"retryAfterMs":null}`: 0,
		`{"a":[1],"retryAfterMs":7,"b":null}`: 7 * time.Millisecond, `{"retryAfterMs":9223372036854775807}`: most, `{"retryAfterMs":9223372036854775808}`: 0,
	} {
		after, ok := transport.RetryAfter(&jsonrpc.Error{Data: wire.Raw(data)})
		if after != want || ok != (want > 0) {
			t.Errorf("%s: %s %t, want %s", data, after, ok, want)
		}
	}
	if after, ok := transport.RetryAfter(errors.New("retryAfterMs")); ok {
		t.Error(after)
	}
}
