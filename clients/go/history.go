package initd

import (
	"context"
	"encoding/json"
)

// HistoryQuery selects the result of [Client.History]. The zero value is the last pass.
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
	// Usual also requests History.Usual.
	Usual bool `json:"usual,omitempty"`
	// before is the position at which a page begins.
	before json.RawMessage
}

// MarshalJSON writes the params of the request.
func (q HistoryQuery) MarshalJSON() ([]byte, error) {
	type members HistoryQuery
	return json.Marshal(struct {
		members
		Before json.RawMessage `json:"before,omitempty"`
	}{members(q), q.before})
}

// History is the supervisor's record of its passes, the newest last.
type History struct {
	Passes    []PassRecord  `json:"passes"`
	Summaries []PassSummary `json:"summaries,omitempty"`
	Usual     []UsualPhase  `json:"usual,omitempty"`
}

// PassRecord is a pass with its runs, in the order in which they ended.
type PassRecord struct {
	Pass
	Started     Time      `json:"started"`
	Duration    *Duration `json:"duration,omitempty"`
	Outcome     Outcome   `json:"outcome,omitempty"`
	Failure     *Failure  `json:"error,omitempty"`
	Concurrency int       `json:"concurrency"`
	// Cores is how many cores the runs of the pass could use; 0 if unknown.
	Cores float64 `json:"cores,omitempty"`
	// Busy is the CPU time that everything used on these cores, if known.
	Busy *Duration `json:"busy,omitempty"`
	// Processes is the CPU time that kept processes used outside of their starts, if known.
	Processes *Duration `json:"processes,omitempty"`
	// Supervisor is the CPU time that the supervisor itself used, if known.
	Supervisor *Duration   `json:"supervisor,omitempty"`
	Runs       []RunRecord `json:"runs,omitempty"`
}

// RunRecord is a run. A run started at the latest of Ready, Provided and Freed: that was its last wait.
type RunRecord struct {
	RunInfo
	Initializer string   `json:"initializer"`
	Ready       *Time    `json:"ready,omitempty"`
	WaitedFor   []string `json:"waitedFor"`
	Provided    *Time    `json:"provided,omitempty"`
	Freed       *Time    `json:"freed,omitempty"`
	FreedBy     string   `json:"freedBy,omitempty"`
	// CPU is the CPU time that it used, if known.
	CPU *Duration `json:"cpu,omitempty"`
	// Polls is the pause between two tries, if it is a command that waits in a loop until something holds.
	Polls   *Duration `json:"polls,omitempty"`
	Outcome Outcome   `json:"outcome,omitempty"`
	Cause   *Cause    `json:"cause,omitempty"`
}

// PassSummary says where the time of a pass went.
type PassSummary struct {
	Pass     int64     `json:"pass"`
	Phase    Phase     `json:"phase"`
	Outcome  Outcome   `json:"outcome"`
	Started  Time      `json:"started"`
	Held     *Duration `json:"held,omitempty"`
	Duration *Duration `json:"duration,omitempty"`
	// Cores is how many cores the runs of the pass could use; 0 if unknown.
	Cores float64 `json:"cores,omitempty"`
	// Runs is how many runs the pass had; 0 if unknown.
	Runs int `json:"runs,omitempty"`
	// FailedBy is the initializer whose failure failed it.
	FailedBy     string               `json:"failedBy,omitempty"`
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
	CPU      *Duration `json:"cpu,omitempty"`
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
	for {
		var page struct {
			History
			More   bool            `json:"more"`
			Before json.RawMessage `json:"before"`
		}
		if err := c.Do(ctx, "history", query, &page); err != nil {
			return history, err
		}
		history.prepend(page.History)
		if !page.More {
			return history, nil
		}
		query.before, query.Usual = page.Before, false
	}
}

// prepend adds the next page, which has older passes. The oldest pass so far may have only its last runs or initializers.
func (h *History) prepend(older History) {
	if last := len(older.Passes) - 1; last >= 0 && len(h.Passes) > 0 && older.Passes[last].Number == h.Passes[0].Number {
		h.Passes[0].Runs = append(older.Passes[last].Runs, h.Passes[0].Runs...)
		older.Passes = older.Passes[:last]
	}
	if last := len(older.Summaries) - 1; last >= 0 && len(h.Summaries) > 0 &&
		older.Summaries[last].Pass == h.Summaries[0].Pass && older.Summaries[last].Instance == h.Summaries[0].Instance {
		h.Summaries[0].Initializers = append(older.Summaries[last].Initializers, h.Summaries[0].Initializers...)
		older.Summaries = older.Summaries[:last]
	}
	h.Passes = append(older.Passes, h.Passes...)
	h.Summaries = append(older.Summaries, h.Summaries...)
	if older.Usual != nil {
		h.Usual = older.Usual
	}
}
