"""protocol.md §1: a payload is one strict JSON object; an invalid one is −32700 with id null, and the connection continues."""

import unittest

from peer import message
from supervisor import SharedConformance


def ping(text):
    """A ping whose params are `text`."""
    return b'{"jsonrpc":"2.0","id":"p","method":"ping","params":' + text + b"}"


BAD = {
    "a trailing comma in an object": ping(b'{"a":1,}'),
    "a trailing comma in an array": ping(b'{"a":[1,]}'),
    "a trailing comma after the last member": b'{"jsonrpc":"2.0","id":"p","method":"ping","params":{},}',
    "a member twice": b'{"jsonrpc":"2.0","id":"p","id":"p","method":"ping","params":{}}',
    "a member twice inside": ping(b'{"a":1,"b":{"c":1,"c":1}}'),
    "a member twice, once escaped": ping(b'{"a":1,"\\u0061":1}'),
    "an unknown member twice": b'{"jsonrpc":"2.0","id":"p","method":"ping","params":{},"x":{"y":1,"y":2}}',
    "a byte order mark": b"\xef\xbb\xbf" + ping(b"{}"),
    "UTF-16": ping(b"{}").decode().encode("utf-16-le"),
    "a lone continuation byte": ping(b'{"a":"\x80"}'),
    "a sequence cut short": ping(b'{"a":"\xe2\x82"}'),
    "an overlong encoding": ping(b'{"a":"\xc0\xaf"}'),
    "a surrogate in UTF-8": ping(b'{"a":"\xed\xa0\x80"}'),
    "a code point beyond the last": ping(b'{"a":"\xf4\x90\x80\x80"}'),
    "a high surrogate alone": ping(b'{"a":"\\ud800"}'),
    "a high surrogate before a letter": ping(b'{"a":"\\ud800x"}'),
    "a low surrogate alone": ping(b'{"a":"\\udc00"}'),
    "surrogates in the wrong order": ping(b'{"a":"\\udc00\\ud800"}'),
    "an unpaired surrogate in a name": ping(b'{"\\ud800":1}'),
    "an unpaired surrogate in an unknown member": b'{"jsonrpc":"2.0","id":"p","method":"ping","params":{},"x":"\\udfff"}',
    "an array: there are no batches": b'[{"jsonrpc":"2.0","id":"p","method":"ping","params":{}}]',
    "an empty array": b"[]",
    "a string": b'"ping"',
    "a number": b"1",
    "null": b"null",
    "nothing but white space": b" \n\t",
    "two objects": ping(b"{}") + ping(b"{}"),
    "bytes after the object": ping(b"{}") + b"x",
    "a zero byte after the object": ping(b"{}") + b"\0",
    "an object that isn't closed": ping(b"{}")[:-1],
    "one brace too many": ping(b"{}") + b"}",
    "NaN": ping(b'{"a":NaN}'),
    "Infinity": ping(b'{"a":-Infinity}'),
    "a leading zero": ping(b'{"a":01}'),
    "a plus sign": ping(b'{"a":+1}'),
    "no digit before the point": ping(b'{"a":.5}'),
    "no digit after the point": ping(b'{"a":1.}'),
    "an exponent without digits": ping(b'{"a":1e}'),
    "a minus alone": ping(b'{"a":-}'),
    "hexadecimal": ping(b'{"a":0x10}'),
    "single quotes": ping(b"{'a':1}"),
    "a name without quotes": ping(b"{a:1}"),
    "a comment": ping(b'{"a":1/* one */}'),
    "a raw newline in a string": ping(b'{"a":"\n"}'),
    "a raw zero byte in a string": ping(b'{"a":"\0"}'),
    "an unknown escape": ping(b'{"a":"\\x41"}'),
    "an escape cut short": ping(b'{"a":"\\u00"}'),
    "a string that isn't closed": ping(b'{"a":"b}'),
    "a literal in capitals": ping(b'{"a":True}'),
    "a literal with a tail": ping(b'{"a":nulls}'),
    "a missing colon": ping(b'{"a" 1}'),
    "a missing comma": ping(b'{"a":1 "b":2}'),
    "a vertical tab as white space": b"\x0b" + ping(b"{}"),
    "nesting of 33 in a known member": ping(b'{"a":' + b"[" * 31 + b"]" * 31 + b"}"),
    "nesting of 33 in an unknown member": b'{"jsonrpc":"2.0","id":"p","method":"ping","params":{},"x":' + b'{"y":' * 31 + b"{}" + b"}" * 32,
    "nesting without end": ping(b"[" * 200_000),
}


class JsonTests(SharedConformance):
    def test_invalid_json_is_32700_and_the_connection_continues(self):
        peer = self.supervisor.peer()
        for what, payload in BAD.items():
            with self.subTest(what):
                peer.send_payload(payload)
                peer.complaint(-32700)
                peer.alive()

    def test_nesting_of_32_with_the_messages_own_braces_is_allowed(self):
        peer = self.supervisor.peer()
        peer.send_payload(ping(b'{"a":' + b"[" * 30 + b"]" * 30 + b"}"))
        self.assertIn("result", peer.answer("p"))
        peer.send_payload(b'{"jsonrpc":"2.0","id":"q","method":"ping","params":{},"x":' + b'{"y":' * 30 + b"{}" + b"}" * 31)
        self.assertEqual(peer.answer("q")["result"], {})

    def test_brackets_in_strings_dont_count_as_nesting(self):
        peer = self.supervisor.peer()
        self.assertEqual(peer.ok("ping", a="[" * 1000, b='\\"{{{')["a"], "[" * 1000)

    def test_white_space_around_tokens_is_allowed(self):
        peer = self.supervisor.peer()
        peer.send_payload(b' \r\n\t{ "jsonrpc" : "2.0" ,\n"id" : "p" , "method":"ping", "params" : { "a" : [ 1 , 2 ] } } \n')
        self.assertEqual(peer.answer("p")["result"], {"a": [1, 2]})

    def test_escapes_are_unescaped(self):
        peer = self.supervisor.peer()
        peer.send_payload(b'{"jsonrpc":"2.0","\\u0069d":"p","method":"p\\u0069ng","params":{"a":"\\ud83d\\ude00\\/\\b\\u0000"}}')
        self.assertEqual(peer.answer("p")["result"], {"a": "\U0001f600/\b\0"})

    def test_ping_gives_back_the_same_params(self):
        params = {
            "text": "é € 😀 \u2028 \x7f \0 \" \\ /",
            "": "a name of no letters",
            "numbers": [0, -1, 1.5, 1e-7, 2**53 + 1, 2**63 - 1, -(2**63), 0.1],
            "literals": [True, False, None],
            "nested": {"a": {"b": []}, "c": {}},
        }
        self.assertEqual(self.supervisor.peer().call("ping", params)["result"], params)

    def test_bad_payloads_among_good_ones_are_all_answered(self):
        peer = self.supervisor.peer()
        for n in range(100):
            peer.send_payload(b"{" if n % 2 else message(id=n, method="ping", params={}))
        answers = [peer.receive() for _ in range(100)]
        self.assertEqual(sum(each["id"] is None and each["error"]["code"] == -32700 for each in answers), 50)
        self.assertEqual({each["id"] for each in answers if "result" in each}, set(range(0, 100, 2)))


if __name__ == "__main__":
    unittest.main()
