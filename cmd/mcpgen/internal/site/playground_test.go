package site

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/site/playground"
	"github.com/mcpgen/mcpgen/internal/testenv"
)

// maxLoaded is how many bytes the page of the playground may load, with all that belongs to it, compressed by gzip.
const maxLoaded = 6 << 20

// maxTime is how long an answer may take, half of the time.
const maxTime = 200 * time.Millisecond

// rounds is how often each question is asked. The shortest time counts, since the machine may do much else.
const rounds = 4

// TestPlaygroundSize adds up what the playground loads.
func TestPlaygroundSize(t *testing.T) {
	testenv.Long(t) // it compiles the generator once more
	all := siteFiles(t)
	sum := 0
	loaded := append(regexp.MustCompile(`<(?:script defer src|link rel="(?:stylesheet|icon)"[^>]* href)="([^"]*)"`).FindAllStringSubmatch(all["playground.html"], -1),
		[]string{"", "playground.html"}, []string{"", "playground/mcpgen.js"})
	for _, m := range loaded {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		fmt.Fprint(w, all[m[1]])
		if err := w.Close(); err != nil || all[m[1]] == "" {
			t.Fatal(m[1], err)
		}
		t.Logf("%9d bytes, %8d compressed: %s", len(all[m[1]]), b.Len(), m[1])
		sum += b.Len()
	}
	t.Logf("%d bytes compressed in %d files", sum, len(loaded))
	if sum > maxLoaded || len(loaded) != 9 {
		t.Errorf("the page loads %d bytes in %d files, want at most %d", sum, len(loaded), maxLoaded)
	}
}

// A playgroundCase is a file with calls of its tools.
type playgroundCase struct {
	name, source string
	calls        []playground.Call
}

func playgroundCases(t *testing.T) []playgroundCase {
	t.Helper()
	files, err := filepath.Glob("testdata/playground/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d cases: %v", len(files), err)
	}
	var cases []playgroundCase
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c := playgroundCase{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), source: string(archive.Files[0].Data)}
		if len(archive.Files) > 1 {
			for line := range strings.Lines(string(archive.Files[1].Data)) {
				tool, arguments, _ := strings.Cut(strings.TrimSpace(line), " ")
				c.calls = append(c.calls, playground.Call{Tool: tool, Arguments: arguments})
			}
		}
		cases = append(cases, c)
	}
	return cases
}

// TestPlayground compares what the playground says about files with what the command prints, and with the servers and the
// results that generated code has.
func TestPlayground(t *testing.T) {
	testenv.Long(t)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node.js, which runs the program of the playground; install it, on Debian by: apt-get install -y nodejs")
	}
	cases := playgroundCases(t)
	var questions []playground.Question
	for _, c := range cases {
		questions = append(questions, playground.Question{Source: c.source})
		for _, call := range c.calls {
			questions = append(questions, playground.Question{Source: c.source, Call: &call})
		}
	}
	answers := ask(t, node, questions)
	commands := newCommands(t, cases)
	next := func() *playground.Answer {
		a := answers[0]
		answers = answers[1:]
		return a
	}
	good, wrong, calls, invalid := 0, 0, 0, 0
	for _, c := range cases {
		a := next()
		var said strings.Builder
		for _, p := range a.Problems {
			fmt.Fprintln(&said, strings.TrimPrefix(p.Text, "mcpgen: "))
			if place := fmt.Sprintf("%s:%d:%d: ", playground.Name, p.Line, p.Column); p.Line > 0 && !strings.HasPrefix(p.Text, place) {
				t.Errorf("%s: %s is not at %s", c.name, p.Text, place)
			}
		}
		if want := commands.problems[c.name]; said.String() != want {
			t.Errorf("%s: the playground says\n%sthe command says\n%s", c.name, said.String(), want)
		}
		if len(a.Problems) > 0 {
			wrong++
			for range c.calls {
				next()
			}
			continue
		}
		good++
		budget := ""
		for _, tool := range a.Tools {
			budget += fmt.Sprintln(tool.Bytes, tool.Tokens, tool.Name)
			generated := commands.generated[c.name].Tools[tool.Name]
			for _, l := range tool.Listed {
				if got, want := canonical(t, l.Definition), canonical(t, generated[l.Revision]); got != want {
					t.Errorf("%s: %s: in %s the playground lists\n%s\na server lists\n%s", c.name, tool.Name, l.Revision, got, want)
				}
			}
			listed := slices.IndexFunc(tool.Listed, func(l playground.Listed) bool { return l.Definition != nil })
			if listed < 0 {
				t.Errorf("%s: %s is listed in no revision", c.name, tool.Name)
				continue
			}
			newest := struct{ InputSchema, OutputSchema json.RawMessage }{}
			if err := json.Unmarshal(tool.Listed[listed].Definition, &newest); err != nil {
				t.Fatal(err)
			}
			if canonical(t, tool.Input) != canonical(t, newest.InputSchema) || canonical(t, tool.Output) != canonical(t, newest.OutputSchema) || len(tool.Listed) != 5 {
				t.Errorf("%s: %s has the schemas\n%s\n%s\nin %d revisions", c.name, tool.Name, tool.Input, tool.Output, len(tool.Listed))
			}
		}
		budget += fmt.Sprintln(a.Tokens)
		for _, line := range a.Opaque {
			budget += line + "\n"
		}
		if want := commands.budgets[c.name]; sorted(budget) != sorted(want) {
			t.Errorf("%s: the playground counts\n%sthe command counts\n%s", c.name, budget, want)
		}
		for i, call := range c.calls {
			a, want := next(), commands.generated[c.name].Results[i]
			calls++
			if a.Result == nil {
				t.Fatalf("%s: %s: there is no result", c.name, call)
			}
			if a.Result.Valid != (want == "") || a.Result.Text != want {
				t.Errorf("%s: %s: the playground says\n%s\na model reads\n%s", c.name, call, a.Result.Text, want)
			}
			if !a.Result.Valid {
				invalid++
			} else if got := strings.Join(a.Result.Unread, " "); (got == "tools.Code tools.Free") != (c.name == "methods") {
				t.Errorf("%s: %s: unread: %q", c.name, call, got)
			}
		}
	}
	t.Logf("%d good files, %d wrong ones; %d calls, %d of them invalid", good, wrong, calls, invalid)
}

// ask runs the program of the site, and returns the answers.
func ask(t *testing.T, node string, questions []playground.Question) []*playground.Answer {
	t.Helper()
	all := siteFiles(t)
	asked, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "ask.js")
	if err := os.WriteFile(script, []byte(all["playground/wasm_exec.js"]+all["playground/mcpgen.js"]+all["program.js"]+fmt.Sprintf(`
		(async () => {
			const begin = performance.now();
			const ask = await startProgram();
			const started = performance.now() - begin, took = [], answers = [];
			for (let round = 0; round < %d; round++) {
				for (const [i, question] of %s.entries()) {
					const begin = performance.now();
					answers[i] = await ask(question);
					(took[i] ??= []).push(performance.now() - begin);
				}
			}
			process.stdout.write(JSON.stringify({started, took, answers}), () => process.exit(0));
		})();`, rounds, asked)), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, script)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s%.2000s", err, errs.Bytes(), out)
	}
	var result struct {
		Started float64
		Took    [][]float64
		Answers []*playground.Answer
	}
	if err := json.Unmarshal(out, &result); err != nil {
		t.Fatalf("%v: %.2000s", err, out)
	}
	var took []float64
	for _, of := range result.Took {
		took = append(took, slices.Min(of[1:]))
	}
	slices.Sort(took)
	median := took[len(took)/2]
	t.Logf("the program starts in %.0f ms; the first answer takes %.0f ms, later ones %.0f ms (median), at most %.0f ms", result.Started, result.Took[0][0], median, took[len(took)-1])
	if limit := float64(maxTime.Milliseconds()); median > limit {
		t.Errorf("an answer takes %.0f ms, want at most %.0f", median, limit)
	}
	return result.Answers
}

// commands is what the command says about the cases, and what comes of the code that it generates.
type commands struct {
	problems  map[string]string // that mcpgen tools prints, by cases
	budgets   map[string]string // the lines of mcpgen budget: bytes, tokens and tool, all tokens, and what schemas do not say
	generated map[string]*generated
}

// generated is what a server says that is made of a case.
type generated struct {
	Tools   map[string]map[string]json.RawMessage // definitions, by names and revisions
	Results []string                              // of the calls: what is wrong with the arguments
}

// newCommands runs the command for all cases, and a program with the servers of those that are right.
func newCommands(t *testing.T, cases []playgroundCase) *commands {
	t.Helper()
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(in, name string, arguments ...string) (out, errs string, err error) {
		cmd := exec.CommandContext(t.Context(), name, arguments...)
		var o, e bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = in, &o, &e
		cmd.Env = append(os.Environ(), "PWD="+in)
		err = cmd.Run()
		return o.String(), e.String(), err
	}
	command := filepath.Join(dir, "mcpgen.exe")
	if _, errs, err := run(root, "go", "build", "-o", command, "./cmd/mcpgen"); err != nil {
		t.Fatalf("%v: %s", err, errs)
	}
	mod, err := os.ReadFile(repository + "/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(repository + "/go.sum")
	if err != nil {
		t.Fatal(err)
	}
	const ours = "github.com/mcpgen/mcpgen"
	write("go.mod", strings.Replace(string(mod), "module "+ours, "module example.com", 1)+"\nrequire "+ours+" v0.0.0\nreplace "+ours+" => "+root+"\n")
	write("go.sum", string(sum))
	c := &commands{map[string]string{}, map[string]string{}, map[string]*generated{}}
	var imports, servers strings.Builder
	for _, of := range cases {
		write(of.name+"/"+playground.Name, of.source)
		in := filepath.Join(dir, of.name)
		if _, errs, err := run(in, command, "tools"); err != nil {
			c.problems[of.name] = strings.TrimPrefix(errs, "mcpgen: ")
			continue
		}
		out, errs, err := run(in, command, "budget")
		if err != nil {
			t.Fatalf("%s: %v: %s", of.name, err, errs)
		}
		for line := range strings.Lines(out) {
			switch f := strings.Fields(line); {
			case len(f) == 4 && f[0] != "BYTES" && !strings.HasPrefix(line, "example.com/"):
				c.budgets[of.name] += fmt.Sprintln(f[0], f[1], f[2])
			case len(f) == 3 && f[2] == "total":
				c.budgets[of.name] += fmt.Sprintln(f[1])
			case strings.HasPrefix(line, "example.com/"):
				_, says, _ := strings.Cut(line, ": ")
				c.budgets[of.name] += says
			}
		}
		calls, err := json.Marshal(of.calls)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&imports, "\t%[1]s \"example.com/%[1]s\"\n", of.name)
		fmt.Fprintf(&servers, "\t\t%q: of(%s.Register, %q),\n", of.name, of.name, calls)
	}
	write("main.go", fmt.Sprintf(serversProgram, imports.String(), servers.String()))
	out, errs, err := run(dir, "go", "run", ".")
	if err != nil {
		t.Fatalf("%v: %s", err, errs)
	}
	if err := json.Unmarshal([]byte(out), &c.generated); err != nil {
		t.Fatalf("%v: %.2000s", err, out)
	}
	return c
}

// serversProgram prints what servers of generated code say.
const serversProgram = `package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"

%s)

type generated struct {
	Tools   map[string]map[string]json.RawMessage
	Results []string
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func of(register func(*server.Server) error, calls string) generated {
	s := server.New(mcp.Implementation{Name: "tools", Version: "1"}, &server.Options{Setup: []server.Setup{taskserver.Enable(nil)}})
	must(register(s))
	ctx := context.Background()
	g := generated{Tools: map[string]map[string]json.RawMessage{}}
	var c *client.Client
	for _, revision := range mcp.Revisions() {
		a, b := inmem.Pair(0)
		go s.Serve(ctx, a)
		var err error
		c, err = client.Connect(ctx, b, &client.Options{Revisions: []wire.Revision{revision}})
		must(err)
		for t, err := range c.Tools(ctx) {
			must(err)
			raw, err := wire.Marshal(revision, t)
			must(err)
			if g.Tools[t.Name] == nil {
				g.Tools[t.Name] = map[string]json.RawMessage{}
			}
			g.Tools[t.Name][revision.String()] = json.RawMessage(raw)
		}
	}
	var all []struct{ Tool, Arguments string }
	must(json.Unmarshal([]byte(calls), &all))
	for _, call := range all {
		r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: call.Tool, Arguments: wire.Raw(call.Arguments)})
		var rpc *jsonrpc.Error
		text := ""
		switch {
		case errors.As(err, &rpc):
			text = rpc.Message
		case err != nil:
			panic(err)
		case r.IsError != nil && *r.IsError:
			text = r.Content[0].(*mcp.TextContent).Text
		}
		g.Results = append(g.Results, text)
	}
	return g
}

func main() {
	must(json.NewEncoder(os.Stdout).Encode(map[string]generated{
%s	}))
}
`

// canonical returns JSON in one form.
func canonical(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	if raw == nil {
		return ""
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// sorted returns a text with its lines sorted.
func sorted(text string) string { return strings.Join(slices.Sorted(strings.Lines(text)), "") }
