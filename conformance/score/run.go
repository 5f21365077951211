package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	startLimit = 10 * time.Second
	stopLimit  = 10 * time.Second
	scoreLimit = 15 * time.Minute // of one script, the first run of which installs the suite
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
	case <-time.After(startLimit):
	}
	if p.url == "" {
		return nil, errors.Join(fmt.Errorf("%s does not say within %v where it listens", path, startLimit), p.stop())
	}
	return p, nil
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

// run runs a script that scores one side, and returns what it says of each revision. It passes on
// what the script prints, but for the details about authorization.
func run(ctx context.Context, out, script, target string) ([]result, error) {
	// Timeout ends everything that the script has started, when it is itself told to end, too.
	limit := strconv.Itoa(int(scoreLimit.Seconds()))
	cmd := exec.CommandContext(ctx, "timeout", "-k", "5", limit, "bash", script, target)
	cmd.Env = append(os.Environ(), "MCP_CONF_OUT="+out)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopLimit
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	for line := range strings.Lines(stderr.String()) {
		if !strings.Contains(line, " auth/") {
			os.Stderr.WriteString(line)
		}
	}
	os.Stdout.Write(stdout.Bytes())
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == 3 && stdout.Len() == 0:
		return nil, errors.New("the suite cannot be installed: see above")
	case errors.As(err, &exit) && exit.ExitCode() == 1:
		// Some scenario fails: the lines say which.
	case err != nil:
		return nil, fmt.Errorf("%s: %w", script, err)
	}
	return parse(stdout.String())
}
