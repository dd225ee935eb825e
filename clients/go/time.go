package initd

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// The supervisor sends smaller numbers. A duration in Go has 292 years.
const (
	mostMoment   = 1e12
	mostDuration = 9e9
)

// readSeconds reads a number of seconds that is at most most.
func readSeconds(data []byte, most float64) (float64, error) {
	var seconds float64
	if err := json.Unmarshal(data, &seconds); err != nil {
		return 0, err
	}
	if math.Abs(seconds) > most {
		return 0, fmt.Errorf("%g isn't a number of seconds between -%g and %g", seconds, most, most)
	}
	return seconds, nil
}

// Time is a moment in the protocol: seconds since the Unix epoch.
type Time struct{ time.Time }

// UnmarshalJSON reads a number of seconds since the Unix epoch.
func (t *Time) UnmarshalJSON(data []byte) error {
	seconds, err := readSeconds(data, mostMoment)
	if err != nil {
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
	seconds, err := readSeconds(data, mostDuration)
	if err != nil {
		return err
	}
	d.Duration = time.Duration(seconds * float64(time.Second))
	return nil
}

// MarshalJSON writes a number of seconds.
func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(d.Seconds())
}
