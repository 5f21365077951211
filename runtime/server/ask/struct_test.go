package ask

import (
	"encoding/json"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/forms"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type color string

type contact struct {
	Mail string `json:"mail" form:"format=email"`
}

// An everything has a field of each kind that a form can have.
type everything struct {
	contact
	Name    string     `json:"name" jsonschema:"as in the passport" form:"title='Full name' minlen=1 maxlen=80"`
	Color   color      `json:"color" form:"enum=red,'dark green',blue default='dark green'"`
	Tags    []color    `json:"tags,omitempty" form:"enum=a,b,c minlen=1 maxlen=2 default=a,b"`
	Age     uint8      `json:"age" form:"max=150"`
	Level   int        `json:"level" form:"optional"`
	Share   float64    `json:"share" form:"min=0 max=1 default=0.5"`
	News    *bool      `json:"news"`
	Agreed  bool       `json:"agreed" form:"default=false"`
	Day     time.Time  `json:"day" form:"format=date"`
	At      *time.Time `json:"at"`
	Address netip.Addr
	Skipped chan int `json:"-"`
	//lint:ignore U1000 what is not exported is no field of a form
	hidden int
}

// What a struct becomes.
//
// REQ ELIC-06, ELIC-08
func TestStruct(t *testing.T) {
	form, err := structOf(reflect.TypeFor[everything]())
	if err != nil {
		t.Fatal(err)
	}
	text, err := wire.Marshal(mcp.V2026_07_28, &form.schema)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{
		"mail":{"type":"string","format":"email"},
		"name":{"type":"string","title":"Full name","description":"as in the passport","minLength":1,"maxLength":80},
		"color":{"type":"string","enum":["red","dark green","blue"],"default":"dark green"},
		"tags":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["a","b","c"]},"default":["a","b"]},
		"age":{"type":"integer","minimum":0,"maximum":150},
		"level":{"type":"integer"},
		"share":{"type":"number","minimum":0,"maximum":1,"default":0.5},
		"news":{"type":"boolean"},
		"agreed":{"type":"boolean","default":false},
		"day":{"type":"string","format":"date"},
		"at":{"type":"string","format":"date-time"},
		"Address":{"type":"string"}},
		"required":["mail","name","age","day","Address"]}`
	if got := string(text); got != strings.NewReplacer("\n", "", "\t", "").Replace(want) {
		t.Errorf("got %s", got)
	}

	content := map[string]wire.Raw{
		"mail": wire.Raw(`"a@b.example"`), "name": wire.Raw(`"Ada"`), "color": wire.Raw(`"red"`), "tags": wire.Raw(`["c"]`), "age": wire.Raw(`3.6e1`),
		"level": wire.Raw(`-2.0`), "share": wire.Raw(`1`), "news": wire.Raw(`true`), "day": wire.Raw(`"2026-02-28"`),
		"at": wire.Raw(`"2026-02-28T10:00:00Z"`), "Address": wire.Raw(`"::1"`), "unknown": wire.Raw(`{}`),
	}
	if problems := forms.Check(&form.schema, content, false); problems != nil {
		t.Fatal(problems)
	}
	var got everything
	if err := form.decode(content, reflect.ValueOf(&got).Elem()); err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC)
	if diff := cmp.Diff(got, everything{
		contact: contact{"a@b.example"}, Name: "Ada", Color: "red", Tags: []color{"c"}, Age: 36, Level: -2, Share: 1, News: new(true),
		Day: day, At: new(day.Add(10 * time.Hour)), Address: netip.IPv6Loopback(),
	}, cmp.AllowUnexported(everything{}, contact{}), cmp.Comparer(func(a, b netip.Addr) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
}

// A Shade is a text that is embedded.
type Shade string

// A more has what is less usual.
type more struct {
	color //lint:ignore U1000 neither exported nor a struct, so it is no field of the form
	Shade
	time.Time
	netip.Addr
	Floor *int8      `json:"floor"`
	Big   uint64     `json:"big,omitzero"`
	Wide  int64      `json:"wide"`
	Mid   int32      `json:"mid" form:"min=-5"`
	Born  *time.Time `json:"born" jsonschema:"the day" form:"format=date title=Birthday default=2000-01-02"`
	Mail  string     `json:"mail" jsonschema:"yours" form:"format=email default=a@b.example"`
	Tags  []string   `jsonschema:"of it" form:"enum=a title=T"`
	Yes   bool       `json:",omitempty" jsonschema:"yes or no" form:"title=Y"`
	//lint:ignore SA5008 the name is a dash
	One   color   `json:"-," jsonschema:"one of them" form:"title=O enum=a"`
	Part  float32 `json:",omitempty" jsonschema:"of all" form:"title=P"`
	Count uint    `json:",omitempty"`
	Any   string  `json:",omitempty" form:"minlen=0"`
	Num   big.Int `json:",omitempty"` // which decodes both
}

func TestStructMore(t *testing.T) {
	form, err := structOf(reflect.TypeFor[more]())
	if err != nil {
		t.Fatal(err)
	}
	text, err := wire.Marshal(mcp.V2026_07_28, &form.schema)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{
		"Shade":{"type":"string"},
		"Time":{"type":"string","format":"date-time"},
		"Addr":{"type":"string"},
		"floor":{"type":"integer","minimum":-128,"maximum":127},
		"big":{"type":"integer","minimum":0},
		"wide":{"type":"integer"},
		"mid":{"type":"integer","minimum":-5,"maximum":2147483647},
		"born":{"type":"string","title":"Birthday","description":"the day","format":"date","default":"2000-01-02"},
		"mail":{"type":"string","description":"yours","format":"email","default":"a@b.example"},
		"Tags":{"type":"array","title":"T","description":"of it","items":{"type":"string","enum":["a"]}},
		"Yes":{"type":"boolean","title":"Y","description":"yes or no"},
		"-":{"type":"string","title":"O","description":"one of them","enum":["a"]},
		"Part":{"type":"number","title":"P","description":"of all"},
		"Count":{"type":"integer","minimum":0},
		"Any":{"type":"string","minLength":0},
		"Num":{"type":"string"}},
		"required":["Shade","Time","Addr","wide","mid","Tags","-"]}`
	if got := string(text); got != strings.NewReplacer("\n", "", "\t", "").Replace(want) {
		t.Errorf("got %s", got)
	}
	var got more
	if err := form.decode(map[string]wire.Raw{
		"Shade": wire.Raw(`"grey"`), "floor": wire.Raw(`-3.0`), "born": wire.Raw(`"2026-02-28"`), "big": wire.Raw(`18446744073709551615`),
		"wide": wire.Raw(`9007199254740993`), "mid": wire.Raw(`null`),
	}, reflect.ValueOf(&got).Elem()); err != nil {
		t.Fatal(err)
	}
	if got.Shade != "grey" || *got.Floor != -3 || !got.Born.Equal(time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC)) || got.Big != 1<<64-1 || got.Wide != 1<<53+1 {
		t.Errorf("got %+v", got)
	}
	if err := form.decode(map[string]wire.Raw{"wide": wire.Raw(`-9007199254740992.0`)}, reflect.ValueOf(&got).Elem()); err != nil || got.Wide != -1<<53 {
		t.Errorf("got %d, %v", got.Wide, err)
	}
}

// An own is a struct that decodes itself.
type own struct{ A int }

func (*own) UnmarshalJSON([]byte) error { return nil }

// A coded is a text that decodes itself.
type coded string

func (*coded) UnmarshalJSON([]byte) error { return nil }

// What is entered may be beyond what the type of a field can have.
func TestStructDecodeErrors(t *testing.T) {
	form, err := structOf(reflect.TypeFor[everything]())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, value, want string }{
		{"level", `9223372036854775808`, `form: "level": want a number of type int, got 9223372036854775808`},
		{"level", `1e300`, `form: "level": want a number of type int, got 1e300`},
		{"share", `1e999`, `form: "share": want a number of type float64, got 1e999`},
		{"at", `"today"`, `form: "at": want a date with a time, as in RFC 3339, got "today"`},
		{"day", `7`, `form: "day": json: cannot unmarshal number into Go value of type string`},
		{"day", `"today"`, `form: "day": parsing time "today" as "2006-01-02": cannot parse "today" as "2006"`},
		{"Address", `"here"`, `form: "Address": want the text of a netip.Addr, got "here"`},
	} {
		content := map[string]wire.Raw{test.name: wire.Raw(test.value)}
		if err := form.decode(content, reflect.ValueOf(new(everything)).Elem()); err == nil || err.Error() != test.want {
			t.Errorf("%s:\n got %v\nwant %s", test.name, err, test.want)
		}
	}
}

// What no form can have, and mistakes in tags.
func TestStructErrors(t *testing.T) {
	for _, test := range []struct {
		of   any
		want string
	}{
		{0, "int: want a struct, whose fields are those of the form"},
		{struct{ A struct{ B int } }{}, "field A: a form has texts, numbers, booleans, times and lists of choices; struct { B int } is none of them"},
		{struct{ own }{}, "field own: a form has texts, numbers, booleans, times and lists of choices; ask.own is none of them"},
		{struct {
			contact `json:"c"`
		}{}, "field contact: a form has texts, numbers, booleans, times and lists of choices; ask.contact is none of them"},
		{struct{ A []int }{}, "field A: a form has texts, numbers, booleans, times and lists of choices; []int is none of them"},
		{struct {
			A float64 `form:"min=-Inf"`
		}{}, `field A: form: min: want a number, got "-Inf"`},
		{struct {
			A float64 `form:"max=Inf"`
		}{}, `field A: form: max: want a number, got "Inf"`},
		{struct{ A coded }{}, "field A: a form has texts, numbers, booleans, times and lists of choices; ask.coded is none of them"},
		{struct{ A json.RawMessage }{}, "field A: a form has texts, numbers, booleans, times and lists of choices; json.RawMessage is none of them"},
		{struct {
			A float64 `form:"max=NaN"`
		}{}, `field A: form: max: want a number, got "NaN"`},
		{struct {
			A uint8 `form:"min=-1"`
		}{}, "field A: form: want bounds within those of uint8"},
		{struct {
			A string `form:"minlen=1.5"`
		}{}, `field A: form: minlen: want a count, got "1.5"`},
		{struct{ A url.URL }{}, "field A: a form has texts, numbers, booleans, times and lists of choices; url.URL is none of them"},
		{struct{ A time.Duration }{}, "field A: a form has texts, numbers, booleans, times and lists of choices; time.Duration is none of them"},
		{struct{ A map[string]string }{}, "field A: a form has texts, numbers, booleans, times and lists of choices; map[string]string is none of them"},
		{struct{ A []string }{}, "field A: a form has lists of choices only; which ones, the tag says: `form:\"enum=red,green\"`"},
		{struct {
			A int
			B int `json:"A"`
		}{}, `field B: the form has another property "A"`},
		{struct {
			A int `form:"minimum=1"`
		}{}, `field A: form: want one of default, enum, format, max, maxlen, min, minlen, optional, title, got "minimum"`},
		{struct {
			A int `form:"min=1 min=2"`
		}{}, "field A: form: min is given twice"},
		{struct {
			A int `form:"min"`
		}{}, "field A: form: want min=VALUE"},
		{struct {
			A int `form:"optional=yes"`
		}{}, "field A: form: want optional without a value"},
		{struct {
			A string `form:"title='Full name"`
		}{}, `field A: form: title: a quotation mark is missing after "Full name"`},
		{struct {
			A string `form:"min=1 max=2"`
		}{}, "field A: form: min, max: not for a field of type string"},
		{struct {
			A bool `form:"enum=true"`
		}{}, "field A: form: enum: not for a field of type bool"},
		{struct {
			A string `form:"enum=a,b maxlen=1"`
		}{}, "field A: form: maxlen: not for a field of type string"},
		{struct {
			A string `form:"enum=a,b default=c"`
		}{}, `field A: form: default: want one of ["a" "b"], got "c"`},
		{struct {
			A int `form:"max=3 default=4"`
		}{}, "field A: form: default: want at most 3, got 4"},
		{struct {
			A int8 `form:"max=300"`
		}{}, "field A: form: want bounds within those of int8"},
		{struct {
			A int `form:"min=0.5"`
		}{}, "field A: form: want integers, got 0.5"},
		{struct {
			A int `form:"min=x"`
		}{}, `field A: form: min: want a number, got "x"`},
		{struct {
			A string `form:"minlen=-1"`
		}{}, `field A: form: minlen: want a count, got "-1"`},
		{struct {
			A bool `form:"default=yes"`
		}{}, `field A: form: default: want true or false, got "yes"`},
		{struct {
			A string `form:"format=ipv4"`
		}{}, `field A: form: format: want email, uri, date or date-time, got "ipv4"`},
		{struct {
			A time.Time `form:"format=email"`
		}{}, `field A: form: format: want date or date-time for a time, got "email"`},
	} {
		typ := reflect.TypeOf(test.of)
		if _, err := structOf(typ); err == nil || strings.TrimPrefix(err.Error(), typ.String()+": ") != strings.TrimPrefix(test.want, "int: ") {
			t.Errorf("%v:\n got %v\nwant %s", typ, err, test.want)
		}
	}
}
