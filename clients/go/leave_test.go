package initd

import (
	"context"
	"strings"
	"testing"
	"time"
)

func TestAStopCancelsTheRunsAndAnswersThem(t *testing.T) {
	reasons := make(chan Reason, 1)
	working := make(chan struct{})
	w := worker(fake(t, func(p *fakePeer) {
		p.begin()
		p.run(1, "a", nil)
		p.reply("unregister", object{})
		p.expectFailure(1, codeCancelled)
		p.expectEnd()
	}))
	w.Handle(Initializer{Name: "a"}, func(ctx context.Context, run *Run) (any, error) {
		close(working)
		<-ctx.Done()
		reasons <- run.CancelReason()
		return nil, nil
	})
	stop, result := running(t, w)
	soon(t, working)
	stop()
	if err := soon(t, result); err != nil {
		t.Error(err)
	}
	if reason := soon(t, reasons); reason != ReasonUnregistered {
		t.Errorf("the reason is %q", reason)
	}
}

func TestAWorkerStopsWhileItIsDisconnected(t *testing.T) {
	lost := make(chan struct{})
	w := worker(fake(t, func(p *fakePeer) { p.begin() }))
	w.Handle(Initializer{Name: "a"}, nothing)
	w.options.OnLost = func(error) { close(lost) }
	stop, result := running(t, w)
	soon(t, lost)
	stop()
	if err := soon(t, result); err != nil {
		t.Error(err)
	}
}

func TestAStopWaitsForTheAnswerToRegister(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan struct{})
	w := worker(fake(t, func(p *fakePeer) {
		p.greet()
		_, id := p.expect("register")
		close(asked)
		<-answer
		p.send(object{"id": id, "result": object{}})
		p.run(1, "a", nil)
		// The run and the request to unregister cross; both are answered.
		var unregistered, answered bool
		for !unregistered || !answered {
			m := p.receive()
			require(m != nil, "it ended without answering: unregistered %v, answered %v", unregistered, answered)
			if m["method"] == "unregister" {
				unregistered = true
				p.send(object{"id": m["id"], "result": object{}})
			} else {
				answered = true
			}
		}
		p.expectEnd()
	}))
	w.Handle(Initializer{Name: "a"}, untilCancelled)
	stop, result := running(t, w)
	soon(t, asked)
	stop()
	close(answer)
	if err := soon(t, result); err != nil {
		t.Error(err)
	}
}

func TestASupervisorThatDoesNotReadDelaysTheEndOnlyForAWhile(t *testing.T) {
	registered := make(chan struct{})
	ended := make(chan struct{})
	defer close(ended)
	options := fake(t, func(p *fakePeer) {
		p.begin()
		p.run(1, "a", nil)
		<-ended
	})
	w := NewWorker(&WorkerOptions{Options: *options, CancelGrace: 100 * time.Millisecond})
	w.Handle(Initializer{Name: "a"}, func(ctx context.Context, run *Run) (any, error) {
		for ctx.Err() == nil { // The loop fills the socket until a write would block.
			run.Message(strings.Repeat("x", longestText))
		}
		return nil, nil
	})
	w.options.OnRegister = func() { close(registered) }
	stop, result := running(t, w)
	soon(t, registered)
	stop()
	if err := soon(t, result); err != nil {
		t.Error(err)
	}
}

// blocked is a handler that ignores its cancel, until the test ends.
func blocked(t *testing.T, working chan<- struct{}) Handler {
	finish := make(chan struct{})
	t.Cleanup(func() { close(finish) })
	return func(context.Context, *Run) (any, error) {
		close(working)
		<-finish
		return nil, nil
	}
}

func TestAStopWaitsForABlockedRunOnlyForTheGrace(t *testing.T) {
	working := make(chan struct{})
	options := fake(t, func(p *fakePeer) {
		p.begin()
		p.run(1, "a", nil)
		p.run(2, "b", nil)
		p.reply("unregister", object{})
		p.expectFailure(2, codeCancelled)
		p.expectEnd()
	})
	told := heard(options)
	w := NewWorker(&WorkerOptions{Options: *options, CancelGrace: 100 * time.Millisecond})
	w.Handle(Initializer{Name: "a"}, blocked(t, working))
	both := make(chan struct{})
	w.Handle(Initializer{Name: "b"}, func(ctx context.Context, run *Run) (any, error) {
		close(both)
		return untilCancelled(ctx, run)
	})
	stop, result := running(t, w)
	soon(t, working)
	soon(t, both)
	stop()
	if err := soon(t, result); err != nil {
		t.Error(err)
	}
	if line := soon(t, told); !strings.Contains(line, "run 1 of a has no answer") {
		t.Errorf("it says %q", line)
	}
}

func TestAStopWaitsForARunThatStopsWithinTheGrace(t *testing.T) {
	finish, unregistered := make(chan struct{}), make(chan struct{})
	working := make(chan struct{})
	options := fake(t, func(p *fakePeer) {
		p.begin()
		p.run(1, "a", nil)
		p.reply("unregister", object{})
		close(unregistered)
		p.expectFailure(1, codeCancelled)
		p.expectEnd()
	})
	w := NewWorker(&WorkerOptions{Options: *options, CancelGrace: Forever})
	w.Handle(Initializer{Name: "a"}, func(context.Context, *Run) (any, error) {
		close(working)
		<-finish
		return nil, nil
	})
	stop, result := running(t, w)
	soon(t, working)
	stop()
	soon(t, unregistered)
	select {
	case <-result:
		t.Error("it hasn't waited")
	case <-time.After(50 * time.Millisecond):
	}
	close(finish)
	if err := soon(t, result); err != nil {
		t.Error(err)
	}
}

func TestAStopWaitsForABlockedRunOfALostConnectionOnlyForTheGrace(t *testing.T) {
	working, lost := make(chan struct{}), make(chan struct{})
	options := fake(t, func(p *fakePeer) {
		p.begin()
		p.run(1, "a", nil)
		<-working
	})
	w := NewWorker(&WorkerOptions{Options: *options, CancelGrace: 100 * time.Millisecond})
	w.options.OnLost = func(error) { close(lost) }
	w.Handle(Initializer{Name: "a"}, blocked(t, working))
	stop, result := running(t, w)
	soon(t, lost)
	stop()
	if err := soon(t, result); err != nil {
		t.Error(err)
	}
}
