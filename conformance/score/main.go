// Score has the official conformance suite try our server and our client:
//
//	go run ./conformance/score [-out DIR]
//
// The scripts that run the suite stand outside of the repository: in the folder that the variable
// MCPGEN_CONFORMANCE names, or else in ../shared/conformance beside it. They install the suite by
// npm. Where one of the two is absent, or the suite cannot be installed, score says so and does
// nothing more.
//
// It prints what the scripts print, and what it finds itself: how the client does without the
// scenarios about authorization, and which of the scenarios pass that no score counts. The exit
// status is 0 if all of these pass, 1 if one does not, 2 if the suite cannot be run.
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

	scripts, missing := findScripts()
	if missing != "" {
		fmt.Println("conformance suite: skipped, there is no", missing)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	passed, err := score(ctx, scripts, *out)
	stop()
	switch {
	case errors.Is(err, errNotInstalled):
		fmt.Println("conformance suite: skipped,", err)
	case err != nil:
		log.Print(err)
		os.Exit(2)
	case !passed:
		os.Exit(1)
	}
}

// findScripts returns the folder with the scripts that run the suite, or what is missing for them.
func findScripts() (dir, missing string) {
	dir = os.Getenv("MCPGEN_CONFORMANCE")
	if dir == "" {
		dir = filepath.Join("..", "shared", "conformance")
	}
	for _, name := range []string{"score-server.sh", "score-client.sh"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return "", filepath.Join(dir, name)
		}
	}
	for _, program := range []string{"bash", "timeout", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			return "", program
		}
	}
	return dir, ""
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
