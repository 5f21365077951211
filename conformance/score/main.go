// Score has the official conformance suite try our server and our client:
//
//	go run ./conformance/score [-out DIR]
//
// The scripts that run the suite stand outside of the repository: in the folder that the variable
// MCPGEN_CONFORMANCE names, or else in ../shared/conformance beside it. They install the suite by
// npm.
//
// It prints what the scripts print, and what it finds itself: how the client does without the
// scenarios about authorization, and which of the scenarios pass that no score counts. The exit
// status is 0 if all of these pass, 1 if one does not, 2 if there is no score: something is missing
// that the suite needs, or it cannot be installed, or run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
)

func main() {
	log.SetPrefix("score: ")
	log.SetFlags(0)
	out := flag.String("out", "", "the `folder` in which to keep the raw results (default: none)")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "unexpected argument %q\n", flag.Arg(0))
		flag.Usage()
		os.Exit(2)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	passed, err := scoreAll(ctx, *out)
	stop()
	switch {
	case err != nil:
		log.Printf("not scored: %v", err)
		os.Exit(2)
	case !passed:
		os.Exit(1)
	}
}

// scoreAll finds the scripts and lets them score both sides.
func scoreAll(ctx context.Context, out string) (passed bool, err error) {
	scripts, err := findScripts()
	if err != nil {
		return false, err
	}
	return score(ctx, scripts, out)
}

// findScripts returns the folder with the scripts that run the suite. It is an error if something
// is missing that they need.
func findScripts() (dir string, err error) {
	dir = os.Getenv("MCPGEN_CONFORMANCE")
	if dir == "" {
		dir = filepath.Join("..", "shared", "conformance")
	}
	for _, name := range []string{"score-server.sh", "score-client.sh"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return "", fmt.Errorf("the suite's scripts are not there; MCPGEN_CONFORMANCE can name their folder: %w", err)
		}
	}
	for _, program := range []string{"bash", "timeout", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			return "", fmt.Errorf("the suite's scripts need %s: %w", program, err)
		}
	}
	return dir, nil
}

// score runs both halves of the suite and reports whether all passed that has to. Without a folder
// for the results it uses a temporary one.
func score(ctx context.Context, scripts, out string) (passed bool, err error) {
	temp, err := os.MkdirTemp("", "conformance-")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	if out == "" {
		out = filepath.Join(temp, "results")
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", temp, "./conformance/server", "./conformance/client")
	build.Stdout, build.Stderr = os.Stdout, os.Stderr
	if err := build.Run(); err != nil {
		return false, fmt.Errorf("go build: %w", err)
	}

	s, err := startServer(ctx, filepath.Join(temp, "server"))
	if err != nil {
		return false, err
	}
	server, err := run(ctx, out, filepath.Join(scripts, "score-server.sh"), s.url)
	if err = errors.Join(err, s.stop()); err != nil {
		return false, err
	}
	client, err := run(ctx, out, filepath.Join(scripts, "score-client.sh"), filepath.Join(temp, "client"))
	if err != nil {
		return false, err
	}

	passed = true
	for _, r := range append(server, client...) {
		ok, err := r.judge(os.Stdout, out)
		if err != nil {
			return false, err
		}
		passed = passed && ok
	}
	return passed, nil
}
