package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	startLimit = 10 * time.Second
	stopLimit  = 10 * time.Second
)

// A process is the running server.
type process struct {
	url  string
	cmd  *exec.Cmd
	done chan error
}

// startServer starts the server on a free port, and waits until it says which.
func startServer(ctx context.Context, path string) (*process, error) {
	cmd := exec.CommandContext(ctx, path, "-addr", "127.0.0.1:0")
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, done: make(chan error, 1)}
	line := make(chan string, 1)
	go func() {
		r := bufio.NewReader(stdout)
		text, _ := r.ReadString('\n')
		line <- strings.TrimSpace(text)
		io.Copy(io.Discard, r)
		p.done <- cmd.Wait()
	}()
	select {
	case p.url = <-line:
		if p.url == "" {
			return nil, errors.Join(fmt.Errorf("%s ended before it said where it listens", path), p.stop())
		}
		return p, nil
	case <-time.After(startLimit):
		return nil, errors.Join(fmt.Errorf("%s does not say within %v where it listens", path, startLimit), p.stop())
	}
}

// stop asks the server to end, and makes it if it does not.
func (p *process) stop() error {
	p.cmd.Process.Signal(os.Interrupt)
	select {
	case err := <-p.done:
		if err != nil {
			return fmt.Errorf("the server: %w", err)
		}
		return nil
	case <-time.After(stopLimit):
		p.cmd.Process.Kill()
		<-p.done
		return fmt.Errorf("the server did not end within %v of the signal", stopLimit)
	}
}
