package browsertest

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

var screenshots = flag.String("screenshots", "", "the `folder` in which to keep pictures of the pages (default: none)")

// limit is how long a test may take in all, on a machine that does much else.
const limit = 3 * time.Minute

// startBrowser starts Chromium, and returns a context for [chromedp.NewContext].
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("there is no Chromium; install it, on Debian by: apt-get install -y chromium")
	}
	profile := t.TempDir()
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), chromedp.ExecPath(path), chromedp.UserDataDir(profile),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("disable-site-isolation-trials", true), chromedp.Flag("disable-features", "IsolateOrigins,site-per-process,IsolateSandboxedIframes"), // frames are in the tree of their page
		chromedp.WSURLReadTimeout(time.Minute))
	t.Cleanup(cancel)
	browser, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Do(browser); err != nil {
		t.Fatalf("%s does not start: %v", path, err)
	}
	return browser
}

// A tab is a tab of a browser, with cookies of its own.
type tab struct {
	*testing.T
	ctx context.Context
}

func newTab(t *testing.T, browser context.Context) tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	ctx, cancel = context.WithTimeout(ctx, limit)
	t.Cleanup(cancel)
	return tab{t, ctx}
}

// do does what belongs to a page.
func (t tab) do(steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(t.ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// get returns what an action returns.
func get[T any](t tab, action chromedp.Action[T]) T {
	t.Helper()
	value, err := chromedp.Run(t.ctx, action)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// viewport sets the size of the window, and whether it is dark.
func (t tab) viewport(width, height int64, phone, dark bool) {
	t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	t.do(func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		if _, err = cdp.Call(ctx, target, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: width, Height: height, DeviceScaleFactor: 2, Mobile: phone}); err != nil {
			return none, err
		}
		_, err = cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return none, err
	})
}

// screenshot keeps a picture of the page, if there is a folder for it.
func (t tab) screenshot(name string) {
	t.Helper()
	if *screenshots == "" {
		return
	}
	png := get(t, chromedp.FullScreenshot(100))
	if err := os.WriteFile(filepath.Join(*screenshots, name+".png"), png, 0o666); err != nil {
		t.Fatal(err)
	}
}

// goTo opens a URL.
func (t tab) goTo(url string) {
	t.Helper()
	t.do(chromedp.Navigate(url))
}
