package initd

// The words of the protocol. A later version may add more: show an unknown one as it is.

// Outcome is how a phase, a pass or an initializer has ended, or that it hasn't.
type Outcome string

const (
	OutcomePending   Outcome = "pending"
	OutcomeComplete  Outcome = "complete"
	OutcomeFailed    Outcome = "failed"
	OutcomeCancelled Outcome = "cancelled"
	// OutcomeRunning is that of the summary of a pass that hasn't ended.
	OutcomeRunning Outcome = "running"
)

// Lifecycle is whether the app is active.
type Lifecycle string

const (
	LifecycleInactive Lifecycle = "inactive"
	LifecycleActive   Lifecycle = "active"
)

// Phase is what a pass is for.
type Phase string

const (
	PhaseLaunch Phase = "launch"
	PhaseActive Phase = "active"
)

// Activity is what an initializer does now, or how it has ended last.
type Activity string

const (
	ActivityIdle Activity = "idle"
	// ActivityWaiting is that of one that waits for its turn in a pass, or between two attempts.
	ActivityWaiting Activity = "waiting"
	ActivityRunning Activity = "running"
	// ActivityStopping is that of one that was asked to stop, and is still running.
	ActivityStopping  Activity = "stopping"
	ActivityComplete  Activity = "complete"
	ActivityFailed    Activity = "failed"
	ActivityCancelled Activity = "cancelled"
	// ActivityNotRun is that of one whose pass failed before its turn.
	ActivityNotRun Activity = "notRun"
	// ActivitySkipped is that of one that isn't run, and whose dependents go on.
	ActivitySkipped Activity = "skipped"
)

// PassStatus is what an event tells of a pass.
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
	ReasonOperator     Reason = "operator" // Somebody has cancelled the run.
	// ReasonLost is a lost connection. Only this package gives it.
	ReasonLost Reason = "lost"
)
