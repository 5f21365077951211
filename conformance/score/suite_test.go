package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// programs makes a folder of shell scripts the only one in which programs are looked for.
func programs(t *testing.T, scripts map[string]string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs /bin/sh: its programs are shell scripts, which Windows does not run")
	}
	dir := t.TempDir()
	for name, script := range scripts {
		file := filepath.Join(dir, name)
		write(t, "#!/bin/sh\n"+script+"\n", file)
		if err := os.Chmod(file, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

// A fakeNPM writes down how it was called, and installs a Node.js of the version that is given.
func fakeNPM(dir, version string) string {
	node := bundledNode(dir)
	return `PATH=/usr/bin:/bin
echo "$@" >>"` + dir + `/calls"
mkdir -p "` + filepath.Dir(node) + `"
printf '#!/bin/sh\necho ` + version + `\n' >"` + node + `"
chmod +x "` + node + `"`
}

func TestInstall(t *testing.T) {
	const own, bundled = "ci --prefix DIR --omit=optional\n", "ci --prefix DIR\n"
	for _, test := range []struct {
		name, node string // the Node.js that is there, if any
		want       string // the calls of npm
	}{
		{"new", "v24.1.0", own},
		{"old", "v20.20.2", bundled},
		{"odd", "unknown", bundled},
		{"none", "", bundled},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			scripts := map[string]string{"npm": fakeNPM(dir, "v22.0.0")}
			if test.node != "" {
				scripts["node"] = "echo " + test.node
			}
			programs(t, scripts)
			write(t, "lock", dir, "package-lock.json")
			for range 2 { // the second one finds what the first one has installed
				s, err := install(t.Context(), dir)
				if err != nil {
					t.Fatal(err)
				}
				if bundled := s.node == bundledNode(dir); bundled != (test.want == "ci --prefix DIR\n") {
					t.Errorf("the suite would be run by %s", s.node)
				}
			}
			calls, err := os.ReadFile(filepath.Join(dir, "calls"))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.ReplaceAll(string(calls), dir, "DIR"); got != test.want {
				t.Errorf("npm was called with %q, want %q", got, test.want)
			}

			write(t, "another lock", dir, "package-lock.json")
			if _, err := install(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			if calls, _ := os.ReadFile(filepath.Join(dir, "calls")); strings.Count(string(calls), "\n") != 2 {
				t.Errorf("npm was called with %q after the versions had changed", calls)
			}
		})
	}
}

// TestNotInstalled: without what the suite needs there is no score, and that is no success.
func TestNotInstalled(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "conformance", "suite")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, "lock", dir, "package-lock.json")
	for _, test := range []struct {
		name, npm, want string
	}{
		{"no npm", "", "npm must be installed"},
		{"npm fails", "echo no network; exit 1", "no network"},
		{"no new Node.js", fakeNPM(dir, "v20.0.0"), "needs Node.js 22"},
	} {
		t.Run(test.name, func(t *testing.T) {
			scripts := map[string]string{}
			if test.npm != "" {
				scripts["npm"] = test.npm
			}
			programs(t, scripts)
			if _, err := install(t.Context(), dir); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			t.Chdir(root)
			if passed, err := score(t.Context(), t.Output(), ""); passed || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("scored: %t, error %v, want %q", passed, err, test.want)
			}
		})
	}
}

// TestRun has one-line scripts in place of Node.js.
func TestRun(t *testing.T) {
	for _, test := range []struct {
		name, script string
		want         string // part of the error; empty if there is none
	}{
		{"all pass", `echo "$@"`, ""},
		{"some fail", `echo "$@"; exit 1`, ""},
		{"usage", `echo unknown option >&2; exit 2`, "unknown option"},
		{"killed", `kill -9 $$`, "signal: killed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			programs(t, map[string]string{"node": test.script})
			dir := filepath.Join(t.TempDir(), "server-1")
			err := (&suite{dir: "SUITE", node: "node"}).run(t.Context(), "server", "1", dir, "--url", "URL")
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("error %v, want %q", err, test.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			out, err := os.ReadFile(filepath.Join(dir, "out.log"))
			if err != nil {
				t.Fatal(err)
			}
			want := "SUITE/dist/index.js server --timeout 30000 --output-dir " + dir + "/checks --url URL --requirements 1\n"
			if got := string(out); got != want {
				t.Errorf("the suite was called with\n%swant\n%s", got, want)
			}
		})
	}
}

// TestScoreOlder has a script in place of the suite, which writes the results of one scenario or of both.
func TestScoreOlder(t *testing.T) {
	const write = `while [ $# -gt 0 ]; do
		case $1 in --output-dir) out=$2;; --scenario) name=$2;; --spec-version) [ "$2" = 2025-03-26 ] || exit 3;; esac
		shift
	done
	case $name in SKIP) exit;; esac
	mkdir -p "$out/$name-2026-01-02T03-04-05-678Z" && echo '[{"id":"a","status":"SUCCESS"}]' >"$out/$name-2026-01-02T03-04-05-678Z/checks.json"`
	for _, test := range []struct {
		name, skip, want string
	}{
		{"both pass", "none", "PASS client 2025-03-26 optional: scenarios=2/2 checks=2/2 failing=-\n"},
		{"one does nothing", older[1], "FAIL client 2025-03-26 optional: scenarios=1/2 checks=1/1 failing=" + older[1] + " (nothing was checked)\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			programs(t, map[string]string{"node": "PATH=/usr/bin:/bin\n" + strings.Replace(write, "SKIP", test.skip, 1)})
			var w strings.Builder
			passed, err := scoreOlder(t.Context(), &w, &suite{dir: "SUITE", node: "node"}, t.TempDir(), "--command", "C")
			if err != nil || w.String() != test.want || passed != strings.HasPrefix(test.want, "PASS") {
				t.Errorf("passed %t, %v:\n%swant\n%s", passed, err, w.String(), test.want)
			}
		})
	}
}

// TestScoreSkills has a script in place of the suite, which refuses a scenario of an extension unless it is forced.
func TestScoreSkills(t *testing.T) {
	programs(t, map[string]string{"node": `PATH=/usr/bin:/bin
	case "$*" in *--force*) ;; *) exit 3;; esac
	while [ $# -gt 0 ]; do
		case $1 in --output-dir) out=$2;; --scenario) name=$2;; esac
		shift
	done
	mkdir -p "$out/$name-2026-01-02T03-04-05-678Z" && echo '[{"id":"a","status":"SUCCESS"}]' >"$out/$name-2026-01-02T03-04-05-678Z/checks.json"`})
	for side, want := range map[string]string{
		"server": "PASS server 2026-07-28 skills: scenarios=3/3 checks=3/3 failing=-\n",
		"client": "PASS client 2026-07-28 skills: scenarios=4/4 checks=4/4 failing=-\n",
	} {
		var w strings.Builder
		passed, err := scoreSkills(t.Context(), &w, &suite{dir: "SUITE", node: "node"}, side, t.TempDir(), "--command", "C")
		if err != nil || w.String() != want || !passed {
			t.Errorf("passed %t, %v:\n%swant\n%s", passed, err, w.String(), want)
		}
	}
}

// TestRunIsEnded: a suite that hangs ends with the context, and so does a program that it has started.
func TestRunIsEnded(t *testing.T) {
	dir, pipe := t.TempDir(), filepath.Join(t.TempDir(), "pipe") // open for writing as long as the program lives
	programs(t, map[string]string{"node": `PATH=/usr/bin:/bin
mkfifo "` + pipe + `"
(echo started; sleep 60; echo outlived) >"` + pipe + `" &
echo started
wait`})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- (&suite{node: "node"}).run(ctx, "server", "1", dir) }()

	for started := false; !started; {
		select {
		case err := <-ended:
			t.Fatalf("the suite ended too early: %v", err)
		case <-time.After(time.Millisecond):
			out, _ := os.ReadFile(filepath.Join(dir, "out.log"))
			started = len(out) > 0
		}
	}
	r, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	said := bufio.NewReader(r)
	if line, err := said.ReadString('\n'); line != "started\n" {
		t.Fatalf("the program said %q, %v", line, err)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("there is no error")
	}
	if line, err := said.ReadString('\n'); line != "" || err != io.EOF {
		t.Errorf("the program said %q, %v", line, err)
	}
}
