package expand_test

import (
	"testing"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpgen/mcpgen/runtime/client/expand"
)

// TestURI compares with another implementation of RFC 6570, which has no characters beyond ASCII.
func TestURI(t *testing.T) {
	vars := map[string][]string{
		"x": {"1024"}, "empty": {""}, "path": {"/foo/bar"}, "hello": {"Hello World!"}, "half": {"50%"},
		"list": {"red", "green & blue", ""}, "one": {"red"}, "none": {},
	}
	values := make(uritemplate.Values)
	for name, list := range vars {
		if name == "list" {
			values.Set(name, uritemplate.List(list...))
		} else if len(list) == 1 {
			values.Set(name, uritemplate.String(list[0]))
		}
	}
	for _, operator := range []string{"", "+", "#", ".", "/", ";", "?", "&"} {
		for _, spec := range []string{"x", "empty", "path", "hello", "half", "list", "list*", "one*", "none", "undefined", "hello:3", "hello:100",
			"x,hello,empty", "undefined,x", "x,undefined,list*,empty", "none,undefined", "empty,empty"} {
			template := "a:b/%20c{" + operator + spec + "}/{x}"
			other, err := uritemplate.New(template)
			if err != nil {
				t.Fatal(template, err)
			}
			want, err := other.Expand(values)
			if err != nil {
				t.Fatal(template, err)
			}
			if got := expand.URI(template, vars); got != want {
				t.Errorf("%s: got %s, want %s", template, got, want)
			}
		}
	}
	for template, want := range map[string]string{
		"a:ü{v}":    "a:%C3%BC%C3%A9~%C3%BC",
		"a:{v:1}":   "a:%C3%A9",
		"a:{+v:9}":  "a:%C3%A9~%C3%BC",
		"a:{}":      "a:",
		"a:{+done}": "a:b%20c%25zz", // what is escaped stays as it is
		"a:{done}":  "a:b%2520c%25zz",
		"a:{v":      "a:%C3%A9~%C3%BC",
		"a:{v:-1}":  "a:%C3%A9~%C3%BC", // a server's mistake
		"a:{v:x}":   "a:%C3%A9~%C3%BC",
		"a:{n:19}":  "a:1234567890123456789",
		"a:{+g}":    "a:%250g%25g0%20%25a",
	} {
		if got := expand.URI(template, map[string][]string{"v": {"é~ü"}, "done": {"b%20c%zz"}, "n": {"12345678901234567890"}, "g": {"%0g%g0%20%a"}}); got != want {
			t.Errorf("%s: got %s, want %s", template, got, want)
		}
	}
}
