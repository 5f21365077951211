// Package corpus has functions of the standard library and of modules that this one uses, as they
// are: each has the signature that it has at home, and one line more. What becomes of each is in
// testdata/corpus.txt, and so is what is wrong with those in testdata/refused.
package corpus

//go:generate go tool mcpgen tools

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"math"
	"math/big"
	"math/bits"
	"mime"
	"net"
	"net/http"
	"net/mail"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"golang.org/x/text/language"
)

//mcp:tool
func Fields(s string) []string { return strings.Fields(s) }

//mcp:tool
func Cut(s, sep string) (before, after string, found bool) { return strings.Cut(s, sep) }

//mcp:tool
func ToUpper(s string) string { return strings.ToUpper(s) }

//mcp:tool
func ParseInt(s string, base int, bitSize int) (i int64, err error) {
	return strconv.ParseInt(s, base, bitSize)
}

//mcp:tool
func AppendInt(dst []byte, i int64, base int) []byte { return strconv.AppendInt(dst, i, base) }

//mcp:tool
func Hypot(p, q float64) float64 { return math.Hypot(p, q) }

//mcp:tool
func Modf(f float64) (int float64, frac float64) { return math.Modf(f) }

//mcp:tool
func Add64(x, y, carry uint64) (sum, carryOut uint64) { return bits.Add64(x, y, carry) }

//mcp:tool
func Exp(z, x, y, m *big.Int) *big.Int { return z.Exp(x, y, m) }

//mcp:tool
func NewFloat(x float64) *big.Float { return big.NewFloat(x) }

//mcp:tool
func Join(elem ...string) string { return path.Join(elem...) }

//mcp:tool
func Match(pattern, name string) (matched bool, err error) { return path.Match(pattern, name) }

//mcp:tool
func SplitHostPort(hostport string) (host, port string, err error) {
	return net.SplitHostPort(hostport)
}

//mcp:tool
func LookupPort(ctx context.Context, network, service string) (port int, err error) {
	return net.DefaultResolver.LookupPort(ctx, network, service)
}

//mcp:tool
func ParseIP(s string) net.IP { return net.ParseIP(s) }

//mcp:tool
func Contains(p netip.Prefix, ip netip.Addr) bool { return p.Contains(ip) }

//mcp:tool
func ResolveReference(u *url.URL, ref *url.URL) *url.URL { return u.ResolveReference(ref) }

//mcp:tool
func ParseQuery(query string) (url.Values, error) { return url.ParseQuery(query) }

//mcp:tool
func ParseDuration(s string) (time.Duration, error) { return time.ParseDuration(s) }

//mcp:tool
func Truncate(t time.Time, d time.Duration) time.Time { return t.Truncate(d) }

//mcp:tool
func Date(t time.Time) (year int, month time.Month, day int) { return t.Date() }

//mcp:tool
func FindAllString(re *regexp.Regexp, s string, n int) []string { return re.FindAllString(s, n) }

//mcp:tool
func Valid(data []byte) bool { return json.Valid(data) }

//mcp:tool
func Marshal(v any) ([]byte, error) { return json.Marshal(v) }

//mcp:tool
func DecodeString(s string) ([]byte, error) { return hex.DecodeString(s) }

//mcp:tool
func Sum256(data []byte) [sha256.Size]byte { return sha256.Sum256(data) }

//mcp:tool
func Sprintf(format string, a ...any) string { return fmt.Sprintf(format, a...) }

//mcp:tool
func Set(name, value string) error { return flag.Set(name, value) }

//mcp:tool
func ParseMediaType(v string) (mediatype string, params map[string]string, err error) {
	return mime.ParseMediaType(v)
}

//mcp:tool
func ParseAddress(address string) (*mail.Address, error) { return mail.ParseAddress(address) }

//mcp:tool
func Rect(x0, y0, x1, y1 int) image.Rectangle { return image.Rect(x0, y0, x1, y1) }

//mcp:tool
func StatusText(code int) string { return http.StatusText(code) }

//mcp:tool
func Ints(x []int) { sort.Ints(x) }

//mcp:tool instantiate=[]float64,float64
func Max[S ~[]E, E cmp.Ordered](x S) E { return slices.Max(x) }

//mcp:tool
func Unified(oldLabel, newLabel, old, new string) string {
	return udiff.Unified(oldLabel, newLabel, old, new)
}

//mcp:tool
func Parse(s string) (t language.Tag, err error) { return language.Parse(s) }
