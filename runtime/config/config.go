// Package config reads the configuration of a program from flags and environment variables. Generated code calls it, for
// structs that the directive //mcp:config annotates.
package config

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Setting is one value of a configuration. A flag wins over the variable, and the variable over the default. A variable
// that is empty counts as not set, since clients pass one for what their users leave empty.
type Setting struct {
	Value    flag.Value // where it is kept
	Env      string     // the environment variable; empty if there is none
	Flag     string     // without a dash; empty if there is none
	Usage    string     // what it is, for people
	Default  string     // empty: the zero value
	Enum     []string   // the values allowed; nil: all
	Secret   bool       // its value is never shown
	Required bool       // it must be set
}

// Bind sets the settings from defaults and from getenv, defines their flags, and adds the variables to the usage of flags.
// It reports no errors itself, so that -help works however the program is configured: after flags have been parsed, check
// returns all that is wrong with what no flag has replaced, and all that is required and not set.
//
// Like [flag.FlagSet.Var], it panics if a flag is defined twice.
func Bind(flags *flag.FlagSet, getenv func(string) string, settings ...Setting) (check func() error) {
	bound := make([]*boundSetting, len(settings))
	for i, s := range settings {
		b := &boundSetting{Setting: s}
		bound[i] = b
		if s.Default != "" {
			b.err = b.setFrom("the default", s.Default)
		}
		// Flags show as their default what they are set to now: the environment is not part of it.
		if s.Flag != "" {
			flags.Var(flagValue{b}, s.Flag, b.usage())
		}
		if s.Env == "" {
			continue
		}
		if text := getenv(s.Env); text != "" {
			b.given, b.err = true, b.setFrom("the variable "+s.Env, text)
		}
	}
	usage := flags.Usage
	if usage == nil { // not of flag.NewFlagSet
		usage = flags.PrintDefaults
	}
	flags.Usage = func() {
		usage()
		for _, b := range bound {
			if b.Env != "" && b.Flag == "" {
				fmt.Fprintf(flags.Output(), "  $%s\n    \t%s\n", b.Env, b.usage())
			}
		}
	}
	return func() error {
		var all []error
		for _, b := range bound {
			if b.err == nil && b.Required && !b.given {
				b.err = fmt.Errorf("%s is required and not set%s", b.name(), about(b.Usage))
			}
			all = append(all, b.err)
		}
		return errors.Join(all...)
	}
}

// A boundSetting is a setting of a program that runs.
type boundSetting struct {
	Setting
	given bool  // by a flag, or by the environment
	err   error // of the source that counts
}

// set sets the value, if it is one of those allowed.
func (b *boundSetting) set(text string) error {
	if b.Enum != nil && !slices.Contains(b.Enum, text) {
		return fmt.Errorf("want one of %s", strings.Join(b.Enum, ", "))
	}
	return b.Value.Set(text)
}

// setFrom sets the value. The error says where the text is from, and quotes it unless it is secret.
func (b *boundSetting) setFrom(source, text string) error {
	err := b.set(text)
	switch {
	case err == nil:
		return nil
	case b.Secret:
		return fmt.Errorf("%s: %w", source, err)
	}
	return fmt.Errorf("%s is %q: %w", source, text, err)
}

// name names the setting as people set it: "$KEY", "-key", or "-key or $KEY".
func (b *boundSetting) name() string {
	switch {
	case b.Flag == "":
		return "$" + b.Env
	case b.Env == "":
		return "-" + b.Flag
	}
	return "-" + b.Flag + " or $" + b.Env
}

// usage says in one line what the setting is, and how else it is set.
func (b *boundSetting) usage() string {
	var notes []string
	if b.Enum != nil {
		notes = append(notes, "one of "+strings.Join(b.Enum, ", "))
	}
	if b.Required {
		notes = append(notes, "required")
	}
	if b.Secret {
		notes = append(notes, "secret")
	}
	switch {
	case b.Flag != "" && b.Env != "":
		notes = append(notes, "also $"+b.Env)
	case b.Flag == "" && b.Default != "":
		notes = append(notes, "default "+b.Default)
	}
	text := b.Usage
	if len(notes) > 0 {
		text = strings.TrimPrefix(text+" ("+strings.Join(notes, "; ")+")", " ")
	}
	return text
}

func about(usage string) string {
	if usage == "" {
		return ""
	}
	return ": " + usage
}

// A flagValue sets a setting by a flag.
type flagValue struct{ *boundSetting }

// String returns the value; package flag also calls it on the zero flagValue.
func (f flagValue) String() string {
	if f.boundSetting == nil {
		return ""
	}
	return f.Value.String()
}

// Set replaces whatever the environment has said, mistakes included.
func (f flagValue) Set(text string) error {
	f.given, f.err = true, nil
	return f.set(text)
}

// IsBoolFlag reports whether -name alone means true.
func (f flagValue) IsBoolFlag() bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// A value is a variable that a text can set.
type value[T any] struct {
	p     *T
	parse func(string) (T, error)
}

func (v value[T]) Set(text string) error {
	x, err := v.parse(text)
	if err == nil {
		*v.p = x
	}
	return err
}

func (v value[T]) String() string { return fmt.Sprint(*v.p) }

// IsBoolFlag reports whether the variable is a bool.
func (v value[T]) IsBoolFlag() bool {
	_, ok := any(v).(value[bool])
	return ok
}

// String returns the value of a string.
func String[T ~string](p *T) flag.Value {
	return value[T]{p, func(s string) (T, error) { return T(s), nil }}
}

// Bool returns the value of a bool.
func Bool(p *bool) flag.Value {
	return value[bool]{p, func(s string) (bool, error) {
		b, err := strconv.ParseBool(s)
		return b, want(err, "true or false")
	}}
}

// Int returns the value of an int.
func Int[T ~int](p *T) flag.Value {
	return value[T]{p, func(s string) (T, error) {
		i, err := strconv.Atoi(s)
		return T(i), want(err, "an integer")
	}}
}

// Float returns the value of a float64.
func Float[T ~float64](p *T) flag.Value {
	return value[T]{p, func(s string) (T, error) {
		f, err := strconv.ParseFloat(s, 64)
		return T(f), want(err, "a number")
	}}
}

// Duration returns the value of a time.Duration.
func Duration(p *time.Duration) flag.Value {
	return value[time.Duration]{p, func(s string) (time.Duration, error) {
		d, err := time.ParseDuration(s)
		return d, want(err, "a duration, such as 1m30s")
	}}
}

// want returns an error that says what would be right, if there is an error at all. It does not quote what is wrong, which
// may be secret.
func want(err error, what string) error {
	if err == nil {
		return nil
	}
	return errors.New("want " + what)
}
