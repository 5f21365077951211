package auth

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
)

// The limits of a response: bytes in all its challenges, challenges in a header, parameters in a challenge.
const (
	maxChallengeBytes = 64 << 10
	maxChallenges     = 50
	maxParams         = 50
)

// ParseChallenges returns the challenges in all WWW-Authenticate headers of a response: RFC 9110 section 11.6.1.
// If one is invalid, the error says where; the challenges before it and those of the other headers are returned
// as well.
func ParseChallenges(h http.Header) ([]Challenge, error) {
	var challenges []Challenge
	var errs []error
	size := 0
	for _, value := range h.Values("WWW-Authenticate") {
		if size += len(value); size > maxChallengeBytes {
			errs = append(errs, fmt.Errorf("auth: WWW-Authenticate: want at most %d bytes", maxChallengeBytes))
			break
		}
		p := challengeParser{text: value}
		list, err := p.challenges()
		challenges = append(challenges, list...)
		if err != nil {
			errs = append(errs, fmt.Errorf("auth: WWW-Authenticate: %q: %w", excerpt.Of(value), err))
		}
	}
	return challenges, errors.Join(errs...)
}

// A challengeParser parses one header.
type challengeParser struct {
	text string
	at   int
}

func (p *challengeParser) challenges() ([]Challenge, error) {
	var list []Challenge
	for {
		p.skip(" \t,")
		if p.at == len(p.text) {
			return list, nil
		}
		if len(list) == maxChallenges {
			return list, p.want(fmt.Sprintf("at most %d challenges", maxChallenges))
		}
		c, err := p.challenge()
		if err != nil {
			return list, err
		}
		list = append(list, c)
	}
}

// challenge parses a challenge, up to the scheme of the next.
func (p *challengeParser) challenge() (Challenge, error) {
	c := Challenge{Scheme: p.token()}
	if c.Scheme == "" {
		return c, p.want("a scheme")
	}
	if p.at < len(p.text) && strings.IndexByte(" \t,", p.text[p.at]) < 0 {
		return c, p.want("a space after the scheme")
	}
	p.skip(" \t")
	if end := token68End(p.text, p.at); end > p.at && p.endsElement(end) {
		c.Token68, p.at = p.text[p.at:end], end
		return c, nil
	}
	for {
		p.skip(" \t,")
		if !p.atParam() {
			return c, nil
		}
		if err := p.param(&c); err != nil {
			return c, err
		}
		if !p.endsElement(p.at) {
			return c, p.want("a comma")
		}
	}
}

// endsElement reports whether nothing but white space is between i and the next comma or the end.
func (p *challengeParser) endsElement(i int) bool {
	rest := strings.TrimLeft(p.text[i:], " \t")
	return rest == "" || rest[0] == ','
}

// atParam reports whether a parameter follows: a token and "=".
func (p *challengeParser) atParam() bool {
	end := tokenEnd(p.text, p.at)
	return end > p.at && strings.HasPrefix(strings.TrimLeft(p.text[end:], " \t"), "=")
}

// param parses a parameter into a challenge.
func (p *challengeParser) param(c *Challenge) error {
	name := strings.ToLower(p.token())
	p.skip(" \t")
	p.at++ // "="
	p.skip(" \t")
	var value string
	if p.at < len(p.text) && p.text[p.at] == '"' {
		var err error
		if value, err = p.quoted(); err != nil {
			return err
		}
	} else if value = p.token(); value == "" {
		return p.want("a value of " + name)
	}
	if _, ok := c.Params[name]; ok {
		return fmt.Errorf("the parameter %s is duplicated", excerpt.Of(name))
	}
	if len(c.Params) == maxParams {
		return p.want(fmt.Sprintf("at most %d parameters", maxParams))
	}
	if c.Params == nil {
		c.Params = map[string]string{}
	}
	c.Params[name] = value
	return nil
}

// quoted parses a quoted string.
func (p *challengeParser) quoted() (string, error) {
	var b strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		switch {
		case c == '"':
			p.at++
			return b.String(), nil
		case c == '\\' && p.at+1 < len(p.text):
			p.at++
			c = p.text[p.at]
		}
		if c < ' ' && c != '\t' || c == 0x7f {
			return "", p.want("no control character")
		}
		b.WriteByte(c)
	}
	return "", p.want("a closing quote")
}

// token parses a token; it is empty if there is none.
func (p *challengeParser) token() string {
	start := p.at
	p.at = tokenEnd(p.text, start)
	return p.text[start:p.at]
}

// skip skips all characters of a set.
func (p *challengeParser) skip(set string) {
	for p.at < len(p.text) && strings.IndexByte(set, p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *challengeParser) want(what string) error {
	return fmt.Errorf("byte %d: want %s", p.at, what)
}
