package randtypes

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A typeWriter writes one type and what it needs.
type typeWriter struct {
	r       *rand.Rand
	name    string
	decls   strings.Builder
	count   int      // of types that were declared
	structs []string // of these, those that can be embedded
	self    []string // structs that are being written
	budget  int      // of fields and elements
	fault   bool
}

// newType writes the type T<i> and its tool.
func newType(r *rand.Rand, pkg string, i int) *randomType {
	name := "T" + strconv.Itoa(i)
	w := &typeWriter{r: r, name: name, budget: 25}
	t := &randomType{pkg: pkg, name: name, tool: "f" + strconv.Itoa(i), strict: r.IntN(4) > 0}
	faulty := r.IntN(25) == 0
	var body string
	switch r.IntN(10) {
	case 0, 1:
		body = strings.TrimPrefix(w.typ(0), "*")
	default:
		t.whole = r.IntN(3) == 0
		body = w.structOf(0, name)
	}
	if faulty {
		w.fault = true
		body = "struct {\n\tF " + w.faulty() + "\n\tG int\n}"
		t.whole = false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "type %s %s\n\n%s//mcp:tool", name, body, w.decls.String())
	if t.strict {
		b.WriteString(" strict")
	}
	echo := fmt.Sprintf("«check».Echo(\"%s.%s\", ", pkg, t.tool)
	if t.whole {
		fmt.Fprintf(&b, "\nfunc F%d(v %s) %s { return %sv) }\n", i, name, name, echo)
	} else {
		fmt.Fprintf(&b, "\nfunc F%d(v %s, other bool) (r %s, ok bool) { return %sv), other }\n", i, name, name, echo)
	}
	t.text, t.fault = b.String(), w.fault
	return t
}

// faulty is a type that must be refused.
func (w *typeWriter) faulty() string {
	return pick(w.r, "chan int", "func()", "complex128", "uintptr", "interface{ M() }", "error", "**int", "map[float64]int", "map[bool]string",
		"[]chan int", "map[*Text]int", "map[string]func()", "struct{ X, y int; Z chan int }", "map[string]*[]**int", "struct{ «time».Time; X int }")
}

// typ is a type, declared where it needs a name.
func (w *typeWriter) typ(depth int) string {
	w.budget--
	if depth > 5 || w.budget < 0 {
		return w.scalar()
	}
	switch w.r.IntN(20) {
	case 0, 1:
		return "[]" + w.typ(depth+1)
	case 2:
		return fmt.Sprintf("[%d]", w.r.IntN(4)) + w.typ(depth+1)
	case 3, 4:
		return "map[" + w.key() + "]" + w.typ(depth+1)
	case 5, 6:
		return w.pointer(depth)
	case 7:
		return w.structOf(depth+1, "")
	case 8, 9:
		return w.named(depth)
	case 10:
		return w.generic(depth)
	case 11:
		return w.recursive()
	case 12:
		return pick(w.r, "«other».Open", "*«other».Open", "«other».Deeper", "«other».Mode", "«other».Wrap[int]", "«other».Wrap[Base]", "«other».List", "«other».Since")
	case 13:
		return pick(w.r, "Base", "*Base", "Deep", "hidden", "Alias", "Nested", "Forest", "Leaves", "Strings", "*Strings", "Counts", "*Counts", "Span", "*Span", "Trip", "*Trip",
			"«image».Rectangle", "*«image».Point", "«token».Position", "*«token».Position")
	case 14:
		return pick(w.r, "[]byte", "Blob", "*Blob", "Octets", "Smalls", "[]Octet", "[]Small", "[3]byte", "[2]Octet", "*[]byte", "[][]byte", "map[string][]byte")
	}
	return w.scalar()
}

func (w *typeWriter) pointer(depth int) string {
	t := w.typ(depth + 1)
	if strings.HasPrefix(t, "*") {
		return t
	}
	return "*" + t
}

// scalar is a type without parts.
func (w *typeWriter) scalar() string {
	return pick(w.r, "bool", "string", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
		"byte", "rune", "string", "int", "bool", "any", "Free", "«json».Number", "«json».RawMessage", "«wire».Raw", "Raw", "«time».Time", "Moment",
		"«time».Duration", "«url».URL", "*«url».URL", "«big».Int", "*«big».Int", "«big».Rat", "*«big».Float", "«netip».Addr", "«netip».Prefix", "«netip».AddrPort",
		"Color", "Level", "Code", "Bit", "Octet", "Small", "Phase", "*Phase", "Text", "*Text", "Word", "Number", "Point", "*Point", "Zero", "*«time».Duration", "Instant", "*Instant", "Later",
		"«other».Stamp")
}

func (w *typeWriter) key() string {
	return pick(w.r, "string", "string", "int", "int8", "uint16", "uint64", "Color", "Level", "Text", "Bit", "«netip».Addr", "Octet", "Code", "Phase", "Word")
}

// declare declares a type and returns its name.
func (w *typeWriter) declare(write func(name string) string) string {
	w.count++
	name := w.name + string(rune('a'+w.count%26))
	if w.count > 25 {
		name += strconv.Itoa(w.count)
	}
	if w.r.IntN(3) == 0 {
		name = strings.ToLower(name[:1]) + name[1:]
	}
	body := write(name)
	fmt.Fprintf(&w.decls, "type %s %s\n\n", name, body)
	return name
}

func (w *typeWriter) named(depth int) string {
	if len(w.structs) > 0 && w.r.IntN(3) == 0 {
		return pick(w.r, w.structs...)
	}
	return w.declare(func(name string) string {
		if w.r.IntN(2) == 0 {
			return w.structOf(depth+1, name)
		}
		t := w.typ(depth + 1)
		if w.r.IntN(8) == 0 {
			return "= " + t
		}
		return strings.TrimPrefix(t, "*")
	})
}

func (w *typeWriter) generic(depth int) string {
	arg := w.typ(depth + 1)
	of := pick(w.r, "Box[%]", "Pair[string, %]", "Pair[Color, %]", "List[%]", "Dict[%]", "Three[%]", "Tree[%]", "«other».Wrap[%]")
	return pick(w.r, "", "", "*") + strings.ReplaceAll(of, "%", arg)
}

// recursive is a type that contains one of those that are being written.
func (w *typeWriter) recursive() string {
	if len(w.self) == 0 {
		return w.scalar()
	}
	of := pick(w.r, "*%", "[]%", "map[string]%", "[]*%", "map[string]*%", "*[]%", "List[%]", "[2][]%", "Dict[*%]", "[1]*%")
	return strings.ReplaceAll(of, "%", pick(w.r, w.self...))
}

// structOf is the literal of a struct. A name is given for types that may contain themselves.
func (w *typeWriter) structOf(depth int, name string) string {
	if name != "" {
		w.self = append(w.self, name)
		defer func() {
			w.self = w.self[:len(w.self)-1]
			if name != w.name {
				w.structs = append(w.structs, name)
			}
		}()
	}
	names := strings.Fields("A B C D E F G Name ID X Value Kind N Inner")
	w.r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	embedded := make(map[string]bool)
	var b strings.Builder
	b.WriteString("struct {\n")
	for i := range 1 + w.r.IntN(6) {
		switch {
		case w.r.IntN(5) == 0:
			if e := w.embedded(depth); e != "" && !embedded[base(e)] {
				embedded[base(e)] = true
				b.WriteString(e + pick(w.r, "", "", "", "", "", " `json:\"sub\"`", " `json:\",omitempty\"`", " `json:\"-\"`") + "\n")
			}
		case w.r.IntN(12) == 0:
			b.WriteString(strings.ToLower(names[i]) + strconv.Itoa(i) + " " + w.typ(depth+1) + "\n")
		case !embedded[names[i]]:
			if t := w.typ(depth + 1); w.r.IntN(10) == 0 && !mayBeNull(t) {
				b.WriteString(names[i] + " «wire».Option[" + t + "] `json:\"" + pick(w.r, "", strings.ToLower(names[i])) + ",omitzero\"`\n")
			} else {
				b.WriteString(names[i] + " " + t + w.tag(names[i], t) + "\n")
			}
		}
	}
	b.WriteString("Last" + strconv.Itoa(depth) + " " + w.scalar() + "\n}")
	return b.String()
}

// mayBeNull reports whether null is a value of a type, so that no Option of it says more.
func mayBeNull(t string) bool {
	return strings.HasPrefix(t, "*") || t == "any" || strings.Contains(strings.ToLower(t), "raw") || t == "Free"
}

// base is the name of an embedded field.
func base(e string) string {
	e = strings.TrimPrefix(e, "*")
	if i := strings.IndexByte(e, '['); i >= 0 {
		e = e[:i]
	}
	return e[strings.LastIndexByte(e, '.')+1:]
}

// embedded is what a struct embeds.
func (w *typeWriter) embedded(depth int) string {
	if depth < 4 && w.budget > 0 && w.r.IntN(3) == 0 {
		return pick(w.r, "", "*") + w.declare(func(name string) string { return w.structOf(depth+1, name) })
	}
	if len(w.structs) > 0 && w.r.IntN(2) == 0 {
		return pick(w.r, "", "*") + pick(w.r, w.structs...)
	}
	return pick(w.r, "Base", "*Base", "Deep", "*Deep", "hidden", "*hidden", "«other».Open", "*«other».Open", "«other».Deeper", "*«other».Deeper", "Box[int]", "*Box[string]",
		"«other».Wrap[bool]", "Strings", "*Strings", "Counts", "Color", "Level", "*Level", "Alias", "Tree[int]", "*Tree[Color]", "Zero", "Moment", "Octet")
}

// tag is the tag of a field of a type.
func (w *typeWriter) tag(name, t string) string {
	lower := strings.ToLower(name)
	tag := pick(w.r, "", "", "", lower, lower, lower+",omitempty", ",omitempty", lower+",omitzero", ",omitempty,omitzero", lower+",string", ",string", lower+",omitempty,string",
		"-", lower+"_x", "ü"+lower, "$"+lower, lower+".x", lower+",inline", "a\\\"b", "X"+lower+",omitzero,string", lower+"-y")
	if strings.Contains(tag, ",string") && (t == "string" || w.r.IntN(2) == 0) && t != "int" {
		tag = strings.ReplaceAll(tag, ",string", "")
	}
	if tag == "" {
		return pick(w.r, "", "", " `json:\"\"`", " `xml:\"x\"`", " `json:x`")
	}
	quoted := strconv.Quote(tag)
	if strings.Contains(tag, `\"`) {
		quoted = `"` + tag + `"`
	}
	return strings.ReplaceAll(pick(w.r, " `json:%`", " `json:%`", " `xml:\"y,attr\" json:%`", " `json:% jsonschema:\"the field\"`"), "%", quoted)
}

// seldom is a type with what makes differences that few random types show.
func seldom(pkg string, i int) *randomType {
	name, tool := "T"+strconv.Itoa(i), "f"+strconv.Itoa(i)
	return &randomType{pkg: pkg, name: name, tool: tool, whole: true, strict: true, text: fmt.Sprintf(`
type %[1]s struct {
	Any    []*any
	Raw    map[string]*«json».RawMessage
	Quoted int8           `+"`json:\",string\"`"+`
	Keys   map[int8]bool
	Float  float64
	Blob   []byte
	Big    «big».Int
}

//mcp:tool strict
func F%[2]d(v %[1]s) %[1]s { return «check».Echo("%[3]s.%[4]s", v) }
`, name, i, pkg, tool)}
}

// seldomLoose is one for coercion: null is a value of some of what stands behind a pointer.
func seldomLoose(pkg string, i int) *randomType {
	name, tool := "T"+strconv.Itoa(i), "f"+strconv.Itoa(i)
	return &randomType{pkg: pkg, name: name, tool: tool, whole: true, text: fmt.Sprintf(`
type %[1]s struct {
	*%[1]sa
}

type %[1]sa struct {
	Raw   «json».RawMessage
	Any   any
	Free  *Free
	Point *Point
}

//mcp:tool
func F%[2]d(v %[1]s) %[1]s { return «check».Echo("%[3]s.%[4]s", v) }
`, name, i, pkg, tool)}
}

// seldomPanics is one that encoding/json, too, can read but not write: it has IsZero by an embedded
// pointer, which may be nil.
func seldomPanics(pkg string, i int) *randomType {
	name, tool := "T"+strconv.Itoa(i), "f"+strconv.Itoa(i)
	return &randomType{pkg: pkg, name: name, tool: tool, whole: true, strict: true, text: fmt.Sprintf(`
type %[1]s struct {
	In %[1]sa `+"`json:\",omitzero\"`"+`
	N  int
}

type %[1]sa struct {
	*%[1]sb
}

type %[1]sb struct {
	Zero
	X int
}

//mcp:tool strict
func F%[2]d(v %[1]s) %[1]s { return «check».Echo("%[3]s.%[4]s", v) }
`, name, i, pkg, tool)}
}
