// Command startup measures the time from exec to the first initialize response
// over stdio of the programs given as name=path, interleaved.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/mcpgen/mcpgen/bench/harness"
)

func main() {
	n := flag.Int("n", 40, "starts of each program")
	flag.Parse()
	type sample struct{ wall, cpu, rss []float64 }
	samples := map[string]*sample{}
	for i := range *n + 2 { // two warm-up rounds
		for _, arg := range flag.Args() {
			name, path, _ := strings.Cut(arg, "=")
			wall, cpu, rss, err := start(path)
			if err != nil {
				log.Fatalf("%s: %v", name, err)
			}
			if i < 2 {
				continue
			}
			s := samples[name]
			if s == nil {
				s = &sample{}
				samples[name] = s
			}
			s.wall, s.cpu, s.rss = append(s.wall, wall), append(s.cpu, cpu), append(s.rss, rss)
		}
	}
	enc := json.NewEncoder(os.Stdout)
	for name, s := range samples {
		q := func(v []float64, f float64) float64 {
			slices.Sort(v)
			return v[int(f*float64(len(v)-1))]
		}
		_ = enc.Encode(harness.Record{Peer: name, Workload: "6", Case: "start-up", Rep: 1, M: map[string]float64{
			"first_ms": q(s.wall, .5), "first_ms_p10": q(s.wall, .1), "first_ms_p90": q(s.wall, .9),
			"cpu_ms": q(s.cpu, .5), "maxrss_mib": q(s.rss, .5),
		}})
	}
}

// start runs path once.
func start(path string) (wallMs, cpuMs, rssMiB float64, err error) {
	cmd := exec.Command(path)
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, 0, 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, 0, err
	}
	t0 := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, 0, err
	}
	kill := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	if _, err := io.WriteString(in, harness.InitializeLine+"\n"); err != nil {
		return 0, 0, 0, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	wall := time.Since(t0)
	if err != nil {
		return 0, 0, 0, err
	}
	if !strings.Contains(line, `"serverInfo"`) {
		return 0, 0, 0, fmt.Errorf("bad answer %.200s", line)
	}
	in.Close()
	_ = cmd.Wait()
	ru := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return float64(wall) / 1e6, float64(ru.Utime.Nano()+ru.Stime.Nano()) / 1e6, float64(ru.Maxrss) / 1024, nil
}
