package args_test

import (
	"errors"
	"math"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestEncodeOutput leaves out what a function that failed did not fill in.
func TestEncodeOutput(t *testing.T) {
	put := func(v *float64, e *wire.Encoder) { e.Float(*v) }
	for _, test := range []struct {
		v      *float64
		failed bool
		want   string
		err    string
	}{
		{new(1.5), false, "1.5", ""},
		{new(1.5), true, "1.5", ""},
		{new(math.NaN()), false, "", "the result cannot be encoded: NaN is not a JSON number"},
		{new(math.NaN()), true, "", ""},
		{nil, false, "", args.ErrNoResult.Error()},
		{nil, true, "", ""},
	} {
		raw, err := args.EncodeOutput(test.v, put, test.failed)
		if err == nil {
			err = errors.New("")
		}
		if string(raw) != test.want || err.Error() != test.err {
			t.Errorf("%v, failed: %v: got %q, %v", test.v, test.failed, raw, err)
		}
	}
}
