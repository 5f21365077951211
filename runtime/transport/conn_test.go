package transport_test

import (
	"net"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/transporttest"
)

// The transport of the example does what a transport has to.
func TestExample(t *testing.T) {
	for name, pair := range map[string]func(t *testing.T) (a, b net.Conn){
		"pipe": func(*testing.T) (a, b net.Conn) { return net.Pipe() },
		"TCP": func(t *testing.T) (a, b net.Conn) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if a, err = net.Dial("tcp", l.Addr().String()); err == nil {
				b, err = l.Accept()
			}
			if err != nil {
				t.Fatal(err)
			}
			return a, b
		},
	} {
		t.Run(name, func(t *testing.T) {
			transporttest.Run(t, func(t *testing.T) (client, server transport.Transport) {
				testenv.NoGoroutinesLeft(t)
				a, b := pair(t)
				return newConnTransport(a), newConnTransport(b)
			}, nil)
		})
	}
}
