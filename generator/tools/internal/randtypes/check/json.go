package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
)

// A node is a JSON value as it is written: with the order of its members, and with the text of its
// numbers.
type node struct {
	kind    byte // n, t, f, s, 0, [ or {
	text    string
	names   []string // of the members of an object
	content []*node  // the members of an object, the elements of an array
}

// parse reads a JSON text.
func parse(text []byte) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	n, err := parseNext(d)
	if err == nil && d.More() {
		err = fmt.Errorf("more than one value")
	}
	return n, err
}

// parseNext reads the next value of d. Unlike maps, a node keeps the order of members, and duplicate ones.
func parseNext(d *json.Decoder) (*node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case nil:
		return &node{kind: 'n'}, nil
	case bool:
		if t {
			return &node{kind: 't'}, nil
		}
		return &node{kind: 'f'}, nil
	case string:
		return &node{kind: 's', text: t}, nil
	case json.Number:
		return &node{kind: '0', text: string(t)}, nil
	}
	n := &node{kind: byte(token.(json.Delim))}
	for d.More() {
		if n.kind == '{' {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			n.names = append(n.names, name.(string))
		}
		part, err := parseNext(d)
		if err != nil {
			return nil, err
		}
		n.content = append(n.content, part)
	}
	_, err = d.Token()
	return n, err
}

// write returns the JSON text.
func (n *node) write() []byte {
	var b bytes.Buffer
	n.writeTo(&b)
	return b.Bytes()
}

// writeTo writes the JSON text without white space, with numbers as they were read, and with duplicate members.
func (n *node) writeTo(b *bytes.Buffer) {
	switch n.kind {
	case 'n':
		b.WriteString("null")
	case 't':
		b.WriteString("true")
	case 'f':
		b.WriteString("false")
	case 's':
		b.WriteString(quote(n.text))
	case '0':
		b.WriteString(n.text)
	default:
		b.WriteByte(n.kind)
		for i, part := range n.content {
			if i > 0 {
				b.WriteByte(',')
			}
			if n.kind == '{' {
				b.WriteString(quote(n.names[i]) + ":")
			}
			part.writeTo(b)
		}
		b.WriteByte(n.kind + 2) // ] and }
	}
}

func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (n *node) clone() *node {
	c := &node{kind: n.kind, text: n.text, names: append([]string(nil), n.names...)}
	for _, part := range n.content {
		c.content = append(c.content, part.clone())
	}
	return c
}

// all returns a value and all values in it.
func (n *node) all() []*node {
	list := []*node{n}
	for _, part := range n.content {
		list = append(list, part.all()...)
	}
	return list
}

// sameNumber reports whether two texts are the same number.
func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	x, ok := new(big.Rat).SetString(a)
	y, ok2 := new(big.Rat).SetString(b)
	return ok && ok2 && x.Cmp(y) == 0 && strings.HasPrefix(a, "-") == strings.HasPrefix(b, "-")
}

// differ compares what was written with what encoding/json writes. It returns the place of the first
// difference that no rule explains, and what stands there.
func differ(ours, std *node, path string, note func(string)) string {
	if ours.kind != std.kind {
		switch {
		case std.kind == 'n' && (ours.kind == '[' || ours.kind == '{') && len(ours.content) == 0:
			note("nil containers are empty")
			return ""
		case std.kind == 'n' && ours.kind == 's' && ours.text == "":
			note("nil bytes are empty")
			return ""
		case std.kind == '0' && ours.kind == 's' && isNamed(ours.text, std.text):
			note("integers with constants are names")
			return ""
		}
		return fmt.Sprintf("%s: %s, and encoding/json has %s", path, ours.write(), std.write())
	}
	switch ours.kind {
	case 's':
		if ours.text != std.text {
			return fmt.Sprintf("%s: %q, and encoding/json has %q", path, ours.text, std.text)
		}
	case '0':
		if !sameNumber(ours.text, std.text) {
			return fmt.Sprintf("%s: %s, and encoding/json has %s", path, ours.text, std.text)
		}
	case '[':
		if len(ours.content) != len(std.content) {
			return fmt.Sprintf("%s: %d elements, and encoding/json has %d", path, len(ours.content), len(std.content))
		}
		for i := range ours.content {
			if d := differ(ours.content[i], std.content[i], fmt.Sprintf("%s[%d]", path, i), note); d != "" {
				return d
			}
		}
	case '{':
		i := 0
		for j, name := range std.names {
			if i < len(ours.names) && ours.names[i] == name {
				if d := differ(ours.content[i], std.content[j], path+"."+name, note); d != "" {
					return d
				}
				i++
			} else if std.content[j].kind == 'n' {
				note("nil pointers are left out")
			} else {
				return fmt.Sprintf("%s: no member %s here, which encoding/json has", path, name)
			}
		}
		if i < len(ours.names) {
			return fmt.Sprintf("%s: a member %s, which encoding/json has not", path, ours.names[i])
		}
	}
	return ""
}

// withoutNulls leaves out all members that are null, as generated code writes nil pointers.
func (n *node) withoutNulls() *node {
	c := &node{kind: n.kind, text: n.text}
	for i, part := range n.content {
		if n.kind == '{' && part.kind == 'n' {
			continue
		}
		c.content = append(c.content, part.withoutNulls())
		if n.kind == '{' {
			c.names = append(c.names, n.names[i])
		}
	}
	return c
}
