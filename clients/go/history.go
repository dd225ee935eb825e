package initd

import (
	"context"
	"encoding/json"
)

// History returns the last passes with their runs, the newest last.
func (c *Client) History(ctx context.Context, query HistoryQuery) (History, error) {
	var history History
	params := struct {
		HistoryQuery
		Before json.RawMessage `json:"before,omitempty"` // The position at which the page begins.
	}{HistoryQuery: query}
	for {
		var page struct {
			History
			More   bool            `json:"more"`
			Before json.RawMessage `json:"before"`
		}
		if err := c.Do(ctx, "history", params, &page); err != nil {
			return history, err
		}
		history.prepend(page.History)
		if !page.More {
			return history, nil
		}
		params.Before, params.Usual = page.Before, false
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
