package initd

import (
	"errors"
	"strings"
	"testing"
)

func TestMessagesMayHaveUnknownMembers(t *testing.T) {
	// Names that differ only in their case are different, although encoding/json matches them.
	m, err := decodeMessage([]byte(` {"jsonrpc":"2.0","ID":9,"id":1,"Result":"no","result":{"é":1},"future":[null]} `))
	if err != nil || string(m.id) != "1" || string(m.result) != `{"é":1}` {
		t.Errorf("decodeMessage = %+v, %v", m, err)
	}
}

func TestTheThreeKindsOfMessages(t *testing.T) {
	for text, method := range map[string]string{
		`{"jsonrpc":"2.0","id":"run-1","method":"run","params":{"a":1}}`: "run",
		`{"jsonrpc":"2.0","method":"event"}`:                             "event",
		`{"jsonrpc":"2.0","id":3,"result":null}`:                         "",
	} {
		if m, err := decodeMessage([]byte(text)); err != nil || m.method != method {
			t.Errorf("%s: %+v, %v", text, m, err)
		}
	}
}

func TestDeepJSONIsRead(t *testing.T) {
	deep := strings.Repeat("[", 500) + strings.Repeat("]", 500)
	m, err := decodeMessage([]byte(`{"jsonrpc":"2.0","id":1,"result":` + deep + `}`))
	if err != nil || string(m.result) != deep {
		t.Errorf("decodeMessage: %v", err)
	}
}

func TestWhatIsNoMessageIsRefused(t *testing.T) {
	for _, text := range []string{
		``, `x`, `[]`, `"a"`, `{}`, `{"jsonrpc":"2.0",}`, `{"jsonrpc":"2.0"} {}`,
		`{"jsonrpc":"1.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1}`,
		`{"jsonrpc":"2.0","result":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}`,
		`{"jsonrpc":"2.0","method":"event","params":[1]}`,
	} {
		if m, err := decodeMessage([]byte(text)); !errors.Is(err, ErrProtocol) {
			t.Errorf("%s: %+v, %v; want ErrProtocol", text, m, err)
		}
	}
}

func TestErrorsOfAnswers(t *testing.T) {
	m, err := decodeMessage([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32099,"message":"new\u001b[2J","data":{"code":"aNewWord","limit":"x"}}}`))
	var refused *Error
	if err != nil || !m.isNull() || !errors.As(m.err, &refused) {
		t.Fatalf("decodeMessage = %+v, %v", m, err)
	}
	if refused.Code != -32099 || refused.Word != "aNewWord" || refused.Limit() != "x" || refused.Status() != nil {
		t.Errorf("the error is %+v", refused)
	}
	if got, want := refused.Error(), `initd: new\x1b[2J (aNewWord, -32099)`; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	for _, malformed := range []string{`null`, `"no"`, `{"code":"x"}`} {
		m, err := decodeMessage([]byte(`{"jsonrpc":"2.0","id":1,"error":` + malformed + `}`))
		if err != nil || !errors.Is(m.err, ErrProtocol) {
			t.Errorf("%s: %+v, %v", malformed, m, err)
		}
	}
}

func TestTextForPeopleIsCutBetweenCharacters(t *testing.T) {
	long := strings.Repeat("é", longestText)
	if got := shortened("x" + long); len(got) != longestText-1 || !strings.HasPrefix(long, got[1:]) {
		t.Errorf("shortened to %d bytes", len(got))
	}
	if got := shortened("short"); got != "short" {
		t.Errorf("shortened(short) = %q", got)
	}
}
