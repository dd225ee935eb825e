"""The checks of messages notice messages that the protocol doesn't allow."""

from __future__ import annotations

import json
import unittest
from typing import Any

import shapes

INITIALIZER = {"name": "a", "priority": "appLaunch", "dependencies": ["b"], "provider": "command", "available": True, "status": "running", "pid": 7}
FAILED = {"name": "a", "priority": "appLaunch", "dependencies": [], "provider": "command", "available": True, "status": "failed",
          "error": {"code": "initializerFailed", "initializer": "a", "cause": {"kind": "exit", "status": 3}, "message": "a failed"}}


def event(initializer: Any) -> Any:
    return {"jsonrpc": "2.0", "method": "event", "params": {"seq": 1, "time": 1763672400.1, "topic": "initializer", "initializer": initializer}}


def refusal(**members: Any) -> Any:
    return {"jsonrpc": "2.0", "id": 1, "error": {"message": "no"} | members}


class ShapeTests(unittest.TestCase):
    def decode(self, message: Any) -> None:
        shapes.decode(json.dumps(message).encode())

    def test_good_messages(self) -> None:
        for message in (event(INITIALIZER), event(FAILED), refusal(code=-32601), refusal(code=-32007, data={"code": "limitExceeded", "limit": "waits"})):
            self.decode(message)
        for method, result in (("wait", {"state": "cancelled", "pass": 1}), ("ping", {"a": None}), ("release", {}), ("rerun", {"passes": [1]})):
            shapes.check_result(method, result)

    def test_bad_messages(self) -> None:
        error = FAILED["error"]
        for what, message in {
            "the members of Initializer, without colour": event(INITIALIZER | {"colour": "red"}),
            "params.initializer: a member name": event({name: value for name, value in INITIALIZER.items() if name != "name"}),
            "params.initializer.available: a boolean": event(INITIALIZER | {"available": 1}),
            "params.initializer.pid: an integer": event(INITIALIZER | {"pid": True}),
            "params.initializer.run: an integer": event(INITIALIZER | {"run": 2**53}),
            "params.initializer.started: a number": event(INITIALIZER | {"started": 1e13}),
            "params.initializer.group: a string": event(INITIALIZER | {"group": None}),
            "params.initializer.status: ..idle., .waiting.,": event(INITIALIZER | {"status": "walking"}),
            r"params.initializer.dependencies\[1\]: a string": event(INITIALIZER | {"dependencies": ["b", 1]}),
            "params.initializer.error: one of InitializationError.circular": event(FAILED | {"error": error | {"code": "other"}}),
            "params.initializer.error.cause: the members of Cause.signal, without status": event(
                FAILED | {"error": error | {"cause": {"kind": "signal", "signal": "SIGHUP", "status": 1}}}),
            "an error where it failed": event(INITIALIZER | {"status": "failed"}),
            "both seq and time": {"jsonrpc": "2.0", "method": "event", "params": {"topic": "shutdown", "seq": 1}},
            "a member traceparent": {"jsonrpc": "2.0", "id": 1, "method": "run",
                                     "params": {"run": 1, "initializer": "a", "pass": 1, "phase": "launch", "attempt": 1}},
            "its members": event(INITIALIZER) | {"id": 1},
            "an answer": {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {"code": 1, "message": ""}},
            "data with limit": refusal(code=-32007, data={"code": "limitExceeded"}),
            "data.code nameConflict": refusal(code=-32002),
        }.items():
            with self.subTest(what), self.assertRaisesRegex(AssertionError, what):
                self.decode(message)

    def test_bad_results(self) -> None:
        for method, result, what in (
            ("release", {"a": 1}, "the members of EmptyResult, without a"),
            ("rerun", {}, "a member passes"),
            ("launch", {"pass": 1, "launch": {"state": "cancelled", "pass": 1}}, "a state that isn't cancelled"),
            ("shutdown", {"exits": "yes"}, "result.exits: a boolean"),
            ("wait", [], "result: an object"),
        ):
            with self.subTest(method), self.assertRaisesRegex(AssertionError, what):
                shapes.check_result(method, result)
