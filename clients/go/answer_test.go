package initd

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestACancelledRunAnswersOnceWhenItHasStopped(t *testing.T) {
	reasons := make(chan Reason, 1)
	finish := make(chan struct{})
	play(t, func(p *fakePeer) {
		p.run(1, "a", nil)
		p.cancel(1, ReasonDeactivated)
		p.cancel(1, ReasonShutdown)
		require(<-reasons == ReasonDeactivated, "another reason came")
		// The worker still answers other requests, and hasn't answered the run.
		p.run(2, "b", nil)
		p.expectResult(2, object{})
		close(finish)
		p.expectFailure(1, codeCancelled)
		p.cancel(1, ReasonDeactivated) // Too late.
		p.cancel(99, ReasonDeactivated)
		p.run(3, "b", nil)
		p.expectResult(3, object{})
	}, func(ctx context.Context, run *Run) (any, error) {
		if run.CancelReason() != "" && ctx.Err() == nil {
			t.Error("there is a reason before the cancel")
		}
		<-ctx.Done()
		run.Progress(1, "has no effect")
		reasons <- run.CancelReason()
		<-finish
		return nil, errors.New("ignored")
	}, nothing)
}

func TestACancelAfterTheEndChangesNothing(t *testing.T) {
	run := &Run{}
	run.ctx, run.cancel = context.WithCancel(context.Background())
	if run.finish() {
		t.Error("it was cancelled before")
	}
	run.stop(ReasonDeactivated)
	if run.CancelReason() != "" || run.ctx.Err() == nil {
		t.Errorf("the reason is %q, and its context has ended with %v", run.CancelReason(), run.ctx.Err())
	}
}

func TestHooksToldOfRuns(t *testing.T) {
	type told struct {
		number int64
		err    error
	}
	answers := make(chan told, 3)
	boom := errors.New("boom")
	w := worker(fake(t, func(p *fakePeer) {
		p.begin()
		p.run(1, "good", nil)
		p.expectResult(1, object{})
		p.run(2, "bad", nil)
		p.expectFailure(2, codeRunFailed)
		p.run(3, "slow", nil)
		p.cancel(3, "")
		p.expectFailure(3, codeCancelled)
		p.reply("unregister", object{})
		p.expectEnd()
	}))
	w.Handle(Initializer{Name: "good"}, nothing)
	w.Handle(Initializer{Name: "bad"}, func(context.Context, *Run) (any, error) { return nil, boom })
	w.Handle(Initializer{Name: "slow"}, untilCancelled)
	w.options.OnAnswer = func(run *Run, err error) { answers <- told{run.Number, err} }
	stop, result := running(t, w)
	for _, want := range []told{{1, nil}, {2, boom}, {3, context.Canceled}} {
		if got := soon(t, answers); got.number != want.number || !errors.Is(got.err, want.err) {
			t.Errorf("told %v, want %v", got, want)
		}
	}
	stop()
	soon(t, result)
}

func TestNoRunBeginsBeforeTheAnswerThatCausedItWasTold(t *testing.T) {
	begun := make(chan struct{})
	stop := make(chan struct{})
	w := worker(fake(t, func(p *fakePeer) {
		p.begin()
		p.run(1, "a", nil)
		p.expectResult(1, object{})
		p.run(2, "b", nil)
		p.expectResult(2, object{})
		close(stop)
		p.reply("unregister", object{})
		p.expectEnd()
	}))
	w.Handle(Initializer{Name: "a"}, nothing)
	w.Handle(Initializer{Name: "b"}, func(context.Context, *Run) (any, error) {
		close(begun)
		return nil, nil
	})
	w.options.OnAnswer = func(run *Run, _ error) {
		if run.Number == 2 {
			return
		}
		select {
		case <-begun:
			t.Error("the second run has begun too early")
		case <-time.After(50 * time.Millisecond):
		}
	}
	cancel, result := running(t, w)
	soon(t, stop)
	cancel()
	if err := soon(t, result); err != nil {
		t.Error(err)
	}
}
