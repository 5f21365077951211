package main

import (
	"math"
	"math/rand/v2"
	"time"
)

// Costs holds the processor time of single operations, of all instances or of all NATS servers together. TestScale
// of package chaos measures them, except for MessageNATS, RecordBytes and EventBytes, which are estimates.
type Costs struct {
	Call         time.Duration // a call at the instance that has the session
	Pass         time.Duration // passing a call on, in both instances together
	PassNATS     time.Duration // passing a call on, in NATS
	Append       time.Duration // storing an event, in the instance
	AppendNATS   time.Duration
	GetNATS      time.Duration // reading a record
	PutNATS      time.Duration // changing a record
	MessageNATS  time.Duration // a message that is not stored
	RecordBytes  int           // of a session in JetStream
	EventBytes   int           // of an event in JetStream
	MessagesPass int           // messages between processes for a call that is passed on
}

// A Load says what clients do.
type Load struct {
	Instances int
	Sessions  int
	Calls     float64 // of a session in a second, on average; a few sessions make most of them
	Streamed  float64 // the share of calls that have a stream, with Events
	Events    int     // stored for such a call
	Streams   float64 // the share of sessions with an open stream
	Life      time.Duration
	Sticky    bool // the load balancer sends the requests of a session to one instance
}

// Defaults and constants of the runtime.
const (
	leaseTTL    = 10 * time.Second // nats.Options.TTL
	sessionIdle = 30 * time.Minute // streamable.Options.SessionIdle
	maxHolders  = 10_000           // package cluster/nats
	pings       = 20 * time.Second // package cluster/nats
	keepAlive   = 25 * time.Second // streamable.Options.KeepAlive
)

// A Result is what happens in a second, on average, and what is stored.
type Result struct {
	Calls, Passed    float64
	Messages         float64       // between processes
	Appends          float64       // events
	Gets, Puts       float64       // records
	LookUps          float64       // of the reads, to find which instance has a session
	Watches          float64       // of the reads, to find out which instances are alive
	Refreshes        float64       // of the changes, so that records do not expire
	InstanceCores    float64       // of all instances
	NATSCores        float64       // of all NATS servers
	BusiestInstance  float64       // cores
	BusiestSession   float64       // calls
	Records          float64       // bytes of a replica
	EventsFill       time.Duration // until there are nats.Options.EventBytes, 1 GiB; 0 for never
	TakeOverCPU      time.Duration // of NATS, when an instance dies and all its sessions are used
	StreamsElsewhere float64       // streams that are passed on, and so take room in two instances
}

// Simulate simulates a load for a number of seconds.
func Simulate(l Load, c Costs, seconds int, seed uint64) Result {
	random := rand.New(rand.NewPCG(seed, 0))
	homes := make([]int32, l.Sessions)
	rates := make([]float64, l.Sessions) // running sums, to choose by
	sum := 0.0
	for i := range homes {
		homes[i] = int32(random.IntN(l.Instances))
		sum += activity(random)
		rates[i] = sum
	}
	holders := make([]map[int32]struct{}, l.Instances)
	for i := range holders {
		holders[i] = make(map[int32]struct{})
	}
	var r Result
	busy := make([]float64, l.Instances) // seconds
	used := make(map[int32]int)
	calls := int(float64(l.Sessions) * l.Calls * float64(seconds))
	for range calls {
		session := choose(rates, random.Float64()*sum)
		home := homes[session]
		at := int32(random.IntN(l.Instances))
		if l.Sticky {
			at = home
		}
		used[session]++
		busy[home] += c.Call.Seconds()
		if random.Float64() < l.Streamed {
			r.Appends += float64(l.Events)
			busy[home] += float64(l.Events) * c.Append.Seconds()
		}
		if at == home {
			continue
		}
		r.Passed++
		busy[at] += c.Pass.Seconds() / 2
		busy[home] += c.Pass.Seconds() / 2
		if _, known := holders[at][session]; !known {
			r.LookUps += 2 // the session and the lease
			if len(holders[at]) >= maxHolders {
				clear(holders[at])
			}
			holders[at][session] = struct{}{}
		}
	}
	per := 1 / float64(seconds)
	r.Calls, r.Passed, r.Appends, r.LookUps = float64(calls)*per, r.Passed*per, r.Appends*per, r.LookUps*per
	for _, n := range used {
		r.BusiestSession = max(r.BusiestSession, float64(n)*per)
	}
	for _, s := range busy {
		r.InstanceCores += s * per
		r.BusiestInstance = max(r.BusiestInstance, s*per)
	}
	l.rest(&r, c)
	return r
}

// rest adds what does not depend on chance.
func (l Load) rest(r *Result, c Costs) {
	n, sessions := float64(l.Instances), float64(l.Sessions)
	if !l.Sticky {
		r.StreamsElsewhere = sessions * l.Streams * (n - 1) / n
	}
	r.Messages = r.Passed*float64(c.MessagesPass) + r.StreamsElsewhere*(1/pings.Seconds()+1/keepAlive.Seconds())
	if !l.Sticky && r.StreamsElsewhere > n*n { // every instance has a stream open with every other
		r.Watches = n * (n - 1) / (leaseTTL.Seconds() / 4)
	}
	r.Gets = r.LookUps + r.Watches
	r.Refreshes = sessions / (sessionIdle.Seconds() / 2)
	begun := sessions / l.Life.Seconds()
	r.Puts = r.Refreshes + 3*begun + n/(leaseTTL.Seconds()/3) // open, initialized, end
	r.NATSCores = r.Passed*c.PassNATS.Seconds() + r.Appends*c.AppendNATS.Seconds() + r.Gets*c.GetNATS.Seconds() + r.Puts*c.PutNATS.Seconds() +
		(r.Messages-r.Passed*float64(c.MessagesPass))*c.MessageNATS.Seconds()
	r.Records = sessions * float64(c.RecordBytes)
	if rate := r.Appends * float64(c.EventBytes); rate*time.Hour.Seconds() > 1<<30 {
		r.EventsFill = time.Duration(float64(1<<30) / rate * float64(time.Second))
	}
	const gets, puts, appends = 4, 1, 1 // gets: the session, its lease, its last event, its last takeover
	r.TakeOverCPU = time.Duration(sessions / n * float64(gets*c.GetNATS+puts*c.PutNATS+appends*c.AppendNATS))
}

// activity returns how busy a session is, compared with others: the busiest hundredth makes a third of all calls.
func activity(random *rand.Rand) float64 {
	return min(math.Pow(1-random.Float64(), -1/1.3), 1000)
}

// choose returns the index of the first sum that is greater than at.
func choose(sums []float64, at float64) int32 {
	low, high := 0, len(sums)-1
	for low < high {
		if middle := (low + high) / 2; sums[middle] > at {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return int32(low)
}
