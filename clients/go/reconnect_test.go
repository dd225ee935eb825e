package initd

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

func TestALostConnectionCancelsTheRunsAndThenRegistersAgain(t *testing.T) {
	var stopped atomic.Bool
	reasons := make(chan Reason, 1)
	losses := make(chan error, 1)
	registered := make(chan struct{}, 2)
	finish, early := make(chan struct{}), make(chan struct{})
	w := worker(fake(t,
		func(p *fakePeer) {
			p.begin()
			p.run(1, "a", nil)
			<-registered
		},
		func(p *fakePeer) {
			if !stopped.Load() {
				close(early)
			}
			p.begin()
			p.run(1, "a", object{"attempt": 2})
			p.expectResult(1, object{})
			p.reply("unregister", object{})
			p.expectEnd()
		},
	))
	answered := make(chan int, 1)
	w.Handle(Initializer{Name: "a"}, func(ctx context.Context, run *Run) (any, error) {
		if run.Attempt == 2 {
			return nil, nil
		}
		<-ctx.Done()
		reasons <- run.CancelReason()
		<-finish
		stopped.Store(true)
		return nil, nil
	})
	w.options.OnRegister = func() { registered <- struct{}{} }
	w.options.OnLost = func(err error) { losses <- err }
	w.options.OnAnswer = func(run *Run, _ error) { answered <- run.Attempt }
	stop, result := running(t, w)
	if err := soon(t, losses); !errors.Is(err, ErrConnectionLost) {
		t.Errorf("lost: %v", err)
	}
	if reason := soon(t, reasons); reason != ReasonLost {
		t.Errorf("the reason is %q", reason)
	}
	select {
	case <-early:
		t.Error("it connected before its run had stopped")
	case <-time.After(20 * w.options.backoff.most):
	}
	close(finish)
	soon(t, registered)
	if attempt := soon(t, answered); attempt != 2 {
		t.Errorf("attempt %d was answered", attempt)
	}
	stop()
	if err := soon(t, result); err != nil {
		t.Error(err)
	}
}

func TestATakenNameIsRetriedOnlyAfterALoss(t *testing.T) {
	conflict := func(p *fakePeer) {
		p.greet()
		p.refuse("register", -32002, "a has a live provider", object{"code": "nameConflict"})
	}
	w := worker(fake(t, conflict))
	w.Handle(Initializer{Name: "a"}, nothing)
	if err := w.Run(within(t)); !errors.Is(err, ErrNameConflict) {
		t.Errorf("at first: %v", err)
	}

	registered := make(chan struct{}, 2)
	w = worker(fake(t,
		func(p *fakePeer) { p.begin() },
		conflict,
		func(p *fakePeer) {
			p.greet()
			p.refuse("register", -32006, "the supervisor shuts down", object{"code": "shuttingDown"})
		},
		func(p *fakePeer) { p.begin(); p.reply("unregister", object{}); p.expectEnd() },
	))
	w.Handle(Initializer{Name: "a"}, nothing)
	w.options.OnRegister = func() { registered <- struct{}{} }
	stop, result := running(t, w)
	soon(t, registered)
	soon(t, registered)
	stop()
	if err := soon(t, result); err != nil {
		t.Error(err)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("this system has no /proc")
	}
	return len(entries)
}

func TestAThousandLostConnectionsLeaveNothingBehind(t *testing.T) {
	const count = 1000
	goroutines, before := runtime.NumGoroutine(), descriptors(t)
	var begun, ended, answered atomic.Int64
	scripts := make([]func(*fakePeer), count)
	for i := range scripts {
		scripts[i] = func(p *fakePeer) {
			p.begin()
			p.run(1, "a", nil)
			p.run(2, "b", nil)
			p.expectResult(2, object{})
		}
	}
	all := make(chan struct{})
	scripts = append(scripts, func(p *fakePeer) {
		p.begin()
		close(all)
		p.reply("unregister", object{})
		p.expectEnd()
	})
	t.Run("lost", func(t *testing.T) {
		w := worker(fake(t, scripts...))
		w.Handle(Initializer{Name: "a"}, func(ctx context.Context, _ *Run) (any, error) {
			begun.Add(1)
			defer ended.Add(1)
			<-ctx.Done()
			return nil, nil
		})
		w.Handle(Initializer{Name: "b"}, nothing)
		w.options.OnAnswer = func(*Run, error) { answered.Add(1) }
		stop, result := running(t, w)
		soon(t, all)
		stop()
		if err := soon(t, result); err != nil {
			t.Error(err)
		}
	})
	if begun.Load() != ended.Load() || answered.Load() != count {
		t.Errorf("%d runs have begun and %d ended; %d were answered", begun.Load(), ended.Load(), answered.Load())
	}
	for end := time.Now().Add(deadline); ; time.Sleep(time.Millisecond) {
		nowGoroutines, now := runtime.NumGoroutine(), descriptors(t)
		if nowGoroutines <= goroutines && now <= before+1 { // One descriptor is for the runtime's poller.
			return
		}
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines and %d descriptors are left, of %d and %d\n%s",
				nowGoroutines, now, goroutines, before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}
