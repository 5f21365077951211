package config_test

import (
	"errors"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/config"
)

type unit string

type settings struct {
	Key     string
	Unit    unit
	Retries int
	Wait    time.Duration
	Factor  float64
	Verbose bool
}

// bind reads settings from a command line and an environment, and returns what was printed, too.
func bind(args []string, env map[string]string) (s settings, printed string, err error) {
	var out strings.Builder
	flags := flag.NewFlagSet("weather", flag.ContinueOnError)
	flags.SetOutput(&out)
	check := config.Bind(flags, func(name string) string { return env[name] },
		config.Setting{Value: config.String(&s.Key), Env: "KEY", Usage: "the key", Secret: true, Required: true},
		config.Setting{Value: config.String(&s.Unit), Env: "UNIT", Flag: "unit", Usage: "the unit", Default: "celsius", Enum: []string{"celsius", "fahrenheit"}},
		config.Setting{Value: config.Int(&s.Retries), Env: "RETRIES", Default: "3", Usage: "how often to try"},
		config.Setting{Value: config.Duration(&s.Wait), Flag: "wait", Default: "1s"},
		config.Setting{Value: config.Float(&s.Factor), Env: "FACTOR", Flag: "factor"},
		config.Setting{Value: config.Bool(&s.Verbose), Env: "VERBOSE", Flag: "verbose"},
	)
	if err := flags.Parse(args); err != nil {
		return s, out.String(), err
	}
	return s, out.String(), check()
}

func TestBind(t *testing.T) {
	for _, test := range []struct {
		name string
		args string
		env  map[string]string
		want settings
		err  string
	}{
		{
			name: "defaults", env: map[string]string{"KEY": "k"},
			want: settings{Key: "k", Unit: "celsius", Retries: 3, Wait: time.Second},
		},
		{
			name: "environment", env: map[string]string{"KEY": "k", "UNIT": "fahrenheit", "RETRIES": "5", "FACTOR": "1.5", "VERBOSE": "true"},
			want: settings{Key: "k", Unit: "fahrenheit", Retries: 5, Wait: time.Second, Factor: 1.5, Verbose: true},
		},
		{
			name: "flags win, over mistakes, too", args: "-unit celsius -wait 2m -factor 2 -verbose", env: map[string]string{"KEY": "k", "UNIT": "kelvin", "FACTOR": "x"},
			want: settings{Key: "k", Unit: "celsius", Retries: 3, Wait: 2 * time.Minute, Factor: 2, Verbose: true},
		},
		{
			name: "empty is not set", env: map[string]string{"KEY": "", "RETRIES": ""},
			err: "$KEY is required and not set: the key",
		},
		{
			name: "all mistakes at once", env: map[string]string{"UNIT": "kelvin", "RETRIES": "many", "VERBOSE": "perhaps"},
			err: "$KEY is required and not set: the key\n" +
				"the variable UNIT is \"kelvin\": want one of celsius, fahrenheit\n" +
				"the variable RETRIES is \"many\": want an integer\n" +
				"the variable VERBOSE is \"perhaps\": want true or false",
		},
		{
			name: "a wrong flag", args: "-unit kelvin", env: map[string]string{"KEY": "k"},
			err: `invalid value "kelvin" for flag -unit: want one of celsius, fahrenheit`,
		},
		{
			name: "a wrong duration", args: "-wait 3", env: map[string]string{"KEY": "k"},
			err: `invalid value "3" for flag -wait: want a duration, such as 1m30s`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, _, err := bind(strings.Fields(test.args), test.env)
			if test.err != "" {
				if err == nil || err.Error() != test.err {
					t.Fatalf("got %v, want %s", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestHelp shows all settings, whatever the environment says, and the value of no variable.
func TestHelp(t *testing.T) {
	_, got, err := bind([]string{"-help"}, map[string]string{"KEY": "hunter2", "UNIT": "kelvin"})
	if !errors.Is(err, flag.ErrHelp) {
		t.Fatalf("got %v, want flag.ErrHelp", err)
	}
	want := `Usage of weather:
  -factor value
    	(also $FACTOR) (default 0)
  -unit value
    	the unit (one of celsius, fahrenheit; also $UNIT) (default celsius)
  -verbose
    	(also $VERBOSE) (default false)
  -wait value
    	 (default 1s)
  $KEY
    	the key (required; secret)
  $RETRIES
    	how often to try (default 3)
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestSecret does not quote the value of a secret that is wrong.
func TestSecret(t *testing.T) {
	var pin int
	check := config.Bind(flag.NewFlagSet("", flag.ContinueOnError), func(string) string { return "hunter2" },
		config.Setting{Value: config.Int(&pin), Env: "PIN", Secret: true})
	if err := check(); err == nil || err.Error() != "the variable PIN: want an integer" {
		t.Errorf("got %v", err)
	}
}
