package initd

import (
	"encoding/json"
	"math"
	"time"
)

// Time is a moment in the protocol: seconds since the Unix epoch.
type Time struct{ time.Time }

// UnmarshalJSON reads a number of seconds since the Unix epoch.
func (t *Time) UnmarshalJSON(data []byte) error {
	var seconds float64
	if err := json.Unmarshal(data, &seconds); err != nil {
		return err
	}
	whole, fraction := math.Modf(seconds)
	t.Time = time.Unix(int64(whole), int64(math.Round(fraction*1e6))*1000)
	return nil
}

// MarshalJSON writes a number of seconds since the Unix epoch.
func (t Time) MarshalJSON() ([]byte, error) {
	return json.Marshal(float64(t.UnixMicro()) / 1e6)
}

// Duration is a duration in the protocol: seconds.
type Duration struct{ time.Duration }

// UnmarshalJSON reads a number of seconds.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var seconds float64
	if err := json.Unmarshal(data, &seconds); err != nil {
		return err
	}
	d.Duration = time.Duration(seconds * float64(time.Second))
	return nil
}

// MarshalJSON writes a number of seconds.
func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(d.Seconds())
}
