package initd

import "fmt"

// State is the state of a phase, a pass, an initializer, or both phases together.
type State struct {
	// Outcome is OutcomeCancelled only as the answer of some waits.
	Outcome Outcome `json:"state"`
	// Pass is the phase's newest pass, if there has been one.
	Pass int64 `json:"pass,omitempty"`
	// Failure says why the run failed.
	Failure *Failure `json:"error,omitempty"`
}

// Err is nil unless the state is failed or cancelled. For a failed one it is a [*Failure].
func (s State) Err() error {
	switch {
	case s.Outcome == OutcomeFailed && s.Failure != nil:
		return s.Failure
	case s.Outcome == OutcomeFailed:
		return &Failure{Message: "it failed"}
	case s.Outcome == OutcomeCancelled:
		return &Failure{Code: string(OutcomeCancelled), Message: "it was cancelled"}
	}
	return nil
}

// Failure says why a pass failed, and which initializer caused it.
type Failure struct {
	// Code is "initializerFailed", "missingDependency", "circularDependency" or "duplicateInitializer".
	Code        string   `json:"code"`
	Initializer string   `json:"initializer,omitempty"`
	Dependency  string   `json:"dependency,omitempty"`
	Cycle       []string `json:"cycle,omitempty"`
	Cause       *Cause   `json:"cause,omitempty"`
	Message     string   `json:"message"`
	// Errors has all failures of a pass that kept going after its first one, including the first one.
	Errors []Failure `json:"errors,omitempty"`
}

// Error returns the message.
func (f *Failure) Error() string { return prefix + printable(f.Message) }

// Cause says how a run failed, or how a process ended.
type Cause struct {
	// Kind is "error", "exit", "signal", "timeout", "workerLost", "notFound" or "operator".
	Kind    string    `json:"kind"`
	Message string    `json:"message,omitempty"`
	Status  *int      `json:"status,omitempty"`
	Signal  string    `json:"signal,omitempty"`
	After   *Duration `json:"after,omitempty"`
	// User is the user that has cancelled the run.
	User string `json:"user,omitempty"`
}

// String describes the cause for people.
func (c *Cause) String() string {
	switch {
	case c.Message != "":
		return printable(c.Message)
	case c.Status != nil:
		return fmt.Sprintf("exit status %d", *c.Status)
	case c.Signal != "":
		return printable(c.Signal)
	case c.User != "":
		return "cancelled by " + printable(c.User)
	case c.After != nil:
		return fmt.Sprintf("%s after %v", printable(c.Kind), c.After.Duration)
	}
	return printable(c.Kind)
}

// Status is the complete state of a supervisor at one moment.
type Status struct {
	// Seq is the number of the last event.
	Seq  int64 `json:"seq"`
	Time Time  `json:"time"`
	// Instance identifies one execution of a supervisor: in another one, passes and runs count from 1 again.
	Instance string   `json:"instance"`
	PID      int      `json:"pid"`
	Uptime   Duration `json:"uptime"`
	// Subscribers is how many connections get events; 0 from a supervisor that doesn't tell.
	Subscribers int `json:"subscribers"`

	Lifecycle Lifecycle `json:"lifecycle"`
	Launch    State     `json:"launch"`
	Active    State     `json:"active"`
	Composite State     `json:"composite"`
	// Holds is how many connections hold the app active.
	Holds       int `json:"holds"`
	Concurrency int `json:"concurrency"`
	// InFlight has the passes that haven't ended.
	InFlight     []Pass              `json:"inFlight"`
	Initializers []InitializerStatus `json:"initializers"`
	Workers      []WorkerStatus      `json:"workers"`
	Processes    []ProcessStatus     `json:"processes"`
	// Warnings are problems of the supervisor itself, for people.
	Warnings []string `json:"warnings,omitempty"`
}

// Initializer returns the initializer of that name, or nil.
func (s *Status) Initializer(name string) *InitializerStatus {
	for i := range s.Initializers {
		if s.Initializers[i].Name == name {
			return &s.Initializers[i]
		}
	}
	return nil
}

// Pass says which pass it is, and when its runs could begin: Opened is nil while an active pass waits for launch.
type Pass struct {
	Number int64 `json:"pass"`
	Phase  Phase `json:"phase"`
	Opened *Time `json:"opened,omitempty"`
}

// RunInfo says which run it is, and when it worked. Attempts is set if there may be more than one.
type RunInfo struct {
	Run      int64     `json:"run,omitempty"`
	Attempt  int       `json:"attempt,omitempty"`
	Attempts int       `json:"attempts,omitempty"`
	Started  *Time     `json:"started,omitempty"`
	Duration *Duration `json:"duration,omitempty"`
}

// InitializerStatus is an initializer with its last run.
type InitializerStatus struct {
	Name         string   `json:"name"`
	Priority     Priority `json:"priority"`
	Dependencies []string `json:"dependencies"`
	// Provider is "inProcess", "command", "worker", "waitFor" or "process".
	Provider string `json:"provider"`
	// Available is whether the initializer can run now.
	Available bool `json:"available"`
	// Status is the initializer's current state, or its last outcome.
	Status Activity `json:"status"`
	// Optional is whether the pass continues if the initializer fails.
	Optional bool `json:"optional,omitempty"`
	// Stale says that the initializer is complete, but a dependency has run since then.
	Stale bool `json:"stale,omitempty"`
	// BlockedBy is the initializer whose failure prevented or stopped it.
	BlockedBy string `json:"blockedBy,omitempty"`
	// Skipped says why the initializer isn't run although nothing has failed.
	Skipped *Skipped `json:"skipped,omitempty"`
	// RunInfo is the initializer's last run.
	RunInfo
	Pass         int64 `json:"pass,omitempty"`
	Phase        Phase `json:"phase,omitempty"`
	FirstStarted *Time `json:"firstStarted,omitempty"`
	// PID is the process of its command, while that runs.
	PID         int       `json:"pid,omitempty"`
	NextAttempt *Time     `json:"nextAttempt,omitempty"`
	Progress    *Progress `json:"progress,omitempty"`
	// Failure says why the last attempt failed.
	Failure *Failure `json:"error,omitempty"`
	// Once is set if the initializer runs once for a release.
	Once *Once `json:"once,omitempty"`
}

// Skipped is why an initializer or a process isn't run although nothing has failed.
type Skipped struct {
	// Reason is "requested" or "unselected".
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Progress is the last report of a run.
type Progress struct {
	Fraction *float64 `json:"fraction,omitempty"`
	Message  string   `json:"message,omitempty"`
}

// Once describes an initializer that runs once for a release, on one host of a fleet.
type Once struct {
	Release string `json:"release"`
	Fence   int64  `json:"fence,omitempty"`
	Message string `json:"message,omitempty"`
}

// WorkerStatus is a connection that provides initializers.
type WorkerStatus struct {
	Client       string   `json:"client"`
	PID          int      `json:"pid,omitempty"`
	Initializers []string `json:"initializers"`
}

// ProcessStatus is a process that the supervisor keeps running.
type ProcessStatus struct {
	Name      string    `json:"name"`
	PID       int       `json:"pid,omitempty"`
	Uptime    *Duration `json:"uptime,omitempty"`
	Restarts  int       `json:"restarts"`
	LastExit  *Cause    `json:"lastExit,omitempty"`
	NextStart *Time     `json:"nextStart,omitempty"`
	GivenUp   bool      `json:"givenUp"`
	// Skipped says why the process isn't started although nothing has failed.
	Skipped *Skipped `json:"skipped,omitempty"`
}

// LogLine is a line of output of a command, or of a process that the supervisor keeps running.
type LogLine struct {
	Time        Time   `json:"time"`
	Initializer string `json:"initializer"`
	Run         int64  `json:"run"`
	Attempt     int    `json:"attempt,omitempty"`
	Stream      string `json:"stream"`
	Line        string `json:"line"`
}
