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

func TestAnOutputThatIsNotJSONSaysWhereAndWhy(t *testing.T) {
	type inner struct {
		Ratio float64 `json:"ratio,omitempty"`
	}
	type outer struct {
		*inner
		Hidden func() `json:"-"`
		Inner  []inner
	}
	cycle := map[string]any{}
	cycle["list"] = []any{1, cycle}
	for _, test := range []struct {
		output any
		want   string
	}{
		{math.NaN(), "NaN isn't JSON"},
		{map[string]any{"a": []any{math.NaN()}}, "at .a[0]: NaN isn't JSON"},
		{map[string]any{"b": math.Inf(-1), "a b": 1}, "at .b: -Inf isn't JSON"},
		{map[int]any{7: map[string]float64{"a b": math.Inf(1)}}, `at .7["a b"]: +Inf isn't JSON`},
		{&outer{Inner: []inner{{}, {Ratio: math.NaN()}}}, "at .Inner[1].ratio: NaN isn't JSON"},
		{[]any{nil, func() {}}, "at [1]: a value of type func() isn't JSON"},
		{[]any{map[bool]int{}}, "at [0]: a value of type map[bool]int isn't JSON"},
		{[]any{json.RawMessage("{")}, "at [0]: json: error calling MarshalJSON for type json.RawMessage: unexpected end of JSON input"},
		{cycle, "at .list[1]: a value that contains itself isn't JSON"},
		{Secret(map[string]any{"key": math.NaN()}), "NaN isn't JSON"},
	} {
		if _, err := encodeOutput(test.output); err == nil || err.Error() != "cannot hand over the output: "+test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}
