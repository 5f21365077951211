package auth

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
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
		p := challengeParser{text: value, rest: value}
		list, err := p.challenges()
		challenges = append(challenges, list...)
		if err != nil {
			errs = append(errs, fmt.Errorf("auth: WWW-Authenticate: %q: %w", excerpt.Of(value), err))
		}
	}
	return challenges, errors.Join(errs...)
}

// A header is a list of challenges, whose parameters are a list, too, with the same comma. So a token after a comma begins
// the next challenge unless "=" follows it: RFC 9110 section 11.6.1.
//
//	challenges = #challenge
//	challenge  = scheme [ 1*SP ( token68 / #param ) ]
//	param      = token BWS "=" BWS ( token / quoted-string )
//
// Empty elements of a list are allowed: RFC 9110 section 5.6.1.2.

// A challengeParser parses one header. Rest is what it has not read yet.
type challengeParser struct{ text, rest string }

func (p *challengeParser) challenges() ([]Challenge, error) {
	var list []Challenge
	for {
		p.skip(" \t,")
		if p.rest == "" {
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
	c := Challenge{Scheme: p.skip(tokenChars)}
	if c.Scheme == "" {
		return c, p.want("a scheme")
	}
	if p.skip(" \t") == "" && !p.endsElement() {
		return c, p.want("a space after the scheme")
	}
	element, _, _ := strings.Cut(p.rest, ",")
	if oauth.IsToken68(strings.TrimRight(element, " \t")) {
		p.rest = p.rest[len(element):]
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
		if !p.endsElement() {
			return c, p.want("a comma")
		}
	}
}

// endsElement reports whether nothing but white space is before the next comma or the end.
func (p *challengeParser) endsElement() bool {
	rest := strings.TrimLeft(p.rest, " \t")
	return rest == "" || rest[0] == ','
}

// atParam reports whether a parameter follows: a token and "=".
func (p *challengeParser) atParam() bool {
	name, _, found := strings.Cut(p.rest, "=")
	return found && isToken(strings.TrimRight(name, " \t"))
}

// param parses a parameter into a challenge.
func (p *challengeParser) param(c *Challenge) (err error) {
	name := strings.ToLower(p.skip(tokenChars))
	p.skip(" \t")
	p.rest = p.rest[1:] // "="
	p.skip(" \t")
	value := p.skip(tokenChars)
	if strings.HasPrefix(p.rest, `"`) && value == "" {
		value, err = p.quoted()
	} else if value == "" {
		err = p.want("a value of " + name)
	}
	if err != nil {
		return err
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
	for p.rest = p.rest[1:]; p.rest != ""; p.rest = p.rest[1:] {
		c := p.rest[0]
		switch {
		case c == '"':
			p.rest = p.rest[1:]
			return b.String(), nil
		case c == '\\' && len(p.rest) > 1:
			p.rest = p.rest[1:]
			c = p.rest[0]
		}
		if c < ' ' && c != '\t' || c == 0x7f {
			return "", p.want("no control character")
		}
		b.WriteByte(c)
	}
	return "", p.want("a closing quote")
}

// skip skips the characters of a set, and returns them.
func (p *challengeParser) skip(set string) string {
	rest := strings.TrimLeft(p.rest, set)
	skipped := p.rest[:len(p.rest)-len(rest)]
	p.rest = rest
	return skipped
}

// want returns an error that says where something else is wanted.
func (p *challengeParser) want(what string) error {
	return fmt.Errorf("byte %d: want %s", len(p.text)-len(p.rest), what)
}
