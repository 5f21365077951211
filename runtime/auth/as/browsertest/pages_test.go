package browsertest

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/mcpgen/mcpgen/runtime/auth/as"
	"golang.org/x/oauth2"
)

// TestPages uses and attacks the pages, in one browser.
//
// REQ SEC-03
// REQ SEC-04
// REQ SEC-05
// REQ SEC-06
func TestPages(t *testing.T) {
	browser := startBrowser(t)
	for name, test := range map[string]func(*testing.T, context.Context){
		"log in and allow": testAllow, "deny": testDeny, "an upstream provider": testUpstream, "forgery": testForgery,
		"framing": testFraming, "double submit": testDoubleSubmit, "redirect tricks": testRedirects, "sizes": testSizes,
	} {
		t.Run(name, func(t *testing.T) { test(t, browser) })
	}
}

// logIn fills in the login page, and waits for the consent page.
func (t tab) logIn() {
	t.Helper()
	t.do(chromedp.WaitVisible(chromedp.CSS("#password")), chromedp.SendKeys(chromedp.CSS("#name"), "ada"),
		chromedp.SendKeys(chromedp.CSS("#password"), "correct horse\r"))
	t.says("asks for access")
}

const (
	allowButton = `button[value=allow]`
	denyButton  = `button[value=deny]`
)

func (t tab) click(button string) {
	t.Helper()
	t.do(chromedp.Click(chromedp.CSS(button)))
}

func testAllow(t *testing.T, browser context.Context) {
	s, b := start(t, nil), newTab(t, browser)
	b.goTo(s.authorize(nil))
	b.do(chromedp.WaitVisible(chromedp.CSS("#password")), chromedp.SendKeys(chromedp.CSS("#name"), "ada"),
		chromedp.SendKeys(chromedp.CSS("#password"), "wrong\r"))
	b.says("The name or the password is wrong.")
	b.do(chromedp.Clear(chromedp.CSS("#name")))
	b.logIn()
	page := b.text()
	for _, want := range []string{"Notes for the Desk", "Read your notes", "notes:write", "Ada Lovelace", strings.TrimPrefix(s.callback[:len(s.callback)-len("/callback")], "http://")} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q: %s", want, page)
		}
	}
	b.click(allowButton)
	b.says("Back at the client")
	q := s.received()
	if q.Get("state") != "the state" || q.Get("iss") != s.issuer {
		t.Errorf("the client has received %v", q)
	}
	s.redeem(q.Get("code"))
}

func testDeny(t *testing.T, browser context.Context) {
	s, b := start(t, nil), newTab(t, browser)
	b.goTo(s.authorize(nil))
	b.logIn()
	b.click(denyButton)
	b.says("Back at the client")
	if q := s.received(); q.Get("error") != "access_denied" || q.Has("code") || q.Get("state") != "the state" {
		t.Errorf("the client has received %v", q)
	}
}

// testUpstream follows the redirects over the provider, which the policy of the consent page must allow.
func testUpstream(t *testing.T, browser context.Context) {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/authorize":
			q := r.URL.Query()
			http.Redirect(w, r, q.Get("redirect_uri")+"?code=c&state="+url.QueryEscape(q.Get("state")), http.StatusFound)
		case "/token":
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"access_token":"a","token_type":"Bearer"}`)
		default:
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"sub":"42"}`)
		}
	}))
	t.Cleanup(provider.Close)
	s := start(t, func(o *as.Options) {
		o.Password = nil
		o.Upstream = &as.Upstream{User: as.UserInfo(provider.URL + "/userinfo"), Config: oauth2.Config{ClientID: "us",
			Endpoint: oauth2.Endpoint{AuthURL: provider.URL + "/authorize", TokenURL: provider.URL + "/token"}}}
	})
	b := newTab(t, browser)
	b.goTo(s.authorize(nil))
	b.says("You log in at")
	b.click(allowButton)
	b.says("Back at the client")
	s.redeem(s.received().Get("code"))
}

// testForgery sends the form from another site: with a guess, and with what the page of the user has, as if it had
// become known.
func testForgery(t *testing.T, browser context.Context) {
	s, b := start(t, nil), newTab(t, browser)
	b.goTo(s.authorize(nil))
	b.logIn()
	secret := get(b, chromedp.Value(chromedp.CSS(`input[name=request]`)))
	for _, request := range []string{"guess", secret} {
		evil := attacker(t, fmt.Sprintf(`<form method=post action="%s/consent"><input name=request value="%s"><input name=decision value=allow></form><script>document.forms[0].submit()</script>`,
			s.issuer, html.EscapeString(request)))
		b.goTo(evil)
		b.says("This page came from another site")
	}
	s.nothing()
	b.goTo(attacker(t, fmt.Sprintf(`<p id=result></p><script>fetch("%s/consent",{method:"POST",credentials:"include",mode:"no-cors",
		body:new URLSearchParams({request:%q,decision:"allow"})}).then(r=>result.textContent="sent "+r.type,e=>result.textContent="failed")</script>`, s.issuer, secret)))
	b.says("sent opaque")
	s.nothing()
}

// testFraming puts the consent page into a frame of another site. A harmless page shows that frames work.
func testFraming(t *testing.T, browser context.Context) {
	s, b := start(t, nil), newTab(t, browser)
	b.goTo(s.authorize(nil))
	b.logIn()
	frame := func(url string) (unreachable bool) {
		t.Helper()
		b.goTo(attacker(t, fmt.Sprintf(`<iframe id=frame src="%s" onload="document.title='loaded'" width=500 height=500></iframe>`, html.EscapeString(url))))
		b.until(func() bool { return get(b, chromedp.Title()) == "loaded" }, "a frame")
		tree := get(b, func(ctx context.Context, target *chromedp.Target) (*page.FrameTree, error) {
			result, err := cdp.Call(ctx, target, page.GetFrameTree, cdp.Empty{})
			return result.FrameTree, err
		})
		if len(tree.ChildFrames) != 1 {
			t.Fatalf("the page has %d frames", len(tree.ChildFrames))
		}
		return tree.ChildFrames[0].Frame.UnreachableURL != ""
	}
	if frame(attacker(t, "") + "/harmless") {
		t.Fatal("a page that may be in a frame is not shown")
	}
	for _, url := range []string{s.authorize(nil), s.authorize(map[string]string{"client_id": "nobody"}), s.issuer + "/consent"} {
		if !frame(url) {
			t.Errorf("%s is shown in a frame of another site", url)
		}
	}
	s.nothing()
}

// testDoubleSubmit sends the form twice, from one page: the client receives one code.
func testDoubleSubmit(t *testing.T, browser context.Context) {
	s, b := start(t, nil), newTab(t, browser)
	b.goTo(s.authorize(nil))
	b.logIn()
	gesture := true
	b.do(chromedp.Evaluate[chromedp.Void](`{
		const button = document.querySelector("button[value=allow]"), form = button.form
		form.target = "_blank"
		form.requestSubmit(button)
		setTimeout(() => form.target = "", 0)
	}`, func(p *runtime.EvaluateParams) { p.UserGesture = &gesture }))
	b.until(func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.responses) > 0 }, "a response to the client")
	b.until(func() bool { return get(b, chromedp.Evaluate[string](`document.querySelector("form").target`)) == "" }, "the form")
	b.click(allowButton)
	b.says("This page was already used")
	s.redeem(s.received().Get("code"))
}

// testRedirects stays at the authorization server whatever redirect URI a link has.
func testRedirects(t *testing.T, browser context.Context) {
	s, b := start(t, nil), newTab(t, browser)
	evil := attacker(t, "You are mine")
	for _, redirect := range []string{evil, s.callback + "/../evil", s.callback + "@" + strings.TrimPrefix(evil, "http://"),
		strings.Replace(s.callback, "http://", "http://a@", 1), "javascript:document.write('You are mine')", "data:text/html,You are mine",
		`\\` + strings.TrimPrefix(evil, "http:"), s.callback + "#" + evil} {
		b.goTo(s.authorize(map[string]string{"redirect_uri": redirect}))
		b.says("This link does not work")
	}
	id := s.register("Evil", "https://evil.example/cb")
	b.goTo(s.authorize(map[string]string{"client_id": id, "redirect_uri": "https://evil.example/cb", "scope": "unknown"}))
	b.says("Return to evil.example")
	s.nothing()
}

// sizes are what must hold of a page for it to be readable.
type sizes struct {
	Width, Scroll, Font float64
	Buttons             []float64 // heights
}

const measure = `({
	Width: innerWidth, Scroll: document.documentElement.scrollWidth,
	Font: parseFloat(getComputedStyle(document.body).fontSize),
	Buttons: [...document.querySelectorAll("button, input:not([type=hidden])")].map(b => b.getBoundingClientRect().height)})`

// testSizes reads the pages on a desk and on a phone: nothing is cut off, and what is to be touched is large enough.
func testSizes(t *testing.T, browser context.Context) {
	s := start(t, nil)
	long := s.register("An application whose name is as long as a name may be, Averylongwordwithoutanyspacesinititsaysno", "https://a-host-with-a-very-long-name.department.company.example:8443/callback")
	for _, device := range []struct {
		name          string
		width, height int64
		phone, dark   bool
	}{{"desktop", 1280, 900, false, false}, {"desktop-dark", 1280, 900, false, true}, {"phone", 390, 844, true, false}, {"phone-dark", 390, 844, true, true}, {"small", 320, 568, true, false}} {
		b := newTab(t, browser)
		b.viewport(device.width, device.height, device.phone, device.dark)
		check := func(name string) {
			t.Helper()
			b.screenshot(device.name + "-" + name)
			got := get(b, chromedp.Evaluate[sizes](measure))
			if got.Width != float64(device.width) || got.Scroll > got.Width || got.Font < 16 {
				t.Errorf("%s, %s: %+v", device.name, name, got)
			}
			for _, height := range got.Buttons {
				if height < 44 {
					t.Errorf("%s, %s: a button or a field is %v pixels high, want 44", device.name, name, height)
				}
			}
		}
		b.goTo(s.authorize(nil))
		check("login")
		b.do(chromedp.SendKeys(chromedp.CSS("#name"), "ada"), chromedp.SendKeys(chromedp.CSS("#password"), "wrong\r"))
		b.says("The name or the password is wrong.")
		check("wrong")
		b.do(chromedp.Clear(chromedp.CSS("#name")))
		b.logIn()
		check("consent")
		b.goTo(s.authorize(map[string]string{"client_id": long, "redirect_uri": "https://a-host-with-a-very-long-name.department.company.example:8443/callback"}))
		check("long")
		b.goTo(s.authorize(map[string]string{"client_id": long, "redirect_uri": "https://a-host-with-a-very-long-name.department.company.example:8443/callback", "scope": "x"}))
		check("error")
	}
}
