package initd

import (
	"context"
	"math/rand"
	"os"
	"sync"
	"time"
)

const (
	firstDelay = 50 * time.Millisecond
	// mostDelay is short enough that a worker is registered again within two seconds after a supervisor is back.
	mostDelay = time.Second
)

// backoff is an exponential delay with jitter between attempts to connect.
type backoff struct {
	first, most time.Duration
	next        time.Duration
}

// wait sleeps for the next delay, or until ctx is done.
func (b *backoff) wait(ctx context.Context) error {
	timer := time.NewTimer(jittered(b.step()))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// step returns the delay before this attempt, without jitter, and doubles the delay of the next attempt.
func (b *backoff) step() time.Duration {
	if b.next == 0 {
		b.next = b.first
	}
	delay := b.next
	if b.next *= 2; b.next > b.most {
		b.next = b.most
	}
	return delay
}

var jitter = struct {
	sync.Mutex
	*rand.Rand
}{Rand: rand.New(rand.NewSource(time.Now().UnixNano() ^ int64(os.Getpid())<<32))}

// jittered is a random duration from half of delay up to delay, so clients don't all reconnect at once.
func jittered(delay time.Duration) time.Duration {
	jitter.Lock()
	defer jitter.Unlock()
	return delay/2 + time.Duration(jitter.Int63n(int64(delay/2)+1))
}
