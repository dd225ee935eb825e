package initd

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestNumbersThatNoSupervisorSendsAreRefused(t *testing.T) {
	for _, text := range []string{"1e21", "-1e21", "1e300"} {
		for _, value := range []json.Unmarshaler{new(Time), new(Duration)} {
			if err := json.Unmarshal([]byte(text), value); err == nil || !strings.Contains(err.Error(), "isn't a number of seconds between") {
				t.Errorf("%T of %s: %v", value, text, err)
			}
		}
	}
	var duration Duration
	if err := json.Unmarshal([]byte("1.5"), &duration); err != nil || duration.Seconds() != 1.5 {
		t.Error(duration, err)
	}
}
