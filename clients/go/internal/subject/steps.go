package main

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	initd "github.com/appinitializers/appinitializers/clients/go"
)

// handler performs the steps of an initializer.
func (s *subject) handler(steps []step) initd.Handler {
	return func(ctx context.Context, run *initd.Run) (any, error) {
		s.say("run", run.Initializer, run.Number, run.Attempt)
		defer s.tellCancel(ctx, run)()
		var output any
		var ignored time.Duration
		for _, each := range steps {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			switch {
			case each.Progress != nil && each.Message != nil:
				run.Progress(*each.Progress, *each.Message)
			case each.Progress != nil:
				run.Progress(*each.Progress, "")
			case each.Message != nil:
				run.Message(*each.Message)
			case each.Extend != nil:
				run.Extend(each.Extend.duration())
			case each.Sleep != nil:
				sleep(ctx, each.Sleep.duration(), ignored)
			case each.Block != nil:
				time.Sleep(each.Block.duration())
			case each.Output != nil && each.Secret:
				output = initd.Secret(each.Output)
			case each.Output != nil:
				output = each.Output
			case each.EchoInputs:
				output = inputs(run)
			case each.EchoFence:
				output = fence(run)
			case each.Fail != nil:
				return nil, errors.New(*each.Fail)
			}
			ignored = 0
			if each.IgnoreCancelFor != nil {
				ignored = each.IgnoreCancelFor.duration()
			}
		}
		return output, nil
	}
}

func inputs(run *initd.Run) map[string]json.RawMessage {
	if run.Inputs == nil {
		return map[string]json.RawMessage{}
	}
	return run.Inputs
}

func fence(run *initd.Run) map[string]any {
	if run.Fence == 0 {
		return map[string]any{"fence": nil}
	}
	return map[string]any{"fence": run.Fence}
}

// sleep returns after d, or some time after a cancel.
func sleep(ctx context.Context, d, afterCancel time.Duration) {
	done := time.NewTimer(d)
	defer done.Stop()
	select {
	case <-done.C:
		return
	case <-ctx.Done():
	}
	patience := time.NewTimer(afterCancel)
	defer patience.Stop()
	select {
	case <-done.C:
	case <-patience.C:
	}
}

// tellCancel prints the cancel of a run when it comes. The returned function ends that.
func (s *subject) tellCancel(ctx context.Context, run *initd.Run) func() {
	ended := make(chan struct{})
	told := sync.WaitGroup{}
	told.Add(1)
	go func() {
		defer told.Done()
		select {
		case <-ctx.Done():
		case <-ended:
		}
		if reason := run.CancelReason(); reason != "" {
			s.say("cancel", run.Initializer, run.Number, reason)
		}
	}()
	return func() {
		close(ended)
		told.Wait()
	}
}
