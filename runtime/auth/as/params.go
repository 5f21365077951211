package as

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

const (
	maxQuery  = 8 << 10
	maxForm   = 64 << 10
	maxParams = 50
)

// params holds the parameters of a request. No value is empty, and only resource may be given more than once.
type params map[string][]string

func (p params) get(name string) string {
	if v := p[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// parseParams parses a query, or a body in the same format. Parameters without a value are left out; see RFC 6749,
// section 3.1.
func parseParams(text string) (params, error) {
	if strings.Count(text, "&") >= maxParams {
		return nil, fmt.Errorf("want at most %d parameters", maxParams)
	}
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil, errors.New("the parameters are not encoded as a form")
	}
	p := params{}
	for name, all := range values {
		for _, v := range all {
			if v == "" {
				continue
			}
			if len(p[name]) > 0 && name != "resource" {
				return nil, errors.New("a parameter is given twice")
			}
			p[name] = append(p[name], v)
		}
	}
	return p, nil
}

// readQuery returns the parameters of a GET request.
func readQuery(r *http.Request) (params, error) {
	if len(r.URL.RawQuery) > maxQuery {
		return nil, fmt.Errorf("want a query of at most %d bytes", maxQuery)
	}
	return parseParams(r.URL.RawQuery)
}

// readForm returns the parameters of a POST request. They must be in the body, since URLs end up in logs.
func readForm(w http.ResponseWriter, r *http.Request) (params, error) {
	if r.URL.RawQuery != "" {
		return nil, errors.New("the parameters must be in the body")
	}
	return readFormBody(w, r)
}

func readFormBody(w http.ResponseWriter, r *http.Request) (params, error) {
	if !hasType(r, "application/x-www-form-urlencoded") {
		return nil, errors.New("want the content type application/x-www-form-urlencoded")
	}
	body, err := readBody(w, r, maxForm)
	if err != nil {
		return nil, err
	}
	return parseParams(string(body))
}

func readBody(w http.ResponseWriter, r *http.Request, max int64) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, max))
	if err != nil {
		return nil, fmt.Errorf("the body could not be read; want at most %d bytes", max)
	}
	return body, nil
}

func hasType(r *http.Request, want string) bool {
	t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && t == want
}
