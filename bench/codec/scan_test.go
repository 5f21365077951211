package codec

import (
	"errors"

	"github.com/mcpgen/mcpgen/bench/peers/floor"
)

func scanEnvelope(line []byte) error {
	name, msg, err := floor.ScanEnvelope(line)
	if err == nil && (name != "echo" || msg == "") {
		err = errors.New("bad decode")
	}
	return err
}
