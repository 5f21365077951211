package adopt

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// minSecret is the smallest length of a secret, in bytes: shorter ones would be found where they are none.
const minSecret = 6

// Secrets replaces values that must not be written by placeholders, and back. Nil has none.
type Secrets struct {
	all []secret // longest first
}

type secret struct {
	name, value string
	forms       []string // of the value, as servers may write it
}

// NewSecrets returns secrets by their names.
func NewSecrets(values map[string]string) (*Secrets, error) {
	s := &Secrets{}
	for name, value := range values {
		if len(value) < minSecret {
			return nil, fmt.Errorf("the secret %s: want at least %d bytes, got %d", name, minSecret, len(value))
		}
		s.all = append(s.all, secret{name, value, formsOf(value)})
	}
	slices.SortFunc(s.all, func(a, b secret) int {
		return cmp.Or(len(b.value)-len(a.value), strings.Compare(a.name, b.name))
	})
	return s, nil
}

// formsOf returns a value as it is, in JSON, in JSON that is a text in JSON, in URLs, and in hexadecimal digits. Base64 is found by
// decoding it.
func formsOf(value string) []string {
	inJSON := quoted(value)
	forms := []string{value, inJSON, quoted(inJSON), url.QueryEscape(value), url.PathEscape(value), hex.EncodeToString([]byte(value))}
	slices.Sort(forms)
	forms = slices.Compact(forms)
	slices.SortStableFunc(forms, func(a, b string) int { return len(b) - len(a) })
	return forms
}

// quoted returns a text as it stands between the quotes of a JSON string.
func quoted(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err) // a string always has a JSON text
	}
	return strings.TrimSpace(b.String())[1 : b.Len()-2]
}

func (s *Secrets) names() (names []string) {
	if s != nil {
		for _, secret := range s.all {
			names = append(names, secret.name)
		}
	}
	slices.Sort(names)
	return names
}

// placeholder is what stands for a secret in a recording, and in a file of calls.
func (s secret) placeholder() string { return "{{secret " + s.name + "}}" }

// hide returns a value with placeholders, also in the names of members.
func (s *Secrets) hide(v any) any {
	if s == nil || len(s.all) == 0 {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		hidden := make(map[string]any, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			hidden[s.Hide(name)] = s.hide(v[name])
		}
		return hidden
	case []any:
		for i := range v {
			v[i] = s.hide(v[i])
		}
	case string:
		return s.Hide(v)
	case json.Number:
		if text := s.Hide(v.String()); text != v.String() {
			return text
		}
	}
	return v
}

// Hide returns a text with placeholders for secrets. One that is a secret in Base64, or has one in it, becomes a placeholder.
func (s *Secrets) Hide(text string) string {
	if s == nil {
		return text
	}
	for _, secret := range s.all {
		for _, form := range secret.forms {
			text = strings.ReplaceAll(text, form, secret.placeholder())
		}
		text = inBase64(text, secret)
	}
	return text
}

// inBase64 replaces the parts of a text that are Base64 of something with the secret in it.
func inBase64(text string, s secret) string {
	is := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("+/-_=", r)
	}
	least := base64.RawStdEncoding.EncodedLen(len(s.value))
	for rest := text; ; {
		start := strings.IndexFunc(rest, is)
		if start < 0 {
			return text
		}
		end := strings.IndexFunc(rest[start:], func(r rune) bool { return !is(r) })
		if end < 0 {
			end = len(rest) - start
		}
		word := rest[start : start+end]
		rest = rest[start+end:]
		if len(word) < least {
			continue
		}
		standard := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(word, "="))
		for skip := range 4 { // a prefix, such as that of a header, may precede it
			if skip > len(standard) {
				break
			}
			part := standard[skip:]
			decoded, _ := base64.RawStdEncoding.DecodeString(part[:len(part)-len(part)%4])
			tail, _ := base64.RawStdEncoding.DecodeString(part[len(part)-len(part)%4:])
			if bytes.Contains(append(decoded, tail...), []byte(s.value)) {
				text = strings.ReplaceAll(text, word, s.placeholder())
				break
			}
		}
	}
}

// leaked returns the name of a secret that a text has, empty if it has none.
func (s *Secrets) leaked(text []byte) string {
	if s != nil {
		for _, secret := range s.all {
			for _, form := range secret.forms {
				if bytes.Contains(text, []byte(form)) {
					return secret.name
				}
			}
		}
	}
	return ""
}

// reveal returns the text of JSON with the secrets in place of their placeholders.
func (s *Secrets) reveal(text json.RawMessage) json.RawMessage {
	if s == nil {
		return text
	}
	for _, secret := range s.all {
		text = bytes.ReplaceAll(text, []byte(secret.placeholder()), []byte(quoted(secret.value)))
	}
	return text
}
