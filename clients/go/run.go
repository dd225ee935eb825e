package initd

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"sync"
	"time"
)

// Run is one attempt to execute an initializer.
type Run struct {
	// Number identifies the run for the life of the supervisor.
	Number int64
	// Initializer is the name of the run's initializer.
	Initializer string
	// Pass is the number of the run's pass.
	Pass  int64
	Phase Phase
	// Attempt counts from 1.
	Attempt int
	// Timeout is how long the attempt may take; 0 is no limit.
	Timeout time.Duration
	// Fence is the fencing token of an initializer that runs once for a release, else 0. Pass it to the database, which can
	// then refuse a late writer.
	Fence int64
	// Traceparent is the run as a span of its pass's trace: a W3C trace context, for the headers of requests.
	Traceparent string
	// Inputs are the outputs of its dependencies, by name. See also [Run.Input].
	Inputs map[string]json.RawMessage

	conn   *conn
	ctx    context.Context
	cancel context.CancelFunc
	logger *log.Logger

	wrongFraction, wrongExtension sync.Once // Each is logged once.

	mu     sync.Mutex
	reason Reason
	over   bool // over is set when the run is about to be answered: a cancel comes too late.
}

// decodeRun reads the params of a run.
func decodeRun(params members) (*Run, error) {
	run := &Run{Initializer: params.text("initializer"), Phase: Phase(params.text("phase")), Traceparent: params.text("traceparent")}
	var timeout Duration
	for _, member := range []struct {
		name     string
		target   any
		required bool
	}{
		{"run", &run.Number, true},
		{"pass", &run.Pass, true},
		{"attempt", &run.Attempt, true},
		{"timeout", &timeout, false},
		{"fence", &run.Fence, false},
		{"inputs", &run.Inputs, false},
	} {
		raw, given := params[member.name]
		if !given && !member.required {
			continue
		}
		if err := json.Unmarshal(raw, member.target); err != nil {
			return nil, fmt.Errorf("cannot read params.%s of a run: %w", member.name, err)
		}
	}
	run.Timeout = timeout.Duration
	return run, nil
}

// Input decodes the output of a dependency into target, a pointer. Without such an output it returns [ErrNoInput].
func (r *Run) Input(dependency string, target any) error {
	raw, given := r.Inputs[dependency]
	if !given {
		return fmt.Errorf("%w: %s has no output, or isn't a dependency of %s", ErrNoInput, dependency, r.Initializer)
	}
	if err := json.Unmarshal(raw, target); err != nil {
		return fmt.Errorf("initd: cannot decode the output of %s: %w", dependency, err)
	}
	return nil
}

// Progress reports the finished fraction of the work, and a message about the current step. A fraction below 0 counts as 0, and a fraction
// above 1 as 1. NaN is ignored, which is logged once for a run. An empty message leaves the last message unchanged. Progress has no effect
// once the run is cancelled.
func (r *Run) Progress(fraction float64, message string) {
	if math.IsNaN(fraction) {
		r.wrongFraction.Do(func() {
			r.logger.Printf("run %d of %s reported the fraction NaN, which is ignored: report a number from 0 to 1", r.Number, r.Initializer)
		})
		if message != "" {
			r.Message(message)
		}
		return
	}
	fraction = math.Min(math.Max(fraction, 0), 1)
	r.report(progressReport{Fraction: &fraction, Message: shortened(message)})
}

// Message reports a message about the current step, and leaves the fraction. It has no effect once the run is cancelled.
func (r *Run) Message(message string) { r.report(progressReport{Message: shortened(message)}) }

// Extend moves the deadline of the run to that time from now. It has no effect on a run without a timeout. A time that isn't
// positive is ignored, which is logged once for a run.
func (r *Run) Extend(deadline time.Duration) {
	if deadline <= 0 {
		r.wrongExtension.Do(func() {
			r.logger.Printf("run %d of %s asked for an extension of %v, which is ignored: ask for a positive time", r.Number, r.Initializer, deadline)
		})
		return
	}
	r.report(progressReport{Extend: &Duration{deadline}})
}

type progressReport struct {
	Run      int64     `json:"run"`
	Fraction *float64  `json:"fraction,omitempty"`
	Message  string    `json:"message,omitempty"`
	Extend   *Duration `json:"extend,omitempty"`
}

func (r *Run) report(report progressReport) {
	if r.ctx.Err() != nil {
		return
	}
	report.Run = r.Number
	_ = r.conn.send(r.ctx, message{Method: "progress", Params: report}) // A loss cancels the run.
}

// CancelReason says why the run was cancelled, e.g. [ReasonDeactivated]. It is empty while it isn't cancelled.
func (r *Run) CancelReason() Reason {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reason
}

// stop cancels the run, unless it is over or was cancelled before.
func (r *Run) stop(reason Reason) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || r.reason != "" {
		return
	}
	if reason == "" {
		reason = Reason(OutcomeCancelled)
	}
	r.reason = reason
	r.cancel()
}

// finish makes later cancels too late, and reports whether the run was cancelled before.
func (r *Run) finish() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	r.cancel()
	return r.reason != ""
}
