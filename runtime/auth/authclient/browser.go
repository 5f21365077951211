package authclient

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
)

// OpenBrowser opens an authorization URL in the user's browser. It is the default of [AuthorizationCode].Open.
func OpenBrowser(_ context.Context, url string) error {
	if _, err := fetch.ParseURL(url, true); err != nil {
		return fmt.Errorf("authclient: %w", err)
	}
	name, args := browser(runtime.GOOS, url)
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("authclient: opening a browser: %w; somebody has to log in at %s", err, url)
	}
	go cmd.Wait() // it may run as long as the browser
	return nil
}

// browser returns the program that opens a URL, and its arguments. No shell sees the URL.
func browser(goos, url string) (name string, args []string) {
	switch goos {
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", url}
	case "darwin":
		return "open", []string{url}
	}
	return "xdg-open", []string{url}
}
