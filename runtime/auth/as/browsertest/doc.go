// Package browsertest tests the pages of an authorization server in Chromium. It is a module of its own, so that
// nobody else depends on what drives a browser. Where there is no Chromium, its tests are skipped.
//
//	go test .                      # in this folder
//	go test . -screenshots DIR     # the same, and keep pictures of the pages
package browsertest
