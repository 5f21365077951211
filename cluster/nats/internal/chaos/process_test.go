//go:build unix

package chaos

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// The test binary is also the program of the processes that it starts: the environment variable roleVariable says which
// one, and configVariable has its configuration. A process writes a line of JSON to standard output when it is ready. It
// exits at once when its standard input ends, which is when the test ends, and shuts down gracefully on SIGTERM.
const (
	roleVariable   = "MCPGEN_CHAOS_ROLE"
	configVariable = "MCPGEN_CHAOS_CONFIG"
)

// runChild is the main function of the processes that the test starts. It returns the exit code.
func runChild(role string) int {
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(2)
	}()
	config := []byte(os.Getenv(configVariable))
	var err error
	switch role {
	case roleNATS:
		err = runNATS(config)
	case roleInstance:
		err = runInstance(config)
	default:
		err = fmt.Errorf("there is no role %q", role)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// terminated returns a channel that receives SIGTERM.
func terminated() <-chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	return c
}

// sayReady tells the test that the process is ready.
func sayReady(v any) error { return json.NewEncoder(os.Stdout).Encode(v) }

// A process is a process that the test has started.
type process struct {
	cmd   *exec.Cmd
	stdin io.Closer
	err   error         // how it ended
	done  chan struct{} // closed when it has ended
}

// startTime is how long a process may take to start, even during an election.
const startTime = 60 * time.Second

// startProcess starts a process, waits until it is ready, and fills in ready. Its standard error goes to a file.
func startProcess(dir, name, role string, config, ready any) (*process, error) {
	data, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	stderr, err := os.OpenFile(filepath.Join(dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer stderr.Close()
	p := &process{cmd: exec.Command(self), done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), roleVariable+"="+role, configVariable+"="+string(data))
	p.cmd.Stderr = stderr
	p.cmd.SysProcAttr = dieWithParent()
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	late := time.AfterFunc(startTime, func() { p.cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	late.Stop()
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	if err == nil {
		err = json.Unmarshal(line, ready)
	}
	if err != nil {
		p.kill()
		said, _ := os.ReadFile(stderr.Name())
		return nil, fmt.Errorf("%s does not start: %w, %w\n%s", name, err, p.err, said[max(0, len(said)-2000):])
	}
	return p, nil
}

// kill ends the process at once.
func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.done
	p.stdin.Close()
}

// pause stops the process until wake.
func (p *process) pause() { p.cmd.Process.Signal(syscall.SIGSTOP) }
func (p *process) wake()  { p.cmd.Process.Signal(syscall.SIGCONT) }

// stop shuts the process down gracefully. It returns an error if that fails.
func (p *process) stop(within time.Duration) error {
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
		p.stdin.Close()
		return p.err
	case <-time.After(within):
		p.kill()
		return errors.New("it does not end")
	}
}
