package initd

// The names that the protocol defines. A later version may add more: show an unknown one as it is.

// Outcome is how a phase, a pass or an initializer has ended, or that it hasn't.
type Outcome string

const (
	OutcomePending   Outcome = "pending"
	OutcomeComplete  Outcome = "complete"
	OutcomeFailed    Outcome = "failed"
	OutcomeCancelled Outcome = "cancelled"
	// OutcomeRunning is the outcome in the summary of a pass that hasn't ended.
	OutcomeRunning Outcome = "running"
)

// Lifecycle is whether the app is active.
type Lifecycle string

const (
	LifecycleInactive Lifecycle = "inactive"
	LifecycleActive   Lifecycle = "active"
)

// Phase is the phase of a pass.
type Phase string

const (
	PhaseLaunch Phase = "launch"
	PhaseActive Phase = "active"
)

// Activity is the current state of an initializer, or its last outcome.
type Activity string

const (
	ActivityIdle Activity = "idle"
	// ActivityWaiting: the initializer waits for its turn in a pass, or between two attempts.
	ActivityWaiting Activity = "waiting"
	ActivityRunning Activity = "running"
	// ActivityStopping: the run was asked to stop, and is still running.
	ActivityStopping  Activity = "stopping"
	ActivityComplete  Activity = "complete"
	ActivityFailed    Activity = "failed"
	ActivityCancelled Activity = "cancelled"
	// ActivityNotRun: the pass failed before the initializer's turn.
	ActivityNotRun Activity = "notRun"
	// ActivitySkipped: the initializer isn't run, and its dependents continue.
	ActivitySkipped Activity = "skipped"
)

// PassStatus is the status of a pass in an event.
type PassStatus string

const (
	PassStarted   PassStatus = "started"
	PassComplete  PassStatus = "complete"
	PassFailed    PassStatus = "failed"
	PassCancelled PassStatus = "cancelled"
)

// Reason is why a run was cancelled.
type Reason string

const (
	ReasonDeactivated  Reason = "deactivated"
	ReasonTimeout      Reason = "timeout"
	ReasonFailed       Reason = "failed" // Another initializer of the pass failed first.
	ReasonUnregistered Reason = "unregistered"
	ReasonShutdown     Reason = "shutdown"
	ReasonOperator     Reason = "operator" // A user has cancelled the run.
	// ReasonLost is a lost connection. Only this package gives it.
	ReasonLost Reason = "lost"
)
