package limits_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// apart are the packages in which nothing is shared: of a client, which has one server; of one connection or one value at a
// time; of what the fields below are made of; and for tests.
var apart = strings.Fields(`
	runtime/client runtime/tasks/taskclient runtime/skills/skillclient runtime/auth/authclient runtime/transport/httpclient
	runtime/internal/peer runtime/transport/stdio runtime/transport/inmem runtime/transport/internal/eventstream runtime/transport/internal/eventreader
	runtime/args runtime/args/jsonschema runtime/wire runtime/internal/decimal runtime/internal/forms runtime/internal/gotype runtime/internal/mcpheader runtime/internal/schema
	runtime/server/uritemplate runtime/internal/lru runtime/internal/share runtime/internal/rate runtime/internal/turns
	runtime/mcptest cluster/store/storetest runtime/transport/transporttest cluster/nats/internal`)

// holders are all places in other packages that may hold what somebody sent, by the test in which one sender takes until it
// is refused, or by the reason why there is none. They are fields, of a type or by name alone, and what functions make.
var holders = map[string]string{
	"runtime/server TestKeptIsBounded":                    "server Server.kept, Subscription.topics, Subscription.news, .bytes; tasks/taskserver runner.followed, Memory.watches; cluster/shared Tasks.watched",
	"runtime/tasks/taskserver TestTasksAreShared":         "tasks/taskserver taskRoom.all, Memory.all, .tasks, .running; cluster/shared Tasks.here",
	"runtime/tasks/taskserver TestTaskRequestsAreBounded": "tasks/taskserver taskRoom.owners",
	"runtime/server TestOnceInMemoryIsBounded":            "server OnceInMemory()",
	"runtime/limit TestConcurrency":                       "limit gate.turns.Gate, gates.all, .uses",
	"runtime/limit TestBucketsAreBounded":                 "limit buckets.rate, buckets()",
	"runtime/auth TestIntrospectionsAreShared":            "auth Introspector.flights; auth/internal/flights Group.gate, Group.calls, call.waits, .callers",
	"runtime/auth/dpop TestTooManyProofs":                 "auth/dpop Verifier.seen, NewVerifier()",
	"runtime/auth/as TestRoomIsShared":                    "auth/as Server.kept, kept.owners, kept.records, kept.order, keptOwner.records, .size; cluster/store Memory.groups, memoryGroup.records, .bytes",
	"runtime/auth/as TestMarksAreShared":                  "auth/as Server.used, New()",
	"runtime/auth/as TestFetchesAreShared":                "auth/as documents.fetches, documents.hosts",
	"runtime/auth/as TestLimiterIsBounded":                "auth/as Server.authorizations, Server.tokens, Server.registrations, Server.passwords, perMinute()",
	"runtime/transport/sse TestSessionsAreShared":         "transport/sse Handler.places, Handler.sessions",
	"runtime/transport/streamable TestRequestsAreBounded": "transport/internal/front Front.requests; transport/internal/outlet Outlets.parked; transport/streamable sessions.finding",
	"runtime/transport/streamable TestBodiesAreBounded":   "transport/internal/front Front.bodies",
	"runtime/transport/streamable TestPendingIsBounded":   "transport/streamable Handler.pending, .pending, .bytes",
	"runtime/transport/streamable TestSessionsGiveWay":    "transport/streamable sessions.all, sessions.owners, .count; cluster/shared Sessions.here; cluster/nats events.sessions",
	"runtime/transport/streamable TestEventsAreShared":    "transport/streamable memoryStore.owners, memoryStore.sessions, ownerEvents.events, sessionEvents.events, sessionEvents.streams",
	"cluster/nats TestPassedOnIsBounded":                  "cluster/nats node.exchanges, node.peers, .peers",
	"cluster/nats TestRoomIsShared":                       "cluster/nats kind.max",

	"a cache: what it loses is made anew, by what has shares":     "auth cache.kept; auth/as documents.kept; cluster/shared Sessions.holders; cluster/nats .served",
	"it belongs to one connection, session or task, which counts": "transport/sse newSession(); transport/streamable .streams, .users; server channel.ended, set.items; tasks/taskserver liveTask.asked, runner.waiters, .waiters; cluster/nats newExchange()",
	"it belongs to one request or message":                        "server inputState.arrived, inputState.keys, inputState.responses, inputState.results, sealedState.responses, sealedState.results, .waits; limit .waiting; transport/sse Handler.maxBatch; auth/internal/fetch guard.maxBody; toolsearch checker.steps, run.known",
	"the program makes it":                                        "server Server.logged, .filters, offer.completers, methods.notifications, methods.requests, methods.scoped, registry.items, registry.pages, .order, .items; auth JWTVerifier.sets, .paths; auth/as Server.clients; transport/streamable .legacy, abandonAll(); cluster/nats records.kinds, gathering.updated, openChanges(); server/ask .fields; skills/skillserver tree.byURI, tree.folders, .folders, .skills, .files; toolsearch index.postings, .postings, .names",
	"it has a few keys, and counts the rest together":             "observe Numbers.all, Numbers.now, .now; otel cache.values",
	"a client has it, for each server that it uses":               "auth/dpop Prover.nonces",
	"it counts what is kept elsewhere":                            "internal/inflight .n",
}

// Every place that may hold what somebody sent has a test of shares, or a reason why not.
func TestHoldersAreShared(t *testing.T) {
	found, listed, tests := findHolders(t), make(map[string]bool), sharedTests(t)
	for by, places := range holders {
		if strings.Contains(by, " Test") && !tests[by] {
			t.Errorf("%s does not call limits.Shared", by)
		}
		for part := range strings.SplitSeq(places, "; ") {
			dir, names, _ := strings.Cut(part, " ")
			if !strings.HasPrefix(dir, "cluster/") {
				dir = "runtime/" + dir
			}
			for name := range strings.SplitSeq(names, ", ") {
				if listed[dir+" "+name] {
					t.Errorf("%s %s is listed twice", dir, name)
				}
				listed[dir+" "+name] = true
			}
		}
	}
	for place := range found {
		if !listed[place] {
			t.Errorf("%s may hold what somebody sent: want it in holders, with a test that calls limits.Shared, or a reason", place)
		}
	}
	for place := range listed {
		if !found[place] {
			t.Errorf("%s is listed, but holds nothing any more", place)
		}
	}
}

// sharedTests returns the tests that call limits.Shared, or the same of a package below it.
func sharedTests(t *testing.T) map[string]bool {
	t.Helper()
	tests := make(map[string]bool)
	eachGo(t, "_test.go", func(dir string, file *ast.File) {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.Name.Name, "Test") {
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if name := types.ExprString(call.Fun); name == "limits.Shared" || name == "recordroom.Shared" {
						tests[dir+" "+f.Name.Name] = true
					}
				}
				return true
			})
		}
	})
	return tests
}

// findHolders returns the places in the code that may hold what somebody sent: fields that are maps, lists, or of the types
// of lru, share and flights, or are named max; what is both counted up and down; what is appended to; and channels with
// places.
func findHolders(t *testing.T) map[string]bool {
	t.Helper()
	found := make(map[string]bool)
	eachGo(t, ".go", func(dir string, file *ast.File) {
		if !slices.ContainsFunc(apart, func(a string) bool { return dir == a || strings.HasPrefix(dir, a+"/") }) {
			fileHolders(file, dir, found)
		}
	})
	return found
}

// eachGo calls f for the files of the runtime and its clusters whose names have that end: tests, or those that are none.
func eachGo(t *testing.T, end string, f func(dir string, file *ast.File)) {
	t.Helper()
	for _, dir := range []string{"runtime", "cluster"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || d.IsDir() && d.Name() != "testdata":
				return err
			case d.IsDir():
				return fs.SkipDir
			case !strings.HasSuffix(path, end) || end == ".go" && strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, filepath.Dir(path))
			f(filepath.ToSlash(name), file)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// fileHolders adds the places in a file.
func fileHolders(file *ast.File, dir string, found map[string]bool) {
	up, down := make(map[string]bool), make(map[string]bool)
	for _, decl := range file.Decls {
		in := "var"
		if f, ok := decl.(*ast.FuncDecl); ok {
			in = f.Name.Name
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok {
					for _, f := range structHolders(s) {
						found[dir+" "+n.Name.Name+"."+f] = true
					}
				}
			case *ast.IncDecStmt:
				mark(n.X, map[bool]map[string]bool{true: up, false: down}[n.Tok == token.INC])
			case *ast.AssignStmt:
				switch n.Tok {
				case token.ADD_ASSIGN:
					mark(n.Lhs[0], up)
				case token.SUB_ASSIGN:
					mark(n.Lhs[0], down)
				}
				if call, ok := n.Rhs[0].(*ast.CallExpr); ok && types.ExprString(call.Fun) == "append" &&
					types.ExprString(call.Args[0]) == types.ExprString(n.Lhs[0]) {
					mark(n.Lhs[0], up)
					mark(n.Lhs[0], down)
				}
			case *ast.CallExpr:
				switch s, ok := n.Fun.(*ast.SelectorExpr); {
				case ok && s.Sel.Name == "Add" && len(n.Args) == 1:
					if u, ok := n.Args[0].(*ast.UnaryExpr); ok && u.Op == token.SUB {
						mark(s.X, down)
					} else {
						mark(s.X, up)
					}
				case types.ExprString(n.Fun) == "share.NewSeen", types.ExprString(n.Fun) == "rate.New":
					found[dir+" "+in+"()"] = true
				case types.ExprString(n.Fun) == "make" && len(n.Args) == 2 && types.ExprString(n.Args[1]) != "1":
					if what := types.ExprString(n.Args[0]); strings.HasPrefix(what, "chan") {
						found[dir+" "+in+"()"] = true
					}
				}
			}
			return true
		})
	}
	for name := range up {
		if down[name] {
			found[dir+" ."+name] = true
		}
	}
}

// mark marks the field that an expression names, or an element of it.
func mark(x ast.Expr, marked map[string]bool) {
	if i, ok := x.(*ast.IndexExpr); ok {
		x = i.X
	}
	if s, ok := x.(*ast.SelectorExpr); ok && !s.Sel.IsExported() {
		marked[s.Sel.Name] = true
	}
}

// structHolders returns the unexported fields of a struct that may hold something.
func structHolders(s *ast.StructType) (names []string) {
	for _, f := range s.Fields.List {
		holds := false
		ast.Inspect(f.Type, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncType:
				return false
			case *ast.MapType:
				holds = true
			case *ast.SelectorExpr:
				switch types.ExprString(n) {
				case "lru.Map", "list.List", "sync.Map", "share.Room", "turns.Gate", "rate.Rate", "share.Seen", "flights.Group":
					holds = true
				}
			}
			return true
		})
		for _, name := range f.Names {
			if !name.IsExported() && (holds || strings.HasPrefix(name.Name, "max")) {
				names = append(names, name.Name)
			}
		}
		if len(f.Names) == 0 && holds {
			names = append(names, types.ExprString(f.Type))
		}
	}
	return names
}
