package initd

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// deepestOutput is how many levels of nesting the supervisor accepts in an output. With more levels, the supervisor couldn't read the whole
// answer, and the run would never end.
const deepestOutput = 29

// secret marks an output; see Secret.
type secret struct{ value any }

// Secret marks the output of a handler: the supervisor passes it on, and never shows or logs it.
//
//	return initd.Secret(password), nil
func Secret(output any) any { return secret{output} }

// runResult is the result of a run.
type runResult struct {
	Output json.RawMessage `json:"output,omitempty"`
	Secret bool            `json:"secret,omitempty"`
}

// encodeOutput returns the result of a run with this output. Nil is no output.
func encodeOutput(output any) (runResult, error) {
	var result runResult
	if marked, ok := output.(secret); ok {
		result.Secret, output = true, marked.value
	}
	if output == nil {
		return runResult{}, nil
	}
	encoded, err := encodeJSON(output)
	if err != nil {
		path, why := unencodable(output, err)
		if path != "" && !result.Secret { // A path has keys, which may be secret, too.
			why = "at " + path + ": " + why
		}
		return runResult{}, fmt.Errorf("cannot hand over the output: %s", why)
	}
	// The result of a json.Marshaler may have duplicate members or unpaired surrogates, which aren't strict JSON. Decoding it
	// removes these.
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return runResult{}, fmt.Errorf("cannot hand over the output: %w", err)
	}
	if levels := depth(value); levels > deepestOutput {
		return runResult{}, fmt.Errorf("cannot hand over the output: it has %d levels of nesting, and %d are allowed", levels, deepestOutput)
	}
	result.Output, err = encodeJSON(value)
	return result, err
}

// depth is how many arrays and objects are nested in a decoded value.
func depth(value any) int {
	deepest := 0
	within := func(inner any) {
		if d := depth(inner); d > deepest {
			deepest = d
		}
	}
	switch value := value.(type) {
	case []any:
		for _, inner := range value {
			within(inner)
		}
	case map[string]any:
		for _, inner := range value {
			within(inner)
		}
	default:
		return 0
	}
	return deepest + 1
}
