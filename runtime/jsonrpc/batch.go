package jsonrpc

import (
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// IsBatch reports whether data, a JSON text, is an array.
func IsBatch(data []byte) bool { return wire.Raw(data).Kind() == wire.KindArray }

// SplitBatch returns the messages of a batch, each of which is to be parsed by itself. A batch of no messages, or of
// more than most, is an error, and so is anything but an array. The error is an *[Error], to be sent as the response.
func SplitBatch(data []byte, most int) ([]wire.Raw, error) {
	d := wire.NewDecoder(data)
	n := 0
	list := wire.Slice(&d, func(raw *wire.Raw, d *wire.Decoder) {
		if n++; n > most {
			d.Fail("more than " + strconv.Itoa(most) + " messages in a batch")
			return
		}
		*raw = d.Raw()
	})
	if err := d.Finish(); err != nil {
		return nil, explain(data, err)
	}
	if len(list) == 0 {
		return nil, invalid("the batch is empty")
	}
	return list, nil
}
