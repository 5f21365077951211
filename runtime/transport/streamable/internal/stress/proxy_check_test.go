package stress

import (
	"bytes"
	"io"
	"net"
	"testing"
)

// TestProxyRepeats holds that the seed decides what the proxy does.
func TestProxyRepeats(t *testing.T) {
	run := func(seed uint64) [overtake]int64 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					io.Copy(io.Discard, conn)
					conn.Close()
				}()
			}
		}()
		p := newProxy(t, l.Addr().String(), seed, 8<<10)
		defer p.close()
		p.calm.Store(false)
		each(make([]int, 20), func(int) {
			conn, err := net.Dial("tcp", p.listener.Addr().String())
			if err != nil {
				t.Error(err)
				return
			}
			conn.Write(make([]byte, 16<<10)) // an error is what the proxy did
			conn.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, conn)
			conn.Close()
		})
		return [overtake]int64{p.done[cut].Load(), p.done[halve].Load(), p.done[pause].Load()}
	}
	a, b, c := run(1), run(1), run(2)
	if a != b {
		t.Errorf("the same seed did %v and then %v", a, b)
	}
	if a == c {
		t.Errorf("another seed did the same: %v", a)
	}
}

// TestProxyCalm holds that a calm proxy passes everything on.
func TestProxyCalm(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		io.Copy(conn, conn)
		conn.Close()
	}()
	p := newProxy(t, l.Addr().String(), 1, 1)
	conn, err := net.Dial("tcp", p.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	sent := bytes.Repeat([]byte("0123456789abcdef"), 8<<10)
	go func() {
		conn.Write(sent)
		conn.(*net.TCPConn).CloseWrite()
	}()
	if got, err := io.ReadAll(conn); err != nil || !bytes.Equal(got, sent) {
		t.Errorf("got %d bytes back, %v, want the %d that were sent", len(got), err, len(sent))
	}
}
