package client

import "testing"

// REQ SEC-16: a person is asked to visit pages of the web alone, at hosts that they can see.
func TestCheckVisit(t *testing.T) {
	for _, good := range []string{
		"https://example.com/a?b=c#d", "http://localhost:8080/", "http://127.0.0.1/", "https://xn--bcher-kva.example/",
		"https://bücher.example/ä", "https://[2001:db8::1]:443/", "https://10.0.0.1/", "https://example.com.", "https://1.example/@x",
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
	} {
		if checkVisit(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	// What is no URL of the web is called that, whatever its host.
	for _, bad := range []string{"javascript://example.com/%0aalert(1)", "data://example.com/,x", "file://example.com/x", "vbscript://example.com", "ftp://example.com/", "https:///x", "http:example.com", "https://[", "://"} {
		if err := checkVisit(bad); err == nil || err.Error() != "is no URL of https or http" {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}
