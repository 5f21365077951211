package elicit

import "testing"

// REQ SEC-16: a person is asked to visit pages of the web alone, at hosts that they can see.
func TestCheckVisit(t *testing.T) {
	for _, good := range []string{
		"https://example.com/a?b=c#d", "http://localhost:8080/", "http://127.0.0.1/", "https://xn--bcher-kva.example/",
		"https://XN--Bcher-kva.example/ä", "https://a_b.example/", "https://[2001:db8::1]:443/", "https://10.0.0.1/", "https://example.com.", "https://1.example/@x", "http://[::1]/",
	} {
		if err := checkVisit(good); err != nil {
			t.Errorf("%q %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "javascript:alert(1)", "file:///etc/passwd", "//example.com", "https:///x", "https:example.com", "https://:80/",
		"https://user:pw@x/", "https://bank.example@evil.example/", "https://@x/",
		"https://exa\u202emple.com/", "https://example.com/\u202efdp.exe", "https://ex\u00adample.com", "https://exa\u200bmple.com",
		"https://example.com/\x00", "https://example.com/\n", "https://example.com/a b", "https://example\u00a0.com/", "https://\xff.com/", "https://example.com/\u2028",
		"http://169.254.169.254/latest", "http://[fe80::1]/", "http://[fe80::1%25eth0]/", "http://[::ffff:169.254.169.254]/", "http://0.0.0.0/", "http://[::]/",
		"http://255.255.255.255/", "http://224.0.0.1/", "http://2852039166/", "http://0xa9fea9fe/", "http://0xa9.254.169.254/", "http://0251.0376.0251.0376/",
		"http://169.254.43518/", "http://169.254.169.254./", "http://.../",
		// Browsers look at hosts after they have mapped what is not ASCII.
		"https://bücher.example/", "http://１69.254.169.254/", "http://169。254。169。254/", "http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/", "http://169.254.169.254\ufe0f/", "http://169.254.169.254\u034f/",
		"http://169.254.169.%EF%BC%92%EF%BC%95%EF%BC%94/", "https://bank.example\u3164.evil.example/", "http://169.254.169.xn--254-/", "http://XN--169-.254.169.254/",
		"https://example.com/\u3164", "https://example.com/a\ufe0f", "https://a'b.example/", "https://a,b/",
		// Addresses of version 6 that stand for one of version 4.
		"http://[64:ff9b::a9fe:a9fe]/", "http://[64:ff9b:1::a9fe:a9fe]/", "http://[2002:a9fe:a9fe::]/", "http://[2002:a9fe:a9fe::%25x]/", "http://[2001:0:a9fe:a9fe::]/", "http://[::169.254.169.254]/",
		"http://[::ffff:127.0.0.1]/", "http://[::ffff:0:169.254.169.254]/", "http://[2001:db8::1%25eth0]/",
	} {
		if checkVisit(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	// What is no URL of the web is called that, whatever its host.
	for _, bad := range []string{"javascript://example.com/%0aalert(1)", "data://example.com/,x", "file://example.com/x", "vbscript://example.com", "ftp://example.com/", "https:///x", "http:example.com", "https://[", "://"} {
		if err := checkVisit(bad); err == nil || err.Error() != "is not a URL of https or http" {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}
