package initd

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestOutputsAreStrictJSON(t *testing.T) {
	for _, test := range []struct {
		output any
		want   string
	}{
		{nil, `{}`},
		{8080, `{"output":8080}`},
		{"<é>", `{"output":"<é>"}`},
		{[]string{}, `{"output":[]}`},
		{json.RawMessage("null"), `{"output":null}`},
		{json.RawMessage(`9007199254740993`), `{"output":9007199254740993}`},
		{json.RawMessage(`{"a":1,"a":2}`), `{"output":{"a":2}}`},
		{json.RawMessage(`"\ud800"`), `{"output":"` + "\ufffd" + `"}`},
		{"\xff", `{"output":"` + "\ufffd" + `"}`},
		{Secret("key"), `{"output":"key","secret":true}`},
		{Secret(nil), `{}`},
	} {
		result, err := encodeOutput(test.output)
		if err != nil {
			t.Errorf("%v: %v", test.output, err)
			continue
		}
		if got, _ := encodeJSON(result); string(got) != test.want {
			t.Errorf("%v: %s, want %s", test.output, got, test.want)
		}
	}
}

func TestOutputsThatCannotBeHandedOver(t *testing.T) {
	nested := func(levels int) any {
		return json.RawMessage(strings.Repeat("[", levels) + strings.Repeat("]", levels))
	}
	if _, err := encodeOutput(nested(deepestOutput)); err != nil {
		t.Errorf("%d levels: %v", deepestOutput, err)
	}
	for name, output := range map[string]any{
		"too deep":   nested(deepestOutput + 1),
		"a channel":  make(chan int),
		"NaN":        math.NaN(),
		"no JSON":    json.RawMessage("{"),
		"a function": Secret(func() {}),
	} {
		if _, err := encodeOutput(output); err == nil || !strings.HasPrefix(err.Error(), "cannot hand over the output: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
