package constraint

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// literal reads a value that a directive gives for a type. The problem says what is wanted instead.
func literal(t *ir.Type, s string) (*ir.Literal, string) {
	if l, problem := enumLiteral(t, s); l != nil || t.IsEnum() {
		return l, problem
	}
	switch t.Kind {
	case ir.Bool:
		if s != "true" && s != "false" {
			return nil, fmt.Sprintf("%q is neither true nor false", s)
		}
		return &ir.Literal{JSON: s, Value: constant.MakeBool(s == "true")}, ""
	case ir.Int, ir.Uint, ir.BigInt:
		v := integer(s)
		if v == nil {
			return nil, fmt.Sprintf("%q is no integer", s)
		}
		if low, high := limits(t); low != nil && (constant.Compare(v, token.LSS, low) || constant.Compare(v, token.GTR, high)) {
			return nil, fmt.Sprintf("%s is out of the range of %s: %s to %s", s, t.Go, low, high)
		}
		return &ir.Literal{JSON: v.ExactString(), Value: v}, ""
	case ir.Float, ir.Number:
		v := number(s)
		if v == nil {
			return nil, fmt.Sprintf("%q is no number as JSON writes them", s)
		}
		f, _ := constant.Float64Val(v)
		if math.IsInf(f, 0) || t.Bits == 32 && math.IsInf(float64(float32(f)), 0) {
			return nil, fmt.Sprintf("%s is out of the range of %s", s, t.Go)
		}
		return &ir.Literal{JSON: s, Value: v}, ""
	case ir.String:
		return &ir.Literal{JSON: Quote(s), Value: constant.MakeString(s)}, ""
	case ir.Time:
		if _, err := time.Parse(time.RFC3339Nano, s); err != nil {
			return nil, fmt.Sprintf("%q is no time as RFC 3339 writes them, such as 2026-01-31T09:00:00Z", s)
		}
		return &ir.Literal{JSON: Quote(s), Value: constant.MakeString(s)}, ""
	case ir.Duration:
		d, err := time.ParseDuration(s)
		if err != nil {
			return nil, fmt.Sprintf("%q is no duration, such as 1h30m or 250ms", s)
		}
		return &ir.Literal{JSON: Quote(s), Value: constant.MakeInt64(int64(d))}, ""
	case ir.URL:
		if u, err := url.Parse(s); err != nil || !u.IsAbs() {
			return nil, fmt.Sprintf("%q is no absolute URL, such as https://example.com/", s)
		}
		return &ir.Literal{JSON: Quote(s), Value: constant.MakeString(s)}, ""
	}
	return nil, "only numbers, booleans, strings, times, durations and URLs can be written here"
}

// enumLiteral reads the value or the name of a constant of t. The literal is nil if there is no such constant, and the
// problem then counts only if t has no other values.
func enumLiteral(t *ir.Type, s string) (*ir.Literal, string) {
	var known []string
	for _, e := range t.Enum {
		text := e.JSON
		if t.Kind == ir.String {
			text = constant.StringVal(e.Const.Val())
		}
		if s == text || e.Name != "" && s == e.Name {
			return &ir.Literal{JSON: e.JSON, Value: e.Const.Val(), Const: e.Const}, ""
		}
		if e.Name != "" {
			text = e.Name
		}
		if s == e.Const.Name() {
			return nil, fmt.Sprintf("%s is the Go name of a constant; write its value %s", s, text)
		}
		known = append(known, text)
	}
	if near := spelling.DidYouMean(s, known); near != "" {
		return nil, fmt.Sprintf("%q is no constant of %s%s", s, shortName(t.Go), near)
	}
	return nil, fmt.Sprintf("%q is no constant of %s; there are %s", s, shortName(t.Go), strings.Join(known, ", "))
}

func shortName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return "" })
}

var (
	integerText = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,999})$`)
	numberText  = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,308})(\.[0-9]{1,400})?([eE][+-]?[0-9]{1,3})?$`)
)

// integer returns the value of an integer as JSON writes it, or nil.
func integer(s string) constant.Value {
	if !integerText.MatchString(s) {
		return nil
	}
	return signed(s, token.INT)
}

// number returns the value of a number as JSON writes it, or nil.
func number(s string) constant.Value {
	if !numberText.MatchString(s) {
		return nil
	}
	if integerText.MatchString(s) {
		return signed(s, token.INT)
	}
	return signed(s, token.FLOAT)
}

func signed(s string, tok token.Token) constant.Value {
	digits, negative := strings.CutPrefix(s, "-")
	v := constant.MakeFromLiteral(digits, tok, 0)
	if negative {
		v = constant.UnaryOp(token.SUB, v, 0)
	}
	return v
}

// limits returns the least and the greatest value of an integer type, or nil if it has none.
func limits(t *ir.Type) (low, high constant.Value) {
	switch t.Kind {
	case ir.Int:
		high = constant.Shift(constant.MakeInt64(1), token.SHL, uint(t.Bits-1))
		low = constant.UnaryOp(token.SUB, high, 0)
	case ir.Uint:
		high = constant.Shift(constant.MakeInt64(1), token.SHL, uint(t.Bits))
		low = constant.MakeInt64(0)
	default:
		return nil, nil
	}
	return low, constant.BinaryOp(high, token.SUB, constant.MakeInt64(1))
}

// Quote writes a string of JSON with no more escapes than it needs.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\r':
			b.WriteString(`\r`)
		case c < 0x20 || c == 0x7f || c == '\u2028' || c == '\u2029':
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
