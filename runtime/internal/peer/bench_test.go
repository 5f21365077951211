package peer_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// echo answers with what it gets.
type echo struct{ handlers }

func (echo) ServeRequest(_ context.Context, r *transport.Request) (wire.Raw, error) {
	return r.Params, nil
}

const methodEcho = "tools/call"

var echoParams = wire.Raw(`{"name":"echo","arguments":{"message":"The quick brown fox jumps over the lazy dog. The quick brown fox "}}`)

// BenchmarkInMemory is a round trip between two sides of one process. The floor is the same
// message sent to and fro by two goroutines, and taken apart at each end.
func BenchmarkInMemory(b *testing.B) {
	b.Run("floor", func(b *testing.B) {
		here, there := inmem.Pair(0)
		ctx := context.Background()
		go func() {
			for {
				m, err := there.Receive(ctx)
				if err != nil {
					return
				}
				there.Send(ctx, m)
			}
		}()
		line, _ := jsonrpc.AppendRequest(nil, 0, wire.IntID(1), methodEcho, echoParams, nil)
		b.ReportAllocs()
		for b.Loop() {
			here.Send(ctx, transport.Message{Data: line})
			m, err := here.Receive(ctx)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := jsonrpc.Parse(m.Data); err != nil {
				b.Fatal(err)
			}
		}
		here.Close()
	})
	b.Run("peer", func(b *testing.B) {
		here, there := inmem.Pair(0)
		client := newConn(here, echo{}, nil)
		server := newConn(there, echo{}, nil)
		go client.Run(context.Background(), here)
		go server.Run(context.Background(), there)
		defer client.Close()
		ctx := context.Background()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := client.Call(ctx, methodEcho, echoParams); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func serve(h transport.Handler) {
	t, err := stdio.Server(nil)
	if err != nil {
		panic(err)
	}
	if err := newConn(t, h, nil).Run(context.Background(), t); err != nil {
		panic(err)
	}
}

// floorAnswer takes a line apart and appends its answer.
func floorAnswer(out, line []byte) []byte {
	m, err := jsonrpc.Parse(line)
	if err != nil {
		panic(err)
	}
	if out, err = jsonrpc.EndResult(jsonrpc.BeginResult(out, m.ID), m.Params); err != nil {
		panic(err)
	}
	return append(out, '\n')
}

func serveFloor() {
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	var out []byte
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		if out = floorAnswer(out, line); in.Buffered() == 0 || len(out) > 64<<10 {
			os.Stdout.Write(out)
			out = out[:0]
		}
	}
}

func serveFloorAsync() {
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	write := make(chan struct{}, 1)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		go func() {
			out := floorAnswer(nil, line)
			write <- struct{}{}
			os.Stdout.Write(out)
			<-write
		}()
	}
}

// BenchmarkStdio is calls of a server in a process of its own, by a client that does next to
// nothing. It reports the CPU time of the server per call.
func BenchmarkStdio(b *testing.B) {
	for _, depth := range []int{1, 64} {
		for _, server := range []string{"floor", "floor-async", "peer"} {
			b.Run(server+"/inflight="+strconv.Itoa(depth), func(b *testing.B) {
				benchmarkChild(b, server, depth)
			})
		}
	}
}

// A load keeps requests in flight and counts the answers.
type load struct {
	in   io.Writer
	line []byte
	sent int
	buf  []byte
}

func (l *load) send(n int) {
	l.buf = l.buf[:0]
	for range n { // ids that differ while they are at work
		l.sent++
		copy(l.line[len(`{"jsonrpc":"2.0","id":`):], strconv.Itoa(1000+l.sent%9000))
		l.buf = append(l.buf, l.line...)
	}
	l.in.Write(l.buf)
}

func benchmarkChild(b *testing.B, server string, depth int) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+server)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	report, _ := cmd.StderrPipe()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	line, _ := jsonrpc.AppendRequest(nil, 0, wire.IntID(1000), methodEcho, echoParams, nil)
	l := load{in: in, line: append(line, '\n')}
	answers := make([]byte, 1<<20)
	var times []time.Duration
	b.ResetTimer()
	at := time.Now()
	l.send(depth)
	for done := 0; done < b.N; {
		n, err := out.Read(answers)
		if err != nil {
			b.Fatal(err)
		}
		got := bytes.Count(answers[:n], []byte{'\n'})
		if got == 0 {
			continue
		}
		done += got
		if depth == 1 {
			now := time.Now()
			times = append(times, now.Sub(at))
			at = now
		}
		if l.sent < b.N {
			l.send(got)
		}
	}
	b.StopTimer()
	in.Close()
	go io.Copy(io.Discard, out)
	var cpu, mallocs int64
	if _, err := fmt.Fscan(report, &cpu, &mallocs); err != nil {
		b.Fatal(err)
	}
	cmd.Wait()
	b.ReportMetric(float64(cpu)/float64(b.N), "cpu-ns/call")
	b.ReportMetric(float64(mallocs)/float64(b.N), "allocs/call")
	if len(times) > 0 {
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "p50-ns")
	}
}
