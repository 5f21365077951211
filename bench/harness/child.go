package harness

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"
)

// The server under test runs in a child process: the same program started
// with -child. Its stdin and stdout carry MCP (stdio) or are unused (HTTP);
// descriptors 3 and 4 carry a line-based control channel, so that the server's
// own CPU time, allocations and memory are known apart from the client's.

type childConfig struct {
	kind  string // "stdio" or "http"
	mode  HTTPMode
	tools int
}

// runChild is the child's main.
func runChild(p Peer, c childConfig) error {
	ctl, reply := os.NewFile(3, "ctl"), os.NewFile(4, "reply")
	srv, err := p.NewServer(ServerConfig{ListTools: c.tools})
	if err != nil {
		return err
	}
	addr := "-"
	serve := func() error { return srv.ServeStream(context.Background(), os.Stdin, os.Stdout) }
	if c.kind == "http" {
		h, err := srv.HTTPHandler(c.mode)
		if errors.Is(err, ErrUnsupported) {
			fmt.Fprintln(reply, unsupported)
			return nil
		}
		if err != nil {
			return err
		}
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		addr = ln.Addr().String()
		mux := http.NewServeMux()
		mux.Handle("/mcp", h)
		serve = func() error { return http.Serve(ln, mux) }
	}
	fmt.Fprintln(reply, addr)
	go func() {
		if err := serve(); err != nil && !errors.Is(err, io.EOF) {
			fmt.Fprintln(os.Stderr, "serve:", err)
		}
	}()
	sc := bufio.NewScanner(ctl)
	for sc.Scan() {
		switch cmd := sc.Text(); {
		case cmd == "stats":
		case cmd == "gcstats":
			for range 3 {
				runtime.GC()
			}
			debug.FreeOSMemory()
		case strings.HasPrefix(cmd, "prof "):
			f, err := os.Create(cmd[len("prof "):])
			if err != nil {
				return err
			}
			if err := pprof.StartCPUProfile(f); err != nil {
				return err
			}
		case cmd == "stopprof":
			pprof.StopCPUProfile()
		case strings.HasPrefix(cmd, "allocprof "):
			f, err := os.Create(cmd[len("allocprof "):])
			if err != nil {
				return err
			}
			_ = pprof.Lookup("allocs").WriteTo(f, 0)
			f.Close()
		}
		b, _ := json.Marshal(SelfStats())
		if _, err := reply.Write(append(b, '\n')); err != nil {
			return nil
		}
	}
	return nil // the parent closed the control channel
}

// Child is a running server under test.
type Child struct {
	cmd   *exec.Cmd
	In    io.WriteCloser // the child's stdin
	Out   io.ReadCloser  // the child's stdout
	Addr  string
	ctl   *os.File
	reply *bufio.Reader
	close []io.Closer
}

// StartChild starts the server of this program's peer. The error is [ErrUnsupported] if the peer
// has no server of that kind.
func StartChild(peer, kind string, mode HTTPMode, tools int) (*Child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctlR, ctlW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	repR, repW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-peer", peer, "-child", kind, "-mode", string(mode), "-tools", strconv.Itoa(tools))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inR, outW, os.Stderr
	cmd.ExtraFiles = []*os.File{ctlR, repW}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for _, f := range []*os.File{ctlR, repW, inR, outW} {
		f.Close()
	}
	c := &Child{cmd: cmd, In: inW, Out: outR, ctl: ctlW, reply: bufio.NewReader(repR), close: []io.Closer{ctlW, inW, outR, repR}}
	line, err := c.reply.ReadString('\n')
	if err != nil {
		c.Stop()
		return nil, fmt.Errorf("child did not come up: %w", err)
	}
	c.Addr = strings.TrimSpace(line)
	if c.Addr == unsupported {
		c.Stop()
		return nil, ErrUnsupported
	}
	return c, nil
}

// unsupported is what a child says in place of its address.
const unsupported = "unsupported"

// URL of the child's MCP endpoint.
func (c *Child) URL() string { return "http://" + c.Addr + "/mcp" }

// Do sends a control command and returns the counters after it.
func (c *Child) Do(cmd string) (ProcStats, error) {
	var s ProcStats
	if _, err := fmt.Fprintln(c.ctl, cmd); err != nil {
		return s, err
	}
	line, err := c.reply.ReadBytes('\n')
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(line, &s)
}

// Stop ends the child; it is killed if it does not leave by itself.
func (c *Child) Stop() {
	for _, f := range c.close {
		f.Close()
	}
	t := time.AfterFunc(2*time.Second, func() { _ = c.cmd.Process.Kill() })
	_ = c.cmd.Wait()
	t.Stop()
}
