package transcript

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A Server is a program that serves a client over its standard input and output.
type Server struct {
	Program string // its file: see Build
	Args    []string
	Env     []string // beside that of the test
}

// Build builds a main package, and returns the program's file.
func Build(t *testing.T, pkg string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "server")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", file, pkg).CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	return file
}

// deadline is when a server that does not answer is ended.
const deadline = time.Minute

// A client plays a script to one server.
type client struct {
	t        *testing.T
	who      string
	revision string
	script   Script
	renamed  map[string]string // names of the port, by those of the original
	original map[string]string // the other way round
	in       io.Writer
	out      *json.Decoder
	stderr   *bytes.Buffer
	ids      int
}

// play starts a server, plays the script, ends the server, and returns what it answered.
func play(t *testing.T, who string, server Server, revision string, script Script, renamed map[string]string) []exchange {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, server.Program, server.Args...)
	cmd.Env = append(os.Environ(), server.Env...)
	cmd.Stderr = &stderr
	cmd.WaitDelay = time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	defer func() {
		if !ended { // the test has failed on the way
			cancel()
			_ = cmd.Wait()
		}
	}()
	c := &client{
		t: t, who: who, revision: revision, script: script, renamed: renamed, original: map[string]string{},
		in: in, out: json.NewDecoder(out), stderr: &stderr,
	}
	for from, to := range renamed {
		c.original[to] = from
	}
	exchanges := c.play()
	ended = true
	if err := in.Close(); err != nil {
		t.Errorf("%s: %v", who, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%s: %v\n%s", who, err, &stderr)
	}
	return exchanges
}

// firstWithoutSessions is the first revision without initialize.
const firstWithoutSessions = "2026-07-28"

// play plays the script, after what opens a session.
func (c *client) play() []exchange {
	c.t.Helper()
	steps := []Step{{Method: "server/discover"}}
	if c.revision < firstWithoutSessions {
		steps = []Step{
			{Method: "initialize", Params: fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"transcript","version":"1"}}`,
				c.revision, c.capabilities())},
			{Method: "notifications/initialized", Notify: true},
		}
	}
	var exchanges []exchange
	for _, step := range append(steps, c.script.Steps...) {
		exchanges = append(exchanges, c.step(step))
	}
	return exchanges
}

// capabilities returns those of the client, as JSON.
func (c *client) capabilities() string { return cmp.Or(c.script.Capabilities, "{}") }

// step sends a request or notification, and reads until there is a response.
func (c *client) step(step Step) exchange {
	c.t.Helper()
	params := c.params(step)
	e := exchange{Step: step.Name}
	if e.Step == "" {
		name, _ := params["name"].(string)
		e.Step = strings.TrimSpace(step.Method + " " + name)
	}
	if to, ok := c.renamed[fmt.Sprint(params["name"])]; ok && step.Method == "tools/call" {
		params["name"] = to
	}
	request := map[string]any{"jsonrpc": "2.0", "method": step.Method}
	if len(params) > 0 {
		request["params"] = params
	}
	if step.Notify {
		c.send(e.Step, request)
		return e
	}
	c.ids++
	request["id"] = c.ids
	c.send(e.Step, request)
	for {
		var m message
		if err := c.out.Decode(&m); err != nil {
			c.t.Fatalf("%s: step %q: %v\n%s", c.who, e.Step, err, c.stderr)
		}
		if m.Method == "" {
			if fmt.Sprint(m.ID) != fmt.Sprint(c.ids) {
				c.t.Fatalf("%s: step %q: response %v to request %d", c.who, e.Step, m.ID, c.ids)
			}
			e.Result, e.Error = c.renamedBack(m.Result), m.Error
			return e
		}
		e.Messages = append(e.Messages, map[string]any{"method": m.Method, "params": m.Params})
		if m.ID != nil {
			c.answer(e.Step, step.Client[m.Method], m)
		}
	}
}

// A message is what a server sends.
type message struct {
	ID     any            `json:"id"`
	Method string         `json:"method"`
	Params map[string]any `json:"params"`
	Result map[string]any `json:"result"`
	Error  any            `json:"error"`
}

// params returns those of a step. Since 2026-07-28 they say what initialize says before.
func (c *client) params(step Step) map[string]any {
	c.t.Helper()
	params := map[string]any{}
	if step.Params != "" {
		if err := json.Unmarshal([]byte(step.Params), &params); err != nil {
			c.t.Fatalf("params of %s %s: %v in %s", step.Method, step.Name, err, step.Params)
		}
	}
	if c.revision >= firstWithoutSessions {
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    c.revision,
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "transcript", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": decoded(c.t, c.capabilities()),
		}
	}
	return params
}

// answer responds to a request of the server.
func (c *client) answer(step, result string, m message) {
	c.t.Helper()
	if result == "" {
		c.t.Errorf("%s: step %q: the server sent %s, for which the step has no answer", c.who, step, m.Method)
		c.send(step, map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": -32601, "message": "no such method"}})
		return
	}
	c.send(step, map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": decoded(c.t, result)})
}

func (c *client) send(step string, message map[string]any) {
	c.t.Helper()
	data, err := json.Marshal(message)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.in.Write(append(data, '\n')); err != nil {
		c.t.Fatalf("%s: step %q: %v\n%s", c.who, step, err, c.stderr)
	}
}

// renamedBack gives the tools of a list the original's names, and makes any list a map by names: the order means nothing.
func (c *client) renamedBack(result map[string]any) any {
	for _, member := range []string{"tools", "prompts", "resources", "resourceTemplates"} {
		list, ok := result[member].([]any)
		if !ok {
			continue
		}
		byName := make(map[string]any, len(list))
		for _, item := range list {
			item, _ := item.(map[string]any)
			name, _ := item["name"].(string)
			if from, ok := c.original[name]; ok && member == "tools" {
				item["name"], name = from, from
			}
			if _, ok := byName[name]; ok {
				c.t.Errorf("%s: %s has %q twice", c.who, member, name)
			}
			byName[name] = item
		}
		result[member] = byName
	}
	return result
}
