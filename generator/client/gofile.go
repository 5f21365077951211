package client

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// toolsFile is the Go file that is beside the lock file of a server. It has the definitions whole, of which the lock
// file has what callers depend on.
const toolsFile = "mcp_gen.go"

// parseGo reads the contract of a server from the Go file that mcpgen tools wrote for it: the definitions in its
// variables. It fails if the file registers them with another library.
func parseGo(name string, source []byte) (*Contract, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &goFile{constants: map[string]string{}}
	for _, i := range file.Imports {
		if path, err := strconv.Unquote(i.Path.Value); err == nil && path == mcpPath {
			f.ours = true
		}
	}
	if !f.ours {
		return nil, fmt.Errorf("%s: it does not import %s", name, mcpPath)
	}
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
			f.readConstants(g)
		}
	}
	c := &Contract{}
	ast.Inspect(file, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || err != nil {
			return err == nil
		}
		switch nameOfType(lit.Type) {
		case "mcp.Tool":
			err = add(f, &c.Tools, lit)
		case "mcp.Prompt":
			err = add(f, &c.Prompts, lit)
		case "mcp.ResourceTemplate":
			err = add(f, &c.ResourceTemplates, lit)
		case "mcp.Implementation":
			err = f.set(reflect.ValueOf(&c.Server).Elem(), lit)
		default:
			return true
		}
		return false
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// A goFile holds what the values in a Go file refer to.
type goFile struct {
	ours      bool
	constants map[string]string // strings by their names
}

// readConstants records constants that are strings, for those below them to refer to.
func (f *goFile) readConstants(g *ast.GenDecl) {
	for _, s := range g.Specs {
		s := s.(*ast.ValueSpec)
		for i, name := range s.Names {
			if i < len(s.Values) {
				if text, err := f.text(s.Values[i]); err == nil {
					f.constants[name.Name] = text
				}
			}
		}
	}
}

func add[T any](f *goFile, list *[]T, lit *ast.CompositeLit) error {
	var v T
	err := f.set(reflect.ValueOf(&v).Elem(), lit)
	*list = append(*list, v)
	return err
}

// nameOfType returns a type as it stands in the code, if it is that of another package.
func nameOfType(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		if x, ok := s.X.(*ast.Ident); ok {
			return x.Name + "." + s.Sel.Name
		}
	}
	return ""
}

// taskSupports are the constants of mcp that definitions refer to.
var taskSupports = map[string]mcp.ToolExecutionTaskSupport{
	"mcp.ToolExecutionTaskSupportForbidden": mcp.ToolExecutionTaskSupportForbidden,
	"mcp.ToolExecutionTaskSupportOptional":  mcp.ToolExecutionTaskSupportOptional,
	"mcp.ToolExecutionTaskSupportRequired":  mcp.ToolExecutionTaskSupportRequired,
}

// set sets v to the value of an expression.
func (f *goFile) set(v reflect.Value, e ast.Expr) error {
	switch x := e.(type) {
	case *ast.UnaryExpr: // &T{…}
		v.Set(reflect.New(v.Type().Elem()))
		return f.set(v.Elem(), x.X)
	case *ast.CallExpr: // new(x), wire.Raw(x)
		if len(x.Args) != 1 {
			break
		}
		if v.Kind() == reflect.Pointer {
			v.Set(reflect.New(v.Type().Elem()))
			return f.set(v.Elem(), x.Args[0])
		}
		text, err := f.text(x.Args[0])
		if err == nil && v.Type() == reflect.TypeFor[wire.Raw]() {
			v.SetBytes([]byte(text))
		}
		return err
	case *ast.CompositeLit:
		return f.setParts(v, x)
	case *ast.SelectorExpr:
		if s, ok := taskSupports[nameOfType(x)]; ok && v.Kind() == reflect.String {
			v.SetString(string(s))
			return nil
		}
	case *ast.Ident:
		if v.Kind() == reflect.Bool {
			v.SetBool(x.Name == "true")
			return nil
		}
	}
	if v.Kind() != reflect.String {
		return fmt.Errorf("want the definitions as mcpgen writes them, got a %T for %s", e, v.Type())
	}
	text, err := f.text(e)
	v.SetString(text)
	return err
}

// setParts sets the fields of a struct, or the elements of a slice. Icons and metadata are not part of a contract.
func (f *goFile) setParts(v reflect.Value, x *ast.CompositeLit) error {
	for _, e := range x.Elts {
		if v.Kind() == reflect.Slice {
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			if err := f.set(v.Index(v.Len()-1), e); err != nil {
				return err
			}
			continue
		}
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return fmt.Errorf("want fields with names in %s", v.Type())
		}
		key, _ := pair.Key.(*ast.Ident)
		if key == nil || key.Name == "Icons" || key.Name == "Meta" || v.Type() == reflect.TypeFor[mcp.ResourceTemplate]() && key.Name == "Annotations" {
			continue
		}
		part := v.FieldByName(key.Name)
		if !part.IsValid() {
			return fmt.Errorf("%s has no field %s", v.Type(), key.Name)
		}
		if err := f.set(part, pair.Value); err != nil {
			return err
		}
	}
	return nil
}

// text returns the value of a string.
func (f *goFile) text(e ast.Expr) (string, error) {
	switch x := e.(type) {
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			return strconv.Unquote(x.Value)
		}
	case *ast.Ident:
		if text, ok := f.constants[x.Name]; ok {
			return text, nil
		}
	case *ast.BinaryExpr:
		var b strings.Builder
		for _, part := range []ast.Expr{x.X, x.Y} {
			text, err := f.text(part)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		}
		return b.String(), nil
	}
	return "", fmt.Errorf("want a string, got a %T", e)
}

// besideLock returns the contract of the server whose lock file has a name: that of the Go file beside it or, without
// such a file, what the lock file has.
func besideLock(name string, locked *Contract) (*Lock, error) {
	source, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.FromSlash(name)), toolsFile))
	if err == nil {
		if whole, err := parseGo(toolsFile, source); err == nil && !whole.IsOther(locked) {
			return &Lock{Contract: whole}, nil
		}
	}
	for i := range locked.Tools {
		t := &locked.Tools[i]
		n, err := parseNode(t.InputSchema, "")
		if err != nil {
			return nil, fmt.Errorf("%s: tool %q: %w", name, t.Name, err)
		}
		t.InputSchema = n.withoutNumbers(nil)
	}
	return &Lock{Contract: locked, Bare: true}, nil
}

// withoutNumbers appends the text of a schema in which integers with constants have names alone, as servers list them.
func (n *node) withoutNumbers(b []byte) []byte {
	switch n.kind {
	case wire.KindObject:
		named := namesOf(n)
		b = append(b, '{')
		for i, m := range n.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(wire.AppendString(b, m.name), ':')
			if m.name != "enum" || named == nil {
				b = m.value.withoutNumbers(b)
				continue
			}
			b = named.withoutNumbers(b)
			b = append(b, `,"type":"string"`...)
		}
		return append(b, '}')
	case wire.KindArray:
		b = append(b, '[')
		for i, item := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.withoutNumbers(b)
		}
		return append(b, ']')
	}
	return append(b, n.raw...)
}

// namesOf returns the names that an enum has beside as many numbers, nil if it is another one.
func namesOf(n *node) *node {
	list := n.get("enum")
	if list == nil || n.get("type") != nil || len(list.items)%2 != 0 {
		return nil
	}
	names := &node{kind: wire.KindArray, items: list.items[:len(list.items)/2]}
	for i, item := range list.items {
		if want := map[bool]wire.Kind{true: wire.KindString, false: wire.KindNumber}[i < len(names.items)]; item.kind != want {
			return nil
		}
	}
	return names
}
