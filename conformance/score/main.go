// Score runs the official conformance suite against the server and the client of this folder, and the authorization
// server of runtime/auth/as:
//
//	go run ./conformance/score [-out DIR] [-results FILE]
//
// It runs in the root of the repository. npm installs the suite, at the version that
// conformance/suite pins; later runs use what is installed.
//
// It prints a line for each side and revision, and one more for the scenarios that the suite runs
// without counting them. Everything must pass. The exit status is 0 if it does, 1 if some of it does not, and
// 2 if there is no score: npm is missing, or the suite cannot be installed or does not run to its end.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
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
	results := flag.String("results", "", "the `file` in which to write the outcome as a page (default: none)")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "unexpected argument %q\n", flag.Arg(0))
		flag.Usage()
		os.Exit(2)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var printed bytes.Buffer
	passed, err := score(ctx, io.MultiWriter(os.Stdout, &printed), *out)
	if err == nil && *results != "" {
		err = writeReport(ctx, *results, printed.String())
	}
	stop()
	switch {
	case err != nil:
		log.Printf("not scored: %v", err)
		os.Exit(2)
	case !passed:
		os.Exit(1)
	}
}

// score runs the suite on all sides and reports whether everything passed that must. Without a
// folder for the results it uses a temporary one.
func score(ctx context.Context, w io.Writer, out string) (passed bool, err error) {
	suite, err := install(ctx, filepath.Join("conformance", "suite"))
	if err != nil {
		return false, err
	}
	temp, err := os.MkdirTemp("", "conformance-")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	if out == "" {
		out = filepath.Join(temp, "results")
	}
	for _, args := range [][]string{
		{"build", "-o", temp + string(filepath.Separator), "./conformance/server", "./conformance/client"},
		{"build", "-C", "runtime/auth/as", "-o", filepath.Join(temp, "as"), "./internal/conformance"}, // a module of its own
	} {
		build := exec.CommandContext(ctx, "go", args...)
		build.Stdout, build.Stderr = os.Stdout, os.Stderr
		if err := build.Run(); err != nil {
			return false, fmt.Errorf("go build: %w", err)
		}
	}

	s, err := startServer(ctx, filepath.Join(temp, "server"))
	if err != nil {
		return false, err
	}
	server, err := scoreSide(ctx, w, suite, "server", out, "--url", s.url)
	serverSkills, skillsErr := scoreSkills(ctx, w, suite, "server", out, "--url", s.url)
	if err := errors.Join(err, skillsErr, s.stop()); err != nil {
		return false, err
	}
	command := filepath.Join(temp, "client")
	client, err := scoreSide(ctx, w, suite, "client", out, "--command", command)
	if err != nil {
		return false, err
	}
	clientSkills, err := scoreSkills(ctx, w, suite, "client", out, "--command", command)
	if err != nil {
		return false, err
	}
	old, err := scoreOlder(ctx, w, suite, out, "--command", command)
	if err != nil {
		return false, err
	}
	authorization, err := scoreAuthorization(ctx, w, suite, filepath.Join(temp, "as"), out)
	return server && serverSkills && client && clientSkills && old && authorization, err
}

// scoreOlder runs the client's scenarios that are about an older revision.
func scoreOlder(ctx context.Context, w io.Writer, s *suite, out string, args ...string) (passed bool, err error) {
	r := &result{side: "client", revision: olderRevision}
	return scoreGroup(ctx, w, s, r, "optional", older, filepath.Join(out, "client-"+olderRevision), args...)
}

// scoreSkills runs the scenarios of a side that are about skills. The suite knows no revision that has an extension, and so
// must be forced to.
func scoreSkills(ctx context.Context, w io.Writer, s *suite, side, out string, args ...string) (passed bool, err error) {
	r := &result{side: side, revision: skillsRevision}
	return scoreGroup(ctx, w, s, r, "skills", skills[side], filepath.Join(out, side+"-skills"), append(args, "--force")...)
}

// scoreGroup runs scenarios that belong to no requirements. The raw results go to dir.
func scoreGroup(ctx context.Context, w io.Writer, s *suite, r *result, group string, scenarios []string, dir string, args ...string) (passed bool, err error) {
	if err := os.RemoveAll(dir); err != nil {
		return false, err
	}
	for _, scenario := range scenarios {
		if err := s.runOne(ctx, r.side, r.revision, scenario, dir, args...); err != nil {
			return false, err
		}
	}
	if r.checks, err = readChecks(filepath.Join(dir, "checks")); err != nil {
		return false, err
	}
	return r.printGroup(w, os.Stderr, group, scenarios), nil
}

// scoreSide runs the suite on one side in each revision, with the arguments that say where it is.
func scoreSide(ctx context.Context, w io.Writer, s *suite, side, out string, args ...string) (passed bool, err error) {
	revisions, err := s.revisions()
	if err != nil {
		return false, err
	}
	passed = true
	for _, revision := range revisions {
		dir := filepath.Join(out, side+"-"+revision)
		if err := s.run(ctx, side, revision, dir, args...); err != nil {
			return false, err
		}
		r, err := s.result(side, revision, dir)
		if err != nil {
			return false, err
		}
		passed = r.print(w, os.Stderr) && passed
	}
	return passed, nil
}
