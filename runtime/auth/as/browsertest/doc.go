// Package browsertest tests the pages of an authorization server in Chromium. It is a separate module, so that
// nothing else depends on the driver of the browser. Without Chromium, its tests are skipped.
//
//	go test .                      # in this folder
//	go test . -screenshots DIR     # the same, and keep pictures of the pages
package browsertest
