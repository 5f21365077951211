package constraint

import (
	"regexp"
	"testing"
)

// TestPatterns compares what translated patterns match with what ECMA-262 says.
func TestPatterns(t *testing.T) {
	for _, tt := range []struct {
		pattern         string
		matches, misses []string
	}{
		{`^.$`, []string{"a", "é", "\U0001F600", "\u0085"}, []string{"\n", "\r", "\u2028", "\u2029", "ab"}},
		{`^\s$`, []string{" ", "\v", "\u00a0", "\ufeff", "\u2003", "\u2029"}, []string{"\u200b", "\u0085", "a"}},
		{`^\S$`, []string{"\u200b", "\u0085", "a"}, []string{" ", "\v", "\u00a0", "\ufeff"}},
		{`^[^\s,]$`, []string{"a"}, []string{",", "\u00a0"}},
		{`^[\s-]$`, []string{"-", "\u00a0"}, []string{"a"}},
		{`^[.]$`, []string{"."}, []string{"a"}},
		{`^[a[]$`, []string{"a", "["}, []string{"]"}},
		{`^[\]\-\\^]$`, []string{"]", "-", `\`, "^"}, []string{"a"}},
		{`^\w\W\d\D$`, []string{"a-1x"}, []string{"é-1x"}},
		{`\bfoo\b`, []string{"a foo b"}, []string{"foobar"}},
		{`^(?:ab){2}(c|d)+?$`, []string{"ababc"}, []string{"abc"}},
		{`^(?<y>\d{4})$`, []string{"2026"}, []string{"26"}},
		{`^\p{Lu}\P{L}$`, []string{"Ä1"}, []string{"ä1"}},
		{`^\x41\t\/\.\{\}$`, []string{"A\t/.{}"}, nil},
		{`^\Sa\^\fb$`, []string{"xa^\fb"}, []string{" a^\fb"}},
		{`a$`, []string{"a"}, []string{"a\n"}},
		{``, []string{"", "x"}, nil},
	} {
		text, err := GoPattern(tt.pattern)
		if err != nil {
			t.Errorf("%s: %v", tt.pattern, err)
			continue
		}
		re := regexp.MustCompile(text)
		for _, s := range tt.matches {
			if !re.MatchString(s) {
				t.Errorf("%s, in Go %s, does not match %q", tt.pattern, text, s)
			}
		}
		for _, s := range tt.misses {
			if re.MatchString(s) {
				t.Errorf("%s, in Go %s, matches %q", tt.pattern, text, s)
			}
		}
	}
}

// TestPatternErrors refuses what Go and ECMA-262 do not share.
func TestPatternErrors(t *testing.T) {
	for pattern, want := range map[string]string{
		`(?i)a`:       "JavaScript has no flags such as (?i) inside a pattern; spell out both cases: [Aa]",
		`(?s:.)`:      "JavaScript has no flags such as (?i) inside a pattern; spell out both cases: [Aa]",
		`(?P<n>a)`:    "JavaScript writes (?<name>…) for (?P<name>…)",
		`(?=a)`:       "Go has no lookahead and no lookbehind",
		`(?!a)`:       "Go has no lookahead and no lookbehind",
		`(?<=a)`:      "Go has no lookahead and no lookbehind",
		`(?<n`:        "the pattern is not a regular expression: invalid named capture at (?<n",
		`\B+`:         "+ repeats what has no width",
		`(\s`:         `the pattern is not a regular expression: missing closing ) at (\s`,
		`(?<!a)`:      "Go has no lookahead and no lookbehind",
		`\Aa`:         `JavaScript writes ^ for \A`,
		`a\z`:         `JavaScript writes $ for \z`,
		`\Qa.b\E`:     `JavaScript has no \Q; escape each character`,
		`\a`:          `Go and JavaScript share no \a`,
		`\é`:          `Go and JavaScript share no \é`,
		`\x{41}`:      `JavaScript's \x has two hexadecimal digits; write the character itself`,
		`\u0041`:      `Go and JavaScript share no \u`,
		`\07`:         `\0 is a back reference or an octal number; Go has no back references, and JavaScript no octal numbers`,
		`\pL`:         `JavaScript writes \p{L} for \pL and \P{L} for \p{^L}`,
		`\p{^L}`:      `JavaScript writes \p{L} for \pL and \P{L} for \p{^L}`,
		`\p{Greek}`:   `Go and JavaScript share the general categories only, such as \p{L} or \p{Lu}, not \p{Greek}`,
		`\@`:          `JavaScript has no \@; write @ alone`,
		`[\@]`:        `JavaScript has no \@; write @ alone`,
		`[\S]`:        `\S cannot stand in brackets; write [^\s…] or an alternative`,
		`[[:alpha:]]`: "JavaScript has no classes such as [:alpha:]; write a-zA-Z",
		`[]a]`:        `a ] inside brackets is written \]`,
		`[\d-z]`:      `a - beside a class such as \d is written \-`,
		`[a-\d]`:      `a - beside a class such as \d is written \-`,
		`[a`:          "the pattern has a [ without its ]",
		`[z-a]`:       "the pattern is not a regular expression: invalid character class range at z-a",
		`a{,3}`:       `a { that is no count is written \{`,
		`a}`:          `a } of its own is written \}`,
		`a]`:          `a ] of its own is written \]`,
		`^*`:          "* repeats what has no width",
		`\b+`:         "+ repeats what has no width",
		`${2}`:        "{2} repeats what has no width",
		`a**`:         "the pattern is not a regular expression: invalid nested repetition operator at **",
		`a{2000}`:     "the pattern is not a regular expression: invalid repeat count at {2000}",
		`(`:           "the pattern is not a regular expression: missing closing ) at (",
		`a\`:          `a backslash at the end escapes nothing; write \\`,
		"\xff":        "the pattern is no UTF-8",
	} {
		if _, err := GoPattern(pattern); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", pattern, err, want)
		}
	}
}
