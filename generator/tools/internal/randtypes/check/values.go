package check

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// fills make random values of types that have a form of their own.
var fills sync.Map // of reflect.Type to func(*rand.Rand) reflect.Value

// Fill says how random values of a type are made.
func Fill[T any](f func(r *rand.Rand) T) {
	fills.Store(reflect.TypeFor[T](), func(r *rand.Rand) reflect.Value { return reflect.ValueOf(f(r)) })
}

// OneOf says which values a type has.
func OneOf[T any](list ...T) { Fill(func(r *rand.Rand) T { return list[r.IntN(len(list))] }) }

// init says how values are made of types of the standard library and of raw values, which a filler cannot make of their
// fields.
func init() {
	Fill(func(r *rand.Rand) time.Time {
		t := time.Unix(r.Int64N(4e9)-1e9, []int64{0, 1e6, 123456789}[r.IntN(3)]).UTC()
		if r.IntN(3) == 0 {
			t = t.In(time.FixedZone("", 60*(r.IntN(1200)-600)))
		}
		return t
	})
	Fill(func(r *rand.Rand) time.Duration {
		return []time.Duration{0, 1, -time.Second, time.Hour + 30*time.Minute, math.MinInt64, math.MaxInt64, 1500 * time.Microsecond}[r.IntN(7)]
	})
	Fill(func(r *rand.Rand) url.URL {
		u, err := url.Parse([]string{"https://example.com/a?b=c#d", "mailto:a@b.c", "http://[::1]:80/%20x", "urn:x:y"}[r.IntN(4)])
		if err != nil {
			panic(err)
		}
		return *u
	})
	Fill(func(r *rand.Rand) big.Int {
		n, _ := new(big.Int).SetString([]string{"0", "1", "-1", "123456789012345678901234567890", "-9223372036854775809"}[r.IntN(5)], 10)
		return *n
	})
	Fill(func(r *rand.Rand) big.Rat { return *big.NewRat(r.Int64N(9)-4, 1+r.Int64N(5)) })
	Fill(func(r *rand.Rand) big.Float { return *big.NewFloat(float64(r.IntN(100)) / 4) })
	Fill(func(r *rand.Rand) netip.Addr {
		return netip.MustParseAddr([]string{"192.0.2.1", "::1", "fe80::1%eth0", "::ffff:1.2.3.4"}[r.IntN(4)])
	})
	Fill(func(r *rand.Rand) netip.Prefix {
		return netip.MustParsePrefix([]string{"10.0.0.0/8", "2001:db8::/32"}[r.IntN(2)])
	})
	Fill(func(r *rand.Rand) netip.AddrPort {
		return netip.MustParseAddrPort([]string{"192.0.2.1:80", "[::1]:443"}[r.IntN(2)])
	})
	OneOf[json.Number]("", "0", "-1.5e3", "123456789012345678901234567890", "-0")
	raws := []string{`null`, `1`, `"x"`, `[1,{"a":null}]`, `{"b":[]}`}
	Fill(func(r *rand.Rand) json.RawMessage { return json.RawMessage(raws[r.IntN(len(raws))]) })
	Fill(func(r *rand.Rand) wire.Raw { return wire.Raw(raws[r.IntN(len(raws))]) })
}

var texts = []string{"", "a", "Hello, world", "ünï-ç", "<a href=\"x\">&amp;</a>", "\u2028\u2029", "\x00\x1f\x7f", "日本語\U0001F600", "\\\"/\b\f\n\r\t", "null", "12"}

// A filler makes random values.
type filler struct {
	*rand.Rand
	full bool // without nil
}

// fill makes a random value, with few things in it where it is deep.
func (r filler) fill(v reflect.Value, depth int) {
	if f, ok := fills.Load(v.Type()); ok {
		v.Set(f.(func(*rand.Rand) reflect.Value)(r.Rand))
		return
	}
	if value, state, ok := option(v); ok {
		if state.SetUint(uint64(r.IntN(3))); r.full || state.Uint() == 2 {
			state.SetUint(2)
			r.fill(value, depth+1)
		}
		return
	}
	many := func() int {
		if depth > 5 {
			return 0
		}
		return []int{0, 1, 1, 2, 3}[r.IntN(5)]
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		bits := v.Type().Bits()
		v.SetInt([]int64{0, 1, -1, 42, -1 << (bits - 1), 1<<(bits-1) - 1}[r.IntN(6)])
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint([]uint64{0, 1, 42, math.MaxUint64 >> (64 - v.Type().Bits())}[r.IntN(4)])
	case reflect.Float32:
		v.SetFloat([]float64{0, 1, -1.5, 0.1, math.MaxFloat32, 1e-7, 1e21}[r.IntN(7)])
	case reflect.Float64:
		v.SetFloat([]float64{0, 1, -1.5, 0.1, math.MaxFloat64, math.SmallestNonzeroFloat64, 1e-7, 1e21, 1 << 53}[r.IntN(9)])
	case reflect.String:
		v.SetString(texts[r.IntN(len(texts))])
	case reflect.Interface:
		if x := r.any(depth); x != nil {
			v.Set(reflect.ValueOf(x))
		}
	case reflect.Pointer:
		if depth < 6 && (r.full || r.IntN(4) > 0) {
			v.Set(reflect.New(v.Type().Elem()))
			r.fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		if n := many(); n > 0 || r.full || r.IntN(2) == 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := range v.Len() {
			r.fill(v.Index(i), depth+1)
		}
	case reflect.Array:
		for i := range v.Len() {
			r.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		n := many()
		if n > 0 || r.full || r.IntN(2) == 0 {
			v.Set(reflect.MakeMap(v.Type()))
		}
		for range n {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			r.fill(key, depth+1)
			r.fill(elem, depth+1)
			v.SetMapIndex(key, elem)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := reach(v, i); f.IsValid() {
				r.fill(f, depth+1)
			}
		}
	default:
		panic(fmt.Sprintf("no values of %s", v.Type()))
	}
}

// option returns the two fields of an addressable wire.Option: its value, and which of the three it is, 2 if it is that.
func option(v reflect.Value) (value, state reflect.Value, ok bool) {
	if t := v.Type(); t.PkgPath() != reflect.TypeFor[wire.Raw]().PkgPath() || !strings.HasPrefix(t.Name(), "Option[") {
		return value, state, false
	}
	field := func(i int) reflect.Value {
		return reflect.NewAt(v.Field(i).Type(), v.Field(i).Addr().UnsafePointer()).Elem()
	}
	return field(0), field(1), true
}

// reach returns a field of an addressable struct, if JSON may know of it.
func reach(v reflect.Value, i int) reflect.Value {
	f := v.Type().Field(i)
	switch {
	case f.Tag.Get("json") == "-", f.Name == "_":
	case f.IsExported():
		return v.Field(i)
	case f.Anonymous && (f.Type.Kind() == reflect.Struct || f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct):
		return reflect.NewAt(f.Type, v.Field(i).Addr().UnsafePointer()).Elem()
	}
	return reflect.Value{}
}

// any makes a value for an interface, of a type that encoding/json writes without help. It nests as deep as fill, and
// is nil only where that is allowed.
func (r filler) any(depth int) any {
	switch r.IntN(8) {
	case 0:
		if !r.full {
			return nil
		}
	case 1:
		return true
	case 2:
		return texts[r.IntN(len(texts))]
	case 3:
		return 1.5
	case 4:
		return r.IntN(100) - 50
	case 5:
		if depth < 6 {
			return []any{r.any(depth + 1), r.any(depth + 1)}
		}
	case 6:
		if depth < 6 {
			return map[string]any{"a": r.any(depth + 1), "b<": r.any(depth + 1)}
		}
	}
	return int64(math.MaxInt64)
}

// unlike compares two values that were read from the same text. It returns the place of a difference
// that JSON can make.
func unlike(a, b reflect.Value, path string) string {
	if a.Kind() != reflect.Interface && a.CanAddr() {
		if _, own := fills.Load(a.Type()); own && a.Kind() != reflect.String {
			if x, y := spelled(a), spelled(b); x != y {
				return fmt.Sprintf("%s: %s, and encoding/json reads %s", path, x, y)
			}
			return ""
		}
	}
	if a.Kind() == reflect.Struct && a.CanAddr() && b.CanAddr() {
		if x, is, ok := option(a); ok {
			y, should, _ := option(b)
			if is.Uint() != should.Uint() {
				return fmt.Sprintf("%s: the state %d of an Option, and encoding/json reads %d", path, is.Uint(), should.Uint())
			}
			return unlike(x, y, path)
		}
	}
	different := func() string {
		return fmt.Sprintf("%s: %v, and encoding/json reads %v", path, a, b)
	}
	switch a.Kind() {
	case reflect.Interface:
		if x, y := spelled(a), spelled(b); x != y {
			n, err := parse([]byte(x))
			m, err2 := parse([]byte(y))
			if err != nil || err2 != nil || differ(floats(n), floats(m), "", func(string) {}) != "" {
				return fmt.Sprintf("%s: %s, and encoding/json reads %s", path, x, y)
			}
		}
	case reflect.Pointer:
		if !a.IsNil() && b.IsNil() && spelled(a) == "null" {
			note(nullPointers)
			return ""
		}
		if a.IsNil() != b.IsNil() {
			return different()
		}
		if !a.IsNil() {
			return unlike(a.Elem(), b.Elem(), path)
		}
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return different()
		}
		for i := range a.Len() {
			if d := unlike(a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", path, i)); d != "" {
				return d
			}
		}
	case reflect.Map:
		if a.Len() != b.Len() {
			return different()
		}
		for _, key := range a.MapKeys() {
			other := b.MapIndex(key)
			if key.Kind() == reflect.Pointer || !other.IsValid() {
				if key.Kind() == reflect.Pointer {
					return "" // pointers as keys are not the same ones
				}
				return fmt.Sprintf("%s: key %v, which encoding/json does not read", path, key)
			}
			x, y := reflect.New(other.Type()).Elem(), reflect.New(other.Type()).Elem()
			x.Set(a.MapIndex(key))
			y.Set(other)
			if d := unlike(x, y, fmt.Sprintf("%s[%v]", path, key)); d != "" {
				return d
			}
		}
	case reflect.Struct:
		for i := range a.NumField() {
			x, y := reach(a, i), reach(b, i)
			if !x.IsValid() {
				continue
			}
			if d := unlike(x, y, path+"."+a.Type().Field(i).Name); d != "" {
				return d
			}
		}
	default:
		if !a.Equal(b) || a.CanFloat() && math.Signbit(a.Float()) != math.Signbit(b.Float()) {
			return different()
		}
	}
	return ""
}

// floats makes all numbers what a float64 is.
func floats(n *node) *node {
	for _, at := range n.all() {
		var f float64
		if at.kind == '0' && json.Unmarshal([]byte(at.text), &f) == nil {
			text, _ := json.Marshal(f)
			at.text = string(text)
		}
	}
	return n
}

// spelled is a value as encoding/json writes it.
func spelled(v reflect.Value) string {
	if v.CanAddr() {
		v = v.Addr()
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return "error: " + err.Error()
	}
	return string(text)
}
