// Package refused has functions that are no tools as they are.
package refused

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"maps"
	"math/cmplx"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"
)

//mcp:tool
func ReadAll(r io.Reader) ([]byte, error) { return io.ReadAll(r) }

//mcp:tool
func Copy(dst io.Writer, src io.Reader) (written int64, err error) { return io.Copy(dst, src) }

//mcp:tool
func Map(mapping func(rune) rune, s string) string { return strings.Map(mapping, s) }

//mcp:tool
func SplitSeq(s, sep string) iter.Seq[string] { return strings.SplitSeq(s, sep) }

//mcp:tool
func Keys[M ~map[K]V, K comparable, V any](m M) iter.Seq[K] { return maps.Keys(m) }

//mcp:tool
func Index[S ~[]E, E comparable](s S, v E) int { return slices.Index(s, v) }

//mcp:tool
func Slice(x any, less func(i, j int) bool) { sort.Slice(x, less) }

//mcp:tool
func WalkDir(root string, fn fs.WalkDirFunc) error { return filepath.WalkDir(root, fn) }

//mcp:tool
func Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

//mcp:tool
func After(d time.Duration) <-chan time.Time { return time.After(d) }

//mcp:tool
func Date(year int, month time.Month, day, hour, min, sec, nsec int, loc *time.Location) time.Time {
	return time.Date(year, month, day, hour, min, sec, nsec, loc)
}

//mcp:tool
func Abs(x complex128) float64 { return cmplx.Abs(x) }

//mcp:tool
func DecodeRuneInString(s string) (rune, int) { return utf8.DecodeRuneInString(s) }

//mcp:tool
func ParseCIDR(s string) (net.IP, *net.IPNet, error) { return net.ParseCIDR(s) }

//mcp:tool
func Is(err, target error) bool { return errors.Is(err, target) }

//mcp:tool
func Get(url string) (resp *http.Response, err error) { return http.Get(url) }

//mcp:tool
func NewScanner(r io.Reader) *bufio.Scanner { return bufio.NewScanner(r) }

//mcp:tool
func WithTimeout(parent context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(parent, timeout)
}

//mcp:tool
func TypeOf(i any) reflect.Type { return reflect.TypeOf(i) }

//mcp:tool
func Caller(skip int) (pc uintptr, file string, line int, ok bool) { return runtime.Caller(skip) }

//mcp:tool
func NewReader(s string) *strings.Reader { return strings.NewReader(s) }

//mcp:tool
func Diff(x, y interface{}, opts ...gocmp.Option) string { return gocmp.Diff(x, y, opts...) }
