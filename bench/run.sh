#!/usr/bin/env bash
# Runs the comparison. All that it writes is in results/, the tables in results/RESULTS.md.
# usage: ./run.sh [step ...]   steps: build main startup sizes inproc codec published profiles table (default: all)
# environment: REPS (5), DUR (600ms), WARM (150ms), STARTS (60), PLAN, MINIS, BENCH (benchmarks of inproc), R (results)
set -euo pipefail
cd "$(dirname "$0")"
REPS=${REPS:-5} DUR=${DUR:-600ms} WARM=${WARM:-150ms} STARTS=${STARTS:-60} BENCH=${BENCH:-.} R=${R:-results}
# program:variant:workloads — add a peer by adding cmd/pb-NAME and a line here.
PLAN=${PLAN:-"
mcpgen:mcpgen:1,2,3-session,4,5
gosdk:gosdk:1,2,3-session,4,5
mcpgo:mcpgo:1,2,3-session,4,5
floor:floor:2,3-session,4-stdio,4-http,5
floor:floor-nobatch:2
floor:floor-scan:2
floor:floor-async:2
floor:floor-hijack:5
floor:floor-rawhttp:2
gosdk:gosdk-raw:2,4
mcpgo:mcpgo-validate:2
mcpgo:mcpgo-raw:4
"}
MINIS=${MINIS:-"mcpgen gosdk mcpgo floor floorhttp"}
SELF=$(go list -m)
mkdir -p "$R" bin profiles

step_build() {
  for d in cmd/*/; do go build -o "bin/$(basename "$d")" "./$d"; done
  for m in $MINIS; do
    go build -o "bin/mini-$m" "./mini/$m"
    go build -ldflags="-s -w" -o "bin/mini-$m-stripped" "./mini/$m"
  done
  {
    echo; echo "Machine: $(nproc) cores $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2), $(go version | cut -d' ' -f3,4); $(date -u +%F)."
    echo "Modules: $(go list -m -f '{{.Path}} {{.Version}}' github.com/modelcontextprotocol/go-sdk github.com/mark3labs/mcp-go github.com/go-json-experiment/json github.com/go-faster/jx github.com/segmentio/encoding | paste -sd'|' | sed 's/|/, /g')."
    echo "Medians of $REPS repetitions of $DUR each; ± is half the range."
  } > "$R/machine.md"
}

step_main() {
  rm -f "$R/main.jsonl" "$R/main.log"
  for rep in $(seq "$REPS"); do
    for line in $PLAN; do
      IFS=: read -r prog variant w <<<"$line"
      timeout 240 "bin/pb-$prog" -peer "$variant" -w "$w" -dur "$DUR" -warm "$WARM" -rep "$rep" -out "$R/main.jsonl" 2>>"$R/main.log" ||
        echo "rep $rep $variant: failed, see $R/main.log" >&2
    done
  done
}

step_startup() {
  args=(); for m in $MINIS; do args+=("$m=bin/mini-$m"); done
  timeout 300 bin/startup -n "$STARTS" "${args[@]}" > "$R/startup.jsonl"
}

# graph counts the modules that a server of its own would have in its module graph.
graph() {
  local t root=$PWD; t=$(mktemp -d); cp "mini/$1/main.go" go.sum "$t"
  ( cd "$t" && go mod init mini && go mod edit -replace="github.com/mcpgen/mcpgen=$root/.." \
      $(cd "$root" && go list -m -f '{{if not .Main}}{{if not .Indirect}}-require={{.Path}}@{{.Version}}{{end}}{{end}}' all) &&
    go mod tidy ) >/dev/null 2>&1 && echo $(( $(cd "$t" && go list -m all | wc -l) - 1 )) || echo –
  rm -rf "$t"
}

step_sizes() {
  {
    echo; echo "### 6. Binary size and dependencies of the minimal echo server"; echo
    echo "| server | plain MB | -s -w MB | net/http | non-stdlib packages linked | modules linked, its own included | modules in graph (go list -m all) | packages in all |"
    echo "|---|---:|---:|---|---:|---:|---:|---:|"
    for m in $MINIS; do
      a=$(stat -c %s "bin/mini-$m"); b=$(stat -c %s "bin/mini-$m-stripped")
      deps=$(go list -deps -f '{{.ImportPath}} {{if not .Standard}}{{with .Module}}{{.Path}}{{end}}{{end}}' "./mini/$m" | { grep -v "^$SELF/" || true; })
      h=no; grep -q '^net/http ' <<<"$deps" && h=yes
      p=$(awk 'NF == 2' <<<"$deps" | wc -l)
      l=$(awk 'NF == 2 {print $2}' <<<"$deps" | sort -u | wc -l)
      awk -v m="$m" -v a="$a" -v b="$b" -v h=$h -v p="$p" -v l="$l" -v g="$(graph "$m")" -v all="$(wc -l <<<"$deps")" \
        'BEGIN{printf "| %s | %.2f | %.2f | %s | %s | %s | %s | %s |\n", m, a/1e6, b/1e6, h, p, l, g, all}'
    done
  } > "$R/sizes.md"
}

step_inproc() { go test ./inproc -run '^$' -bench "$BENCH" -benchtime 300ms -count "$REPS" > "$R/inproc.txt"; }

step_codec() {
  go test ./codec -run '^$' -bench . -benchtime 100ms -count "$REPS" > "$R/codec.txt"
  GOEXPERIMENT=jsonv2 go test ./codec -run '^$' -bench 'Decode|Encode|Floor/.*/json.Valid|Envelope' -benchtime 100ms -count "$REPS" > "$R/codec-jsonv2.txt"
}

step_published() { go run ./published > "$R/published.md"; }

# step_profiles writes the CPU and allocation profiles of the servers to profiles/, and their tops to results/.
step_profiles() {
  for p in mcpgen gosdk mcpgo; do
    "bin/pb-$p" -w 1c,1d,2,4 -dur 100ms -warm 50ms -conc 8 -profile profiles -out /dev/null
  done
  : > "$R/profiles.md"
  for f in profiles/*.cpu.pprof; do
    [ -s "$f" ] || continue
    for sort in -flat -cum; do
      { echo; echo "#### $(basename "$f" .cpu.pprof) ${sort#-}"; echo '```'
        go tool pprof -top $sort -nodecount="${TOPN:-15}" "$f" 2>/dev/null | tail -n +4 | cut -c1-150
        echo '```'; } >> "$R/profiles.md"
    done
  done
}

step_table() { bin/table "$R" > "$R/RESULTS.md"; }

for s in ${*:-build main startup sizes inproc codec published profiles table}; do
  echo "== $s $(date +%T)" >&2
  "step_$s"
done
