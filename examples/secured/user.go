package main

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
)

// A user does what people do with a browser: looks at a page, fills in its form, and sends it.
type user struct {
	w       io.Writer
	browser http.Client
}

var (
	heading = regexp.MustCompile(`(?s)<h1>(.*?)</h1>`)
	scope   = regexp.MustCompile(`(?s)<li>(.*?)</li>`)
	tag     = regexp.MustCompile(`<[^>]*>`)
	action  = regexp.MustCompile(`<form method="post" action="([^"]*)">`)
	hidden  = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)
)

// open opens the URL by which the client lets its user log in, and goes on until the browser is back at the client.
func (u *user) open(ctx context.Context, to string) error {
	if u.browser.Jar == nil {
		jar, err := cookiejar.New(nil)
		if err != nil {
			return err
		}
		u.browser.Jar = jar
	}
	at, page, err := u.send(ctx, http.MethodGet, to, nil)
	for err == nil && action.MatchString(page) {
		var link *url.URL
		if link, err = at.Parse(html.UnescapeString(action.FindStringSubmatch(page)[1])); err != nil {
			return err
		}
		at, page, err = u.send(ctx, http.MethodPost, link.String(), u.fillIn(page))
	}
	return err
}

// fillIn says what the page says, and returns what the user answers.
func (u *user) fillIn(page string) url.Values {
	form := url.Values{}
	for _, field := range hidden.FindAllStringSubmatch(page, -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}
	if title := heading.FindStringSubmatch(page); title != nil {
		fmt.Fprintf(u.w, "  The browser shows: %s\n", text(title[1]))
	}
	for _, s := range scope.FindAllStringSubmatch(page, -1) {
		fmt.Fprintf(u.w, "    - %s\n", text(s[1]))
	}
	if strings.Contains(page, `type="password"`) {
		fmt.Fprintln(u.w, "  Ada logs in.")
		form.Set("name", userName)
		form.Set("password", password)
		return form
	}
	fmt.Fprintln(u.w, "  Ada allows it.")
	form.Set("decision", "allow")
	return form
}

// text is the text of a part of a page.
func text(part string) string { return html.UnescapeString(tag.ReplaceAllString(part, "")) }

// send sends a request, follows redirects, and returns the page at their end, and where it is.
func (u *user) send(ctx context.Context, method, to string, form url.Values) (at *url.URL, page string, err error) {
	r, err := http.NewRequestWithContext(ctx, method, to, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, "", err
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := u.browser.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 400 {
		err = fmt.Errorf("status %s: %s", resp.Status, text(string(body)))
	}
	return resp.Request.URL, string(body), err
}
