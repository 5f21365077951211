package annotated

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestResults writes random values of the types that tools return, whether or not the schemas allow
// them. What is written must be valid; what cannot be is an error.
func TestResults(t *testing.T) {
	seed := randomSeed(t)
	results(t, seed, mcpToolEchoCollections, mcpPutCollections, Collections{})
	results(t, seed, mcpToolEchoDates, mcpPutDates, Dates{})
	results(t, seed, mcpToolEchoDefaults, mcpPutDefaults, Defaults{Unit: InKelvin})
	results(t, seed, mcpToolEchoEnums, mcpPutEnums, Enums{InCelsius, Loud, Fast, InKelvin, 8, "a"})
	results(t, seed, mcpToolEchoLimits, mcpPutLimits, Limits{8, 10, 0.5, 2.5, big.NewInt(1), "0.5", "7xx", []byte("a"), []int{1}, map[string]bool{"": true}, "abc1", "a7x "})
	results(t, seed, mcpToolEchoInside, mcpPutInside, Inside{Numbers: []int8{1}, Pair: [2]bool{true, false}})
	results(t, seed, mcpToolEchoNode, mcpPutNode)
	results(t, seed, mcpToolEchoNumbers, mcpPutNumbers)
	results(t, seed, mcpToolEchoOptional, mcpPutOptional)
	results(t, seed, mcpToolEchoQuoted, mcpPutQuoted)
	results(t, seed, mcpToolEchoScalars, mcpPutScalars)
	results(t, seed, mcpToolEchoSettings, func(v *struct {
		S Setting
		A map[string]Setting
		L []Setting
		O Setting
		M wire.Option[Setting]
	}, e *wire.Encoder) {
		mcpPutEchoSettingsResult(&mcpEchoSettingsResult{v.S, v.A, v.L, v.O, v.M}, e)
	})
	results(t, seed, mcpToolEchoStates, mcpPutStates, States{})
	results(t, seed, mcpToolEchoSteps, mcpPutSteps, Steps{15, 0.07, 0.3, big.NewInt(1000000007), "0.5", 0.5, 0.5, 10, "0.5", nil})
	results(t, seed, mcpToolEchoStructs, mcpPutStructs)
	results(t, seed, mcpToolEchoTexts, mcpPutTexts)
	results(t, seed, mcpToolEchoTree, func(v *struct {
		T Tree
		F *Folder
	}, e *wire.Encoder) {
		mcpPutEchoTreeResult(&mcpEchoTreeResult{v.T, v.F}, e)
	})
	results(t, seed, mcpToolEchoUnions, func(v *struct {
		S Shape
		M []Shape
		E map[string]Event
	}, e *wire.Encoder) {
		mcpPutEchoUnionsResult(&mcpEchoUnionsResult{v.S, v.M, v.E}, e)
	})
	results(t, seed, mcpToolEchoValues, mcpPutValues)
	results(t, seed, mcpToolRelabel, func(v *struct {
		R Relabelling
		P wire.Option[string]
	}, e *wire.Encoder) {
		mcpPutRelabelResult(&mcpRelabelResult{v.R, v.P}, e)
	})
	results(t, seed, mcpToolRelay, func(v *struct {
		Levels map[Unit]Level
		Known  []Season
	}, e *wire.Encoder) {
		mcpPutRelayResult(&mcpRelayResult{v.Levels, v.Known}, e)
	})
	results(t, seed, mcpToolTally, func(v *struct{ Units []Unit }, e *wire.Encoder) { mcpPutTallyResult(&mcpTallyResult{v.Units}, e) })
	results(t, seed, mcpToolWeatherForecast, mcpPutReport)
}

// results does that for one type. Where few of all values are good, it is given one: then values that
// differ from it in one field are tried.
func results[T any](t *testing.T, seed uint64, tool mcp.Tool, put func(*T, *wire.Encoder), start ...T) {
	t.Helper()
	_, schema := compile(t, decimals.apply(tool.OutputSchema))
	r := &values{rand.New(rand.NewPCG(seed, uint64(len(tool.OutputSchema))))}
	const n = 1500
	good := 0
	for range n {
		var v T
		field := reflect.ValueOf(&v).Elem()
		if len(start) > 0 {
			v = start[0]
			field = field.Field(r.IntN(field.NumField()))
		}
		r.fill(field, 0)
		raw, err := args.Encode(&v, put)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "the result cannot be encoded: ") {
				t.Errorf("%s: %v", tool.Name, err)
			}
			continue
		}
		good++
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
		if err == nil {
			err = schema.Validate(doc)
		}
		if err != nil {
			t.Errorf("%s returns %s\n%v", tool.Name, raw, err)
			return
		}
	}
	if good < n/10 {
		t.Errorf("%s: only %d of %d values can be written", tool.Name, good, n)
	}
}

// values makes random values: often of what the constraints here allow, sometimes of nothing that
// JSON has.
type values struct{ *rand.Rand }

func (r *values) fill(v reflect.Value, depth int) {
	if special := r.special(v.Type()); special != nil {
		v.Set(reflect.ValueOf(special))
		return
	}
	if some := reflect.New(v.Type()).MethodByName("IsNull"); some.IsValid() { // a wire.Option
		r.fillOption(v, depth)
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt([]int64{0, 1, -1, 8, 10, 10, int64(r.Uint64())}[r.IntN(7)])
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint([]uint64{0, 10, 10, r.Uint64()}[r.IntN(4)])
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, 0.1, 1, -0.25, 2.5, math.MaxFloat32, -math.MaxFloat64, 5e-324, math.NaN(), math.Inf(1)}[min(r.IntN(40)/4, r.IntN(10))])
	case reflect.String:
		all := []string{"", "abc1", "7 x", "ü", "a", "celsius", "celsius", "kelvin", "summer", "\x00", "\"\\\u2028", "\xff"}
		v.SetString(all[min(r.IntN(200)/10, r.IntN(len(all)))])
	case reflect.Slice:
		if n := r.IntN(4) - depth/4; n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				r.fill(v.Index(i), depth+1)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			r.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.IntN(3) - depth/4 {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			r.fill(key, depth+1)
			r.fill(elem, depth+1)
			v.SetMapIndex(key, elem)
		}
	case reflect.Pointer:
		if depth < 8 && r.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			r.fill(v.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				r.fill(v.Field(i), depth+1)
			}
		}
	}
}

// fillOption makes a random wire.Option, by its UnmarshalJSON.
func (r *values) fillOption(v reflect.Value, depth int) {
	get, _ := v.Type().MethodByName("Get")
	of := reflect.New(get.Type.Out(0))
	r.fill(of.Elem(), depth+1)
	text, err := json.Marshal(of.Interface())
	if n := r.IntN(3); n == 0 {
		return
	} else if n == 1 || err != nil {
		text = []byte("null")
	}
	v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(text)
}

// special returns a value of a type that is not made of its parts, nil if it is.
func (r *values) special(t reflect.Type) any {
	pick := func(list ...any) any { return list[min(r.IntN(8*len(list))/4, r.IntN(len(list)))] }
	switch t {
	case reflect.TypeFor[time.Time]():
		return pick(time.Unix(r.Int64N(1e10), r.Int64N(1e9)).UTC(), time.Unix(0, 0).In(time.FixedZone("", 3600)), time.Time{},
			time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(0, 0).In(time.FixedZone("", 24*3600)), time.Unix(0, 0).In(time.FixedZone("", 1)))
	case reflect.TypeFor[time.Duration]():
		return time.Duration(r.Uint64() >> r.IntN(64))
	case reflect.TypeFor[url.URL]():
		return pick(url.URL{Scheme: "https", Host: "example.com", Path: "/a b"}, url.URL{Scheme: "urn", Opaque: "a:b"}, url.URL{}, url.URL{Path: "a"})
	case reflect.TypeFor[big.Int]():
		return *new(big.Int).Lsh(big.NewInt(r.Int64()-1<<62), uint(r.IntN(90)))
	case reflect.TypeFor[json.Number]():
		return pick(json.Number("0.5"), json.Number("1"), json.Number("0"), json.Number(""), json.Number("-2e400"), json.Number("x"), json.Number("01"))
	case reflect.TypeFor[json.RawMessage]():
		return pick(json.RawMessage(`{"a": 1}`), json.RawMessage(nil), json.RawMessage(` [1,2] `), json.RawMessage(`{`), json.RawMessage(`1 2`))
	case reflect.TypeFor[wire.Raw]():
		return pick(wire.Raw(`"a"`), wire.Raw(nil), wire.Raw(`tru`))
	case reflect.TypeFor[netip.Addr]():
		return pick(netip.MustParseAddr("::1"), netip.MustParseAddr("127.0.0.1"), netip.Addr{}, netip.MustParseAddr("fe80::1%eth0"))
	case reflect.TypeFor[any]():
		return pick(1, "a", []any{nil, 1.5}, map[string]any{"a": true}, Point{1, 2}, int8(3), math.Inf(1), func() {}, []byte("a"))
	case reflect.TypeFor[Shape]():
		return pick(Circle{0.5}, &Polygon{Corners: []Point{{1, 2}}, Inside: []Shape{Nothing{}}}, Nothing{}, &Circle{1}, (*Polygon)(nil))
	case reflect.TypeFor[Setting]():
		return pick(Preset("soft"), Volume(3), On(true), new(On), Preset("unknown"), (*Volume)(nil))
	case reflect.TypeFor[Event]():
		return pick(Click{}, &Key{1}, &Click{}, (*Key)(nil))
	}
	return nil
}
