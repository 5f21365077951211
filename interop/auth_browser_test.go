package interop

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A browser is a user at an authorization server: it submits the forms of pages, with cookies, until a page
// has none. That is the page of the client which the user is sent back to.
type browser struct {
	http   *http.Client
	fill   url.Values // what the user enters, in any form that has such a field
	deny   atomic.Bool
	logins atomic.Int32 // how often a client has sent the user here
}

// newBrowser returns a browser whose user has a name.
func newBrowser(t *testing.T, name string) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Jar: jar, Transport: new(http.Transport), Timeout: 30 * time.Second}
	t.Cleanup(c.CloseIdleConnections)
	return &browser{http: c, fill: url.Values{"login": {name}, "name": {name}, "password": {"correct horse"}}}
}

var (
	formTag  = regexp.MustCompile(`(?s)<form[^>]*\saction="([^"]*)".*?</form>`)
	inputTag = regexp.MustCompile(`<input[^>]*>`)
	attrs    = regexp.MustCompile(`(\w+)="([^"]*)"`)
	abortTag = regexp.MustCompile(`<a href="([^"]*)"[^>]*>\[ Cancel \]`)
)

// open is what a client calls to show a URL to its user.
func (b *browser) open(ctx context.Context, at string) error {
	_, err := b.visit(ctx, at)
	return err
}

// visit returns the last page.
func (b *browser) visit(ctx context.Context, at string) (*page, error) {
	b.logins.Add(1)
	p, err := b.send(ctx, http.MethodGet, at, nil)
	for range 10 { // pages
		if err != nil {
			return nil, err
		}
		form := formTag.FindStringSubmatch(p.text)
		if form == nil {
			return p, nil
		}
		if abort := abortTag.FindStringSubmatch(p.text); abort != nil && b.deny.Load() {
			p, err = b.send(ctx, http.MethodGet, p.resolve(abort[1]), nil)
			continue
		}
		p, err = b.send(ctx, http.MethodPost, p.resolve(form[1]), b.fields(form[0]))
	}
	return nil, errors.New("there are more pages than a login has")
}

// fields returns the fields of a form, with what the user enters.
func (b *browser) fields(form string) url.Values {
	fields := url.Values{}
	if strings.Contains(form, `name="decision"`) { // buttons
		fields.Set("decision", "allow")
		if b.deny.Load() {
			fields.Set("decision", "deny")
		}
	}
	for _, tag := range inputTag.FindAllString(form, -1) {
		attr := map[string]string{}
		for _, a := range attrs.FindAllStringSubmatch(tag, -1) {
			attr[a[1]] = html.UnescapeString(a[2])
		}
		if attr["type"] == "hidden" {
			fields.Set(attr["name"], attr["value"])
		} else if b.fill.Has(attr["name"]) {
			fields.Set(attr["name"], b.fill.Get(attr["name"]))
		}
	}
	return fields
}

// A page is what a browser shows.
type page struct {
	at   *url.URL
	text string
}

func (p *page) resolve(link string) string {
	u, err := p.at.Parse(html.UnescapeString(link))
	if err != nil {
		return link
	}
	return u.String()
}

// send sends a request, and follows its redirects.
func (b *browser) send(ctx context.Context, method, at string, form url.Values) (*page, error) {
	r, err := http.NewRequestWithContext(ctx, method, at, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := b.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s %s%s: status %d: %s", method, resp.Request.URL.Host, resp.Request.URL.Path, resp.StatusCode, text)
	}
	return &page{resp.Request.URL, string(text)}, nil
}
