package randtypes

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An editor changes the sources of random types, line by line.
type editor struct {
	*rand.Rand
	fresh int // of names
}

// A field is a line with one: its name, type and tag. What is embedded has no name.
var field = regexp.MustCompile("^(\\w+) ([^`{}]+?)( `[^`]*`)?$")

// decorated returns a type with constraints, an enum and a union of its own.
func (e *editor) decorated(t *randomType) *randomType {
	lines := strings.Split(t.text, "\n")
	var out []string
	for i, line := range lines {
		if m := field.FindStringSubmatch(line); m != nil && isField(lines, i) && e.IntN(3) == 0 {
			if c := e.constraint(m[2]); c != "" {
				out = append(out, c)
			}
		}
		out = append(out, line)
		if line == "type "+t.name+" struct {" {
			for i := range e.IntN(4) {
				of := pick(e.Rand, "string", "string", "*string", "int8", "uint64", "float64", "[]string", "[]int", "map[string]bool", "«time».Duration", "[]byte")
				out = append(out, e.constraint(of), fmt.Sprintf("Plain%d %s `json:\"plain%d%s\"`", i, of, i, pick(e.Rand, "", ",omitempty")))
			}
			if e.IntN(3) == 0 {
				out = append(out, "Enum "+pick(e.Rand, "", "[]", "map[string]", "*")+t.name+"enum `json:\"enum\"`")
			}
			if e.IntN(3) == 0 {
				out = append(out, "Union "+pick(e.Rand, "", "[]", "map[string]")+t.name+"union `json:\"union\"`")
			}
		}
	}
	text := strings.Join(out, "\n")
	if strings.Contains(text, t.name+"enum ") {
		of := pick(e.Rand, "string", "int")
		text += "\n\ntype " + t.name + "enum " + of + "\n\nconst (\n"
		for i := range 1 + e.IntN(4) {
			text += e.constant(t.name, of, i) + "\n"
		}
		text += ")\n"
	}
	if strings.Contains(text, t.name+"union ") {
		text += "\n\ntype " + t.name + "union interface{ is" + t.name + "() }\n"
		for i := range 3 {
			w := &typeWriter{r: e.Rand, name: t.name, budget: 4, count: 200}
			text += fmt.Sprintf("\n\ntype %sarm%d %s\n\nfunc (%sarm%d) is%s() {}\n%s", t.name, i, w.structOf(4, ""), t.name, i, t.name, w.decls.String())
		}
	}
	return t.with(text)
}

// with returns the type with another text.
func (t *randomType) with(text string) *randomType {
	other := *t
	other.text = text
	return &other
}

// constant is a line with a constant of an enum.
func (e *editor) constant(name, of string, i int) string {
	value := strconv.Itoa(i)
	if of == "string" {
		value = strconv.Quote("v" + value)
	}
	return fmt.Sprintf("%sconst%d %senum = %s", name, i, name, value)
}

// isField reports whether a line is one of a struct.
func isField(lines []string, i int) bool {
	depth := 0
	for _, line := range slices.Backward(lines[:i]) {
		switch {
		case strings.HasPrefix(line, "}"):
			depth++
		case strings.HasSuffix(line, "struct {"):
			if depth == 0 {
				return true
			}
			depth--
		case strings.HasSuffix(line, "(") || strings.HasPrefix(line, ")"):
			return false
		}
	}
	return false
}

// constraint is a directive that may suit a type.
func (e *editor) constraint(of string) string {
	number := func() string { return strconv.Itoa(e.IntN(4)) }
	var all []string
	switch of = strings.TrimPrefix(of, "*"); {
	case strings.HasPrefix(of, "int"), strings.HasPrefix(of, "uint"), strings.HasPrefix(of, "float"):
		all = []string{"min=" + number(), "max=1" + number(), "above=" + number(), "below=1" + number(), "multipleof=2", "multipleof=4", "enum=1,2,3", "enum=2,3"}
	case of == "string":
		all = []string{"minlen=" + number(), "maxlen=1" + number(), "pattern=^[a-z]*$", "pattern=^[a-f]*$", "format=email", "format=date", "enum=x,y", "enum=x,y,zed", "enum=x"}
	case strings.HasPrefix(of, "[]string"), strings.HasPrefix(of, "[]int"), strings.HasPrefix(of, "[]bool"):
		all = []string{"minlen=" + number(), "maxlen=1" + number(), "unique"}
	case strings.HasPrefix(of, "map[string]"):
		all = []string{"minlen=" + number(), "maxlen=1" + number(), "keys.pattern=^[a-z]*$", "keys.maxlen=1" + number()}
	case of == "[]byte":
		all = []string{"minlen=" + number(), "maxlen=1" + number()}
	case of == "«time».Duration":
		all = []string{"min=" + number() + "s", "max=1" + number() + "s"}
	}
	if len(all) == 0 {
		return ""
	}
	return "//mcp:param " + pick(e.Rand, all...)
}

// near are types that differ little.
var near = [][]string{
	{"int8", "int16", "int32", "int64", "int", "float64"}, {"uint8", "uint16", "uint32", "uint64", "uint", "int64"},
	{"float32", "float64", "«json».Number"}, {"string", "Color", "«time».Time", "«url».URL"}, {"any", "«json».RawMessage", "Free"},
}

// edited returns a type after an edit of its text.
func (e *editor) edited(t *randomType) *randomType {
	return t.with(strings.Join(e.edit(t, strings.Split(t.text, "\n")), "\n"))
}

func (e *editor) edit(t *randomType, lines []string) []string {
	i := e.IntN(len(lines))
	for range len(lines) { // the next one that can be edited
		line := lines[i]
		switch m := field.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "//mcp:param"):
			if e.IntN(2) == 0 {
				return slices.Delete(lines, i, i+1)
			}
			if m := field.FindStringSubmatch(lines[i+1]); m != nil {
				if c := e.constraint(m[2]); c != "" {
					lines[i] = c
				}
			}
			return lines
		case strings.HasPrefix(line, t.name+"const"):
			switch of := "int"; e.IntN(2) {
			case 0:
				return slices.Delete(lines, i, i+1)
			default:
				if strings.HasSuffix(line, `"`) {
					of = "string"
				}
				e.fresh++
				return slices.Insert(lines, i, e.constant(t.name, of, 10+e.fresh))
			}
		case strings.HasPrefix(line, "func ("+t.name+"arm"):
			return slices.Delete(lines, i, i+1)
		case strings.HasPrefix(line, "type ") && strings.HasSuffix(line, "struct {") && e.IntN(4) == 0:
			if i > 0 && lines[i-1] == "//mcp:schema open" {
				return slices.Delete(lines, i-1, i)
			}
			return slices.Insert(lines, i, "//mcp:schema open")
		case strings.HasPrefix(line, "type "+t.name+"enum"):
			if lines[i-1] == "//mcp:schema closed" {
				return slices.Delete(lines, i-1, i)
			}
			return slices.Insert(lines, i, "//mcp:schema closed")
		case m != nil && isField(lines, i):
			return e.editField(t, lines, i, m[1], m[2], m[3])
		}
		i = (i + 1) % len(lines)
	}
	return lines
}

// editField edits the line of a field.
func (e *editor) editField(t *randomType, lines []string, i int, name, of, tag string) []string {
	e.fresh++
	w := &typeWriter{r: e.Rand, name: t.name, budget: 3, count: 300 + 10*e.fresh}
	add := func(lines []string) []string { return append(lines, strings.Split(w.decls.String(), "\n")...) }
	switch e.IntN(11) {
	case 0:
		if i > 0 && strings.HasPrefix(lines[i-1], "//mcp:param") {
			i--
			lines = slices.Delete(lines, i, i+1)
		}
		return slices.Delete(lines, i, i+1)
	case 1, 2, 10:
		fresh := w.typ(4)
		return add(slices.Insert(lines, i, "New"+strconv.Itoa(e.fresh)+" "+fresh+w.tag("new", fresh)))
	case 3:
		for _, list := range near {
			if slices.Contains(list, of) {
				lines[i] = name + " " + pick(e.Rand, list...) + tag
				return lines
			}
		}
		lines[i] = name + " " + w.typ(4) + tag
		return add(lines)
	case 4:
		if rest, ok := strings.CutPrefix(of, "*"); ok {
			lines[i] = name + " " + rest + tag
		} else {
			lines[i] = name + " *" + of + tag
		}
	case 5:
		lines[i] = name + " " + of + w.tag(name, of)
	case 6, 7, 8:
		if c := e.constraint(of); c != "" && (i == 0 || !strings.HasPrefix(lines[i-1], "//mcp:param")) {
			return slices.Insert(lines, i, c)
		}
	case 9:
		lines[i] = name + "Renamed " + of + tag
	}
	return lines
}
