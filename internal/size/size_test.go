package main

import "testing"

// TestBounds bounds the size of the runtime. Who exceeds a bound says in the change what is worth it.
func TestBounds(t *testing.T) {
	m, err := measure("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + m.table())
	bound := func(what string, got, most int) {
		t.Helper()
		if got == 0 || got > most {
			t.Errorf("%s: %d, want at most %d and not 0", what, got, most)
		}
	}
	bound("lines below runtime", m.library().code, 34_250) // a thousand of them toolsearch, which nothing imports that does not ask for it
	bound("lines of server", m.packages["runtime/server"].code, 5_000)
	bound("lines that a stdio server imports", m.imports["stdioserver"], 13_950)
	bound("lines that an HTTP server imports", m.imports["httpserver"], 16_950)
	bound("lines that a stdio client imports", m.imports["stdioclient"], 9_500)
	bound("lines that an HTTP client imports", m.imports["httpclient"], 9_700)
	bound("fields of options", m.fields(), 75)
	bound("types of middleware", len(m.middleware), 3)
}

func TestWrite(t *testing.T) {
	got, err := write("a\n"+begin+"old\n"+end+"b\n", "new\n")
	if want := "a\n" + begin + "new\n" + end + "b\n"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if _, err := write("a\n"+begin+"old\n", "new\n"); err == nil {
		t.Error("a document without the second mark: want an error")
	}
}
