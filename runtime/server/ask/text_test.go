package ask

import (
	"reflect"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A shade is a number for programs, and a text for people.
type shade int

func (s *shade) UnmarshalText(text []byte) error {
	*s = shade(len(text))
	return nil
}

// A text is not read as a number, although the type that reads it is one; and no number is rounded.
func TestTextOfNumbers(t *testing.T) {
	type sent struct {
		Shade shade `json:"shade"`
		Level int   `json:"level"`
	}
	form, err := structOf(reflect.TypeFor[sent]())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`"red"`, `"a.b"`, `"1e3"`} {
		var got sent
		if err := form.decode(map[string]wire.Raw{"shade": wire.Raw(text), "level": wire.Raw("3.0e1")}, reflect.ValueOf(&got).Elem()); err != nil || got != (sent{3, 30}) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	var got sent
	if err := form.decode(map[string]wire.Raw{"level": wire.Raw("1.5")}, reflect.ValueOf(&got).Elem()); err == nil {
		t.Errorf("1.5 is %d", got.Level)
	}
}
