package initd

import "context"

// HistoryQuery selects what [Client.History] returns. The zero value is the last pass.
type HistoryQuery struct {
	// Limit is how many passes, by default 1.
	Limit int `json:"limit,omitempty"`
	// Pass is the number of the only pass.
	Pass int64 `json:"pass,omitempty"`
	// Phase is "launch" or "active": only its passes.
	Phase Phase `json:"phase,omitempty"`
	// InFlight includes passes that haven't ended.
	InFlight bool `json:"inFlight,omitempty"`
	// Summaries asks for History.Summaries instead of Passes.
	Summaries bool `json:"summaries,omitempty"`
	// Usual asks for History.Usual too.
	Usual bool `json:"usual,omitempty"`
}

// History is what the supervisor remembers of its passes, the newest last.
type History struct {
	Passes    []PassRecord  `json:"passes"`
	Summaries []PassSummary `json:"summaries,omitempty"`
	Usual     []UsualPhase  `json:"usual,omitempty"`
}

// PassRecord is a pass with its runs, in the order in which they ended.
type PassRecord struct {
	Pass
	Started     Time        `json:"started"`
	Duration    *Duration   `json:"duration,omitempty"`
	Outcome     Outcome     `json:"outcome,omitempty"`
	Failure     *Failure    `json:"error,omitempty"`
	Concurrency int         `json:"concurrency"`
	Runs        []RunRecord `json:"runs,omitempty"`
}

// RunRecord is a run. It started at the latest of Ready, Provided and Freed: that is what it waited for last.
type RunRecord struct {
	RunInfo
	Initializer string   `json:"initializer"`
	Ready       *Time    `json:"ready,omitempty"`
	WaitedFor   []string `json:"waitedFor"`
	Provided    *Time    `json:"provided,omitempty"`
	Freed       *Time    `json:"freed,omitempty"`
	FreedBy     string   `json:"freedBy,omitempty"`
	Outcome     Outcome  `json:"outcome,omitempty"`
	Cause       *Cause   `json:"cause,omitempty"`
}

// PassSummary says where the time of a pass went.
type PassSummary struct {
	Pass         int64                `json:"pass"`
	Phase        Phase                `json:"phase"`
	Outcome      Outcome              `json:"outcome"`
	Started      Time                 `json:"started"`
	Held         *Duration            `json:"held,omitempty"`
	Duration     *Duration            `json:"duration,omitempty"`
	Initializers []InitializerSummary `json:"initializers,omitempty"`
	// Instance is set if an earlier supervisor executed the pass.
	Instance string `json:"instance,omitempty"`
}

// InitializerSummary says where the time of an initializer went in a pass.
type InitializerSummary struct {
	Name     string    `json:"name"`
	Outcome  Outcome   `json:"outcome,omitempty"`
	Attempts int       `json:"attempts,omitempty"`
	Waited   *Duration `json:"waited,omitempty"`
	Queued   *Duration `json:"queued,omitempty"`
	Running  *Duration `json:"running,omitempty"`
	Backoff  *Duration `json:"backoff,omitempty"`
	Finished *Duration `json:"finished,omitempty"`
}

// UsualPhase says how long a phase and its initializers usually take: the medians of complete passes.
type UsualPhase struct {
	Phase        Phase                `json:"phase"`
	Passes       int                  `json:"passes"`
	Duration     Duration             `json:"duration"`
	Initializers []InitializerSummary `json:"initializers"`
}

// History returns the last passes with their runs, the newest last.
func (c *Client) History(ctx context.Context, query HistoryQuery) (History, error) {
	var history History
	err := c.Do(ctx, "history", query, &history)
	return history, err
}
