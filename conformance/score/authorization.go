package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// authorizationScenarios are those of authorization servers, for which the suite has no requirements. It has no
// revisions for them either.
var authorizationScenarios = []string{"authorization-server-metadata-endpoint", "authorization-code-grant"}

// scoreAuthorization runs the suite on the authorization server of a program. It plays a public client: as a
// confidential one it does not authenticate if the server has public clients, too.
func scoreAuthorization(ctx context.Context, w io.Writer, s *suite, path, out string) (passed bool, err error) {
	server, err := startServer(ctx, path)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	r := &result{side: "authorization", revision: "server"}
	dir := filepath.Join(out, r.side+"-"+r.revision)
	if err := s.runAuthorization(ctx, server.url, dir); err != nil {
		return false, err
	}
	if r.checks, err = readChecks(filepath.Join(dir, "checks")); err != nil {
		return false, err
	}
	return r.printGroup(w, os.Stderr, "optional", authorizationScenarios), nil
}

// runAuthorization runs the scenarios of authorization servers, and is the user whom the suite asks to log in.
func (s *suite) runAuthorization(ctx context.Context, issuer, dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.node, filepath.Join(s.dir, "dist", "index.js"), "authorization", "--url", issuer,
		"--resource", issuer+"/mcp", "--client-id", "suite", "--port", strconv.Itoa(port), "--output-dir", filepath.Join(dir, "checks"))
	endWithGroup(cmd)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	stderr := &strings.Builder{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	var failed error
	var authorize string
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, issuer+"/authorize?"):
			authorize = line
		case strings.HasPrefix(line, "Callback server started") && authorize != "": // it says so afterwards
			if failed = allow(ctx, authorize); failed != nil {
				cancel() // the suite would wait for minutes
			}
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); failed != nil {
		return failed
	} else if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) { // 1: a scenario failed
		return fmt.Errorf("the suite did not run to its end: authorization: %w\n%s", err, stderr)
	}
	return nil
}

// freePort returns a port on which nobody listens now.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// field matches a hidden field of the consent page.
var field = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)

// allow does what a user does with a browser: it opens the consent page, and allows what the client asks for.
func allow(ctx context.Context, authorize string) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	browser := &http.Client{Jar: jar, Timeout: 30 * time.Second}
	page, err := send(ctx, browser, http.MethodGet, authorize, nil)
	if err != nil {
		return err
	}
	form := url.Values{"decision": {"allow"}}
	for _, f := range field.FindAllStringSubmatch(page, -1) {
		form.Set(f[1], html.UnescapeString(f[2]))
	}
	u, err := url.Parse(authorize)
	if err != nil {
		return err
	}
	_, err = send(ctx, browser, http.MethodPost, u.Scheme+"://"+u.Host+"/consent", form)
	return err
}

// send sends a request, follows redirects, and returns the page at their end.
func send(ctx context.Context, browser *http.Client, method, to string, form url.Values) (page string, err error) {
	r, err := http.NewRequestWithContext(ctx, method, to, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := browser.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: status %d: %s", resp.Request.URL.Path, resp.StatusCode, body)
	}
	return string(body), nil
}
