// Package goname makes Go names from other names: JSON keys, enumerated values, constants in capitals.
package goname

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// initialisms lists words that Go writes in capitals.
var initialisms = map[string]string{
	"acl": "ACL", "api": "API", "ascii": "ASCII", "cpu": "CPU", "css": "CSS", "dns": "DNS", "eof": "EOF",
	"guid": "GUID", "html": "HTML", "http": "HTTP", "https": "HTTPS", "id": "ID", "ids": "IDs", "io": "IO",
	"ip": "IP", "json": "JSON", "jwt": "JWT", "mcp": "MCP", "mime": "MIME", "os": "OS", "rpc": "RPC", "sql": "SQL",
	"ssh": "SSH", "sse": "SSE", "tcp": "TCP", "tls": "TLS", "ttl": "TTL", "udp": "UDP", "ui": "UI", "uid": "UID",
	"uri": "URI", "uris": "URIs", "url": "URL", "urls": "URLs", "utf8": "UTF8", "uuid": "UUID", "xml": "XML",
}

// Field returns the exported name of the struct field for a JSON key: mimeType is MIMEType, _meta
// is Meta. Of a key with a prefix, such as example.com/name, only the name counts. It is empty if
// the key has neither letters nor digits.
func Field(key string) string {
	return Camel(key[strings.LastIndexByte(key, '/')+1:])
}

// Const returns the exported name for a constant in capitals: PARSE_ERROR is ParseError.
func Const(name string) string { return Camel(strings.ToLower(name)) }

// Camel joins the words of a text to an exported name: "date-time" is DateTime. It is empty if
// the text has neither letters nor digits.
func Camel(text string) string {
	var b strings.Builder
	for _, w := range Words(text) {
		if initialism, ok := initialisms[strings.ToLower(w)]; ok {
			b.WriteString(initialism)
			continue
		}
		b.WriteString(upper(w))
	}
	name := b.String()
	if name != "" && !unicode.IsLetter([]rune(name)[0]) {
		return "N" + name // a name cannot begin with a digit
	}
	return exported(name)
}

// exported adds a capital letter before a name that cannot begin with one.
func exported(name string) string {
	if r, _ := utf8.DecodeRuneInString(name); unicode.IsLetter(r) && !unicode.IsUpper(r) {
		return "X" + name
	}
	return name
}

// Type returns the exported name of a type: the schema's own name with a capital first letter.
func Type(name string) string {
	return exported(upper(strings.TrimLeft(name, "_$")))
}

// Unexported returns an exported name in the form for a package's own use.
func Unexported(name string) string {
	r := []rune(name)
	for i := range r {
		if i > 0 && i+1 < len(r) && !unicode.IsUpper(r[i+1]) && unicode.IsLetter(r[i+1]) || !unicode.IsUpper(r[i]) {
			break
		}
		r[i] = unicode.ToLower(r[i])
	}
	return string(r)
}

func upper(word string) string {
	r := []rune(word)
	if len(r) == 0 {
		return ""
	}
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// Words splits a text where a lower-case letter or a digit is followed by a capital, before the
// last capital of a row of them that a small letter follows, and at whatever is no letter or digit.
func Words(text string) []string {
	var out []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			out = append(out, string(word))
			word = nil
		}
	}
	r := []rune(text)
	for i, c := range r {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			end()
			continue
		case unicode.IsUpper(c) && i > 0 && !unicode.IsUpper(r[i-1]),
			unicode.IsUpper(c) && i+1 < len(r) && unicode.IsLower(r[i+1]):
			end()
		}
		word = append(word, c)
	}
	end()
	return out
}

// File returns the base name of the file for a category of a schema, without ".go": tools/list is
// tools_list. It never has a form by which the go tool would exclude the file from a build.
func File(category string) string {
	var parts []string
	for _, w := range Words(category) {
		parts = append(parts, strings.ToLower(w))
	}
	name := strings.Join(parts, "_")
	if last := name[strings.LastIndexByte(name, '_')+1:]; last == "test" || platforms[last] {
		name += "_types"
	}
	return name
}

// platforms lists the operating systems and architectures that, at the end of a file's name, restrict the file to
// them.
var platforms = func() map[string]bool {
	m := make(map[string]bool)
	for _, p := range strings.Fields(`aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd
		plan9 solaris unix wasip1 windows zos 386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64
		mips64le mips64p32 mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm`) {
		m[p] = true
	}
	return m
}()
