package toolset

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
)

// Flags declares flags that set t: -enable, -disable, -groups and -features, with values separated by commas,
// -read-only, and -toolset with the name of a file for [Selection.Load]. The names given by flags and by the file add
// up.
func (t *Selection) Flags(fs *flag.FlagSet) {
	list := func(name, usage string, to *[]string) {
		fs.Func(name, usage, func(value string) error {
			*to = append(*to, strings.Split(value, ",")...)
			return nil
		})
	}
	list("enable", "offer the tools with these `names`, whatever groups, features and -disable say", &t.Enable)
	list("disable", "do not offer the tools with these `names`", &t.Disable)
	list("groups", "of all `groups`, offer these only", &t.Groups)
	list("features", "offer these `features`, too", &t.Features)
	fs.BoolVar(&t.ReadOnly, "read-only", t.ReadOnly, "offer only tools that change nothing")
	fs.Func("toolset", "read a selection, and texts of tools, from a JSON `file`", t.Load)
}

// Load adds the contents of a file: a JSON object with the members groups, features, enable, disable, readOnly, and
// tools, an object that maps the names of tools to objects with title, description, and arguments, an object of
// descriptions by the names of arguments.
func (t *Selection) Load(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var more Selection
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&more); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	t.Groups = append(t.Groups, more.Groups...)
	t.Features = append(t.Features, more.Features...)
	t.Enable = append(t.Enable, more.Enable...)
	t.Disable = append(t.Disable, more.Disable...)
	t.ReadOnly = t.ReadOnly || more.ReadOnly
	for name, text := range more.Tools {
		if t.Tools == nil {
			t.Tools = make(map[string]Text)
		}
		t.Tools[name] = text
	}
	return nil
}
