"""A random world around a real supervisor: a manifest, clients with holds, workers of all kinds, and a recorder of all events.

`random_plan` and `random_action` draw from any object like `random.Random`, so a seed or a shrinking tool can drive them.
A `World` plays actions one by one; no action requires an earlier one, so any part of a list of actions can be played.
"""

from __future__ import annotations

import collections
import contextlib
import os
import select
import signal
import socket
import sys
import threading
import time
from typing import Any, Callable, Optional

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "Tests/Conformance"))

from calm import children  # noqa: E402
from checker import Checker, Recording, Rest, Violation, shortest  # noqa: E402
from deadlines import DEADLINE, until  # noqa: E402
from peer import Ended, Peer, connected, hello  # noqa: E402
from supervisor import Conformance, Supervisor  # noqa: E402

TOPICS = ["launch", "active", "composite", "lifecycle", "initializer", "pass", "worker", "log"]
GRACE = 0.2
FOR_EVER = 1e6
COMMANDS = {
    "quick": "exec true",
    "talks": "echo one; echo two >&2",
    "slow": "exec sleep 0.03",
    "long": "exec sleep 2",
    "fails": "exit 3",
    "every-other": "test -e $INITD_INITIALIZER.once && { rm $INITD_INITIALIZER.once; exit 0; }; touch $INITD_INITIALIZER.once; exit 4",
    "deaf": "trap '' TERM; sleep 0.6 & wait; wait",
    "killed": "kill -9 $$",
    "leaves": "sleep 0.3 & exit 0",
}
ROUTINE = {"fills": "for i in $(seq 120); do seq -f '%.0f: to be kept until the newer ones are too many' 100; sleep 0.02; done"}
"""Fills the log to its limit, so later growth has another cause; no faster than a recorder reads. No random plan contains it."""
HARMLESS = ["quick", "talks", "slow"]
MANNERS = ["prompt", "prompt", "held", "failing", "twice", "late", "deaf", "stalled", "progress"]
"""The behaviour of a worker: it answers at once, when its behaviour changes, with an error, twice, with success after it was asked to
stop, or never; or it doesn't even read, or reports progress first.
"""
WORKERS = 3
CLIENTS = 2
DYNAMIC = ["d0", "d1", "d2"]

Plan = dict[str, Any]
Action = tuple[Any, ...]


def chance(random: Any, of: float) -> bool:
    """Whether a rare case applies. Shrinking makes numbers small, so the simpler case is that it doesn't."""
    return random.random() >= 1 - of


def random_plan(random: Any, harmless: bool = False, size: Optional[int] = None) -> Plan:
    """A manifest with random initializers and dependencies, without a cycle, because a manifest with one is refused.

    A harmless one has no initializer that always fails or is slow. In some of the others, system calls of the supervisor fail at random
    (`INITD_REFUSE`, in debug builds): then commands may fail because they can't be started or watched, and connections may fail; everything
    else must still hold.
    """
    initializers: list[dict[str, Any]] = []
    names: list[str] = []
    for index in range(size or random.randint(1, 7)):
        worker = chance(random, 0.4)
        name = f"{'w' if worker else 'c'}{index}"
        each: dict[str, Any] = {"name": name, "dependencies": [other for other in names if chance(random, min(0.3, 2 / len(names)))]}
        each["priority"] = random.choice(["appLaunch", "appActive"])
        if worker:
            each["worker"] = True
            each["perProcess"] = not harmless and chance(random, 0.3)
        else:
            each["command"] = random.choice(list(COMMANDS) if not harmless and chance(random, 0.4) else HARMLESS)
        if not harmless:
            each["optional"] = chance(random, 0.15)
            if chance(random, 0.25):
                each["when"] = random.choice(["holds", "doesn't"])
            if chance(random, 0.25):
                each["inputs"] = True
            if chance(random, 0.25):
                each["group"] = random.choice(["g", "h"])
            if chance(random, 0.2):
                each["timeout"] = random.choice([0.1, 0.4])
            if chance(random, 0.3):
                each |= {"retry": random.choice([2, 3]), "delay": 0.02}
        initializers.append(each)
        names.append(name)
    # Kept processes stand after the initializers; some of these depend on them, without a cycle.
    kept: list[dict[str, Any]] = []
    for name in ("p0", "p1"):
        if harmless or not chance(random, 0.25):
            continue
        needs = [other for other in names if chance(random, 0.2)]
        for each in initializers:
            if chance(random, 0.3) and not _needs([*initializers, *kept], needs, each["name"]):
                each["dependencies"].append(name)
        kept.append({"name": name, "priority": "appLaunch", "process": True, "rerun": chance(random, 0.5), "dependencies": needs})
        names.append(name)
    # The order of registration is not the order of dependencies.
    random.shuffle(initializers)
    plan: Plan = {"concurrency": random.choice([1, 1, 2, 3]), "initializers": initializers + kept}
    if not harmless and chance(random, 0.3):
        plan["keepGoing"] = True
    for option in ("only", "skip"):
        if not harmless and chance(random, 0.15):
            left = [name for name in names if name not in plan.get("only", [])]
            plan[option] = random.sample(left, min(len(left), random.randint(1, 2)))
    if not harmless and not kept and chance(random, 0.3):
        plan["refuse"] = f"{random.randrange(1 << 32)}:{random.choice([0.003, 0.02, 0.1])}"
        # A condition that can't be checked doesn't hold.
        for each in initializers:
            each.pop("when", None)
    return plan


def _needs(declared: list[dict[str, Any]], names: list[str], other: str) -> bool:
    """Returns whether one of these depends on another, directly or through others."""
    dependencies = {each["name"]: each["dependencies"] for each in declared}
    reached, ahead = set(names), list(names)
    while ahead:
        new = set(dependencies.get(ahead.pop(), [])) - reached
        reached |= new
        ahead += new
    return other in reached


def manifest(plan: Plan) -> str:
    """The text of a plan."""
    lines = ["version: 1", f"concurrency: {plan['concurrency']}", f"cancelGrace: {GRACE}", "registrationTimeout: 0.2", "initializers:"]
    lines.insert(1, "groups: { g: 1, h: 2 }")
    if plan.get("keepGoing"):
        lines.insert(1, "keepGoing: true")
    kept = [each for each in plan["initializers"] if "process" in each]
    for each in (each for each in plan["initializers"] if "process" not in each):
        members = [f"priority: {each['priority']}", f"dependencies: [{', '.join(each['dependencies'])}]"]
        members.append("worker: true" if "worker" in each else f"command: {quoted((COMMANDS | ROUTINE)[each['command']])}")
        if each.get("optional"):
            members.append("optional: true")
        if "when" in each:
            members.append("when: { path: . }" if each["when"] == "holds" else "when: { missing: init.yaml }")
        if each.get("inputs"):
            members.append("inputs: [init.yaml]")
        if "group" in each:
            members.append(f"group: {each['group']}")
        if "timeout" in each:
            members.append(f"timeout: {each['timeout']}")
        if "retry" in each:
            members.append(f"retry: {{ attempts: {each['retry']}, delay: {each['delay']}, factor: 2 }}")
        lines.append(f"  {each['name']}: {{ {', '.join(members)} }}")
    lines += ["workers:"] if kept else []
    for each in kept:
        lines.append(
            f"  {each['name']}: {{ command: 'touch {each['name']}.up; exec sleep 1000', ready: {{ path: {each['name']}.up, every: 10ms }},"
            f" dependencies: [{', '.join(each['dependencies'])}], onRestart: {'rerun' if each['rerun'] else 'ignore'},"
            " restart: always, backoff: { delay: 20ms, factor: 1 } }")
    return "\n".join(lines) + "\n"


def ways(plan: Plan) -> dict[str, Any]:
    """What the checker must know about how a supervisor runs a plan."""
    return {"keeps_going": plan.get("keepGoing", False), "only": plan.get("only", []), "skipped": plan.get("skip", [])}


def options(plan: Plan) -> list[str]:
    """The options of initd for a plan."""
    return [word for option in ("only", "skip") for name in plan.get(option, []) for word in (f"--{option}", name)]


def quoted(text: str) -> str:
    """A text as a YAML scalar."""
    return "'" + text.replace("'", "''") + "'"


def random_action(random: Any) -> Action:
    """One action of a client or a worker."""
    client, worker = random.randrange(CLIENTS), random.randrange(WORKERS)
    kinds: list[Callable[[], Action]] = [
        lambda: ("launch",),
        lambda: ("activate",),
        lambda: ("activate",),
        lambda: ("deactivate",),
        lambda: ("deactivate",),
        lambda: ("hold", client),
        lambda: ("release", client),
        lambda: ("leave", client),
        lambda: ("connect", worker),
        lambda: ("connect", worker),
        lambda: ("register", worker, random.choice(DYNAMIC), random.choice(["appLaunch", "appActive"]), random.randrange(8)),
        lambda: ("take", worker, random.randrange(8)),
        lambda: ("inherit", worker, random.randrange(WORKERS)),
        lambda: ("unregister", worker, random.randrange(4)),
        lambda: ("churn", worker, random.choice(DYNAMIC), random.randint(2, 7), random.randrange(8)),
        lambda: ("churn", worker, random.choice(DYNAMIC), random.randint(2, 7), random.randrange(8)),
        lambda: ("clear", random.choice(DYNAMIC)),
        lambda: ("look",),
        lambda: ("rerun", random.randrange(8), random.random() < 0.4),
        lambda: ("cancel", random.randrange(8)),
        lambda: ("crash", random.randrange(2)),
        lambda: ("kill", worker),
        lambda: ("manner", worker, random.choice(MANNERS)),
        lambda: ("manner", worker, random.choice(MANNERS)),
        lambda: ("stranger", worker),
        lambda: ("pause", random.choice([0, 1, 5, 20, 60])),
        lambda: ("pause", random.choice([0, 1, 5, 20, 300])),
        lambda: ("hurry", random.randrange(8)),
    ]
    return random.choice(kinds)()


class Recorder(threading.Thread):
    """A subscriber of all topics that always reads at once, checks each event, and keeps the last events."""

    def __init__(self, peer: Peer, declared: dict[str, dict[str, Any]], keep: Optional[int], plan: Plan) -> None:
        super().__init__(daemon=True)
        self.snapshot = peer.ok("subscribe", topics=TOPICS)["snapshot"]
        self.checker = Checker(self.snapshot, declared, "refuse" in plan, **ways(plan))
        self.events: collections.deque[dict[str, Any]] = collections.deque(maxlen=keep)
        self.fault: Optional[BaseException] = None
        self._peer = peer
        self._closing = False
        self.start()

    def run(self) -> None:
        try:
            while (message := self._peer.receive(FOR_EVER)) is not None:
                if "method" in message:
                    self.events.append(message["params"])
                    self.checker.take(message["params"])
                else:
                    self.checker.look(message["result"])
            assert self._closing, "the recorder's connection was closed"
        except BaseException as fault:  # The fault is raised where the world is played.
            if not self._closing:
                self.fault = fault

    def look(self) -> None:
        """Compares the Status with the events before it."""
        self._peer.request("status")

    def close(self) -> None:
        self._closing = True
        with contextlib.suppress(OSError):
            self._peer.stream.shutdown(socket.SHUT_RDWR)
        self.join()

    def sound(self) -> None:
        """Raises the first violation of the events so far."""
        if isinstance(self.fault, Violation):
            self.fault.leading = shortest(self.events, self.fault.about)
        if self.fault is not None:
            raise self.fault

    def until(self, seq: int) -> None:
        """Waits until the event of that number has arrived."""
        until(lambda: self.checker.seq >= seq or self.fault, f"the event {seq}")
        self.sound()


class Elsewhere:
    """A separate process that connects workers, so the supervisor sees them as another process (S22). Created before any thread."""

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair()
        self._child = os.fork()
        if self._child == 0:
            try:
                self._ours.close()
                while path := theirs.recv(4096):
                    with connected(path.decode()) as stream:
                        socket.send_fds(theirs, [b"x"], [stream.fileno()])
            finally:
                os._exit(0)
        theirs.close()

    def connected(self, path: str) -> socket.socket:
        self._ours.send(path.encode())
        _, descriptors, _, _ = socket.recv_fds(self._ours, 1, 1)
        assert descriptors, "the other process can't connect"
        return socket.socket(fileno=descriptors[0])

    def close(self) -> None:
        self._ours.close()
        os.waitpid(self._child, 0)


class Worker:
    """A worker connection and its behaviour. The last worker is in another process."""

    def __init__(self, world: World, index: int) -> None:
        self.world = world
        elsewhere = world.elsewhere if index == WORKERS - 1 else None
        self.client = f"worker-{index}-{world.next_number()}"
        self.peer = world.connect(self.client, elsewhere)
        self.names: list[str] = []
        self.manner = "prompt"
        self.open = True
        self.held: dict[int, Any] = {}

    def call(self, method: str, params: Any) -> Optional[dict[str, Any]]:
        """Sends a request and returns its answer; None if the supervisor has closed the connection."""
        try:
            answer = self.peer.call(method, params)
        except (Ended, OSError):
            self.lost()
            return None
        return answer.get("result")

    def lost(self) -> None:
        self.open = False
        self.peer.close()

    def pump(self) -> None:
        """Reads available messages, and reacts by its behaviour."""
        if not self.open or self.manner == "stalled":
            return
        try:
            while self.peer.inbox or self.peer._buffer or select.select([self.peer.stream], [], [], 0)[0]:
                if (message := self.peer.receive()) is None:
                    self.lost()
                    return
                self.take(message)
        except (Ended, OSError):
            self.lost()

    def take(self, message: dict[str, Any]) -> None:
        run = message.get("params", {}).get("run")
        if message.get("method") == "cancel":
            if run in self.held:
                id = self.held.pop(run)
                if self.manner == "late":
                    self.peer.send(id=id, result={})
                elif self.manner != "deaf":
                    self.peer.send(id=id, error={"code": -32008, "message": "cancelled"})
        elif message.get("method") == "run":
            self.answer(message["id"], run)

    def answer(self, id: Any, run: int) -> None:
        match self.manner:
            case "prompt":
                self.peer.send(id=id, result={})
            case "failing":
                self.peer.send(id=id, error={"code": 1, "message": "broken"})
            case "twice":
                self.peer.send(id=id, result={})
                self.peer.send(id=id, error={"code": 1, "message": "again"})
            case "progress":
                for fraction in (0.25, 0.5, 0.4, 1):
                    self.peer.send(method="progress", params={"run": run, "fraction": fraction, "message": "on", "extend": 1})
                self.peer.send(id=id, result={})
            case _:
                self.held[run] = id

    def behave(self, manner: str) -> None:
        """Changes the behaviour; open runs are answered by the new behaviour."""
        self.manner = manner
        held, self.held = self.held, {}
        try:
            for run, id in held.items():
                self.answer(id, run)
        except OSError:
            self.lost()
        self.pump()


class World:
    """A supervisor, its clients, and the observed events."""

    def __init__(self, plan: Plan, keep: Optional[int] = None) -> None:
        """`keep` is how many events are kept; by default all."""
        self.plan = plan
        self.declared = {each["name"]: each for each in plan["initializers"]}
        self.clients: dict[int, Peer] = {}
        self.workers: dict[int, Worker] = {}
        self.recorder: Optional[Recorder] = None
        self._number = 0
        self._hurried = 0
        self.asked = 0
        """The highest number of a pass in any answer."""
        self._turns = 0
        # The pid of the last killed process of each name.
        self._killed: dict[str, int] = {}
        self._standing = False
        self._holds: set[int] = set()
        self._peers: list[Peer] = []
        self.elsewhere = Elsewhere()
        self.owner = Conformance()
        self.owner.setUp()
        try:
            env = {"INITD_REFUSE": plan["refuse"]} if "refuse" in plan else None
            self.supervisor: Supervisor = self.owner.start(manifest(plan), "--no-launch", "--log-level", "error", *options(plan), env=env)
            self._peers = [self.connect("model"), self.connect("recorder")]
            self.peer = self._peers[0]
            self.recorder = Recorder(self._peers[1], self.declared, keep, plan)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> World:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self.recorder is not None:
            self.recorder.close()
        for peer in [*self._peers, *self.clients.values(), *(each.peer for each in self.workers.values())]:
            peer.close()
        self.elsewhere.close()
        self.owner.doCleanups()

    def connect(self, name: str, elsewhere: Optional[Elsewhere] = None) -> Peer:
        """A connection after hello; of another process if requested. With failing system calls, several attempts are made."""

        def attempt() -> Optional[Peer]:
            peer = Peer(elsewhere.connected(self.supervisor.path) if elsewhere else connected(self.supervisor.path))
            try:
                hello(peer, name)
                return peer
            except (Ended, OSError):
                peer.close()
                if "refuse" not in self.plan:
                    raise
                return None

        return until(attempt, f"a connection of {name}")

    def next_number(self) -> int:
        self._number += 1
        return self._number

    # Actions

    def play(self, action: Action) -> None:
        """Plays one action of the plan. Unless the action is a hurry, all clients and workers then react."""
        kind, *rest = action
        getattr(self, f"_{kind}")(*rest)
        if self._hurried > 0:
            self._hurried -= 1
        else:
            self.pump()
        self.sound()

    def sound(self) -> None:
        """Raises the first violation so far."""
        status = self.supervisor.program.process.poll()
        if status is not None:
            self.supervisor.program.pump()
            raise AssertionError(f"initd ended with {status}: {self.supervisor.program.err.decode(errors='replace')[-4000:]}")
        assert self.recorder is not None
        self.recorder.sound()

    def pump(self) -> None:
        """All clients and workers read available messages, and react."""
        for worker in self.workers.values():
            worker.pump()
        self.supervisor.program.pump()

    def _client(self, index: int) -> Peer:
        if index not in self.clients:
            self.clients[index] = self.connect(f"client-{index}-{self.next_number()}")
        return self.clients[index]

    def _worker(self, index: int) -> Worker:
        worker = self.workers.get(index)
        if worker is None or not worker.open:
            worker = self.workers[index] = Worker(self, index)
        return worker

    def _asks(self, peer: Peer, method: str, **params: Any) -> None:
        self.asked = max(self.asked, peer.ok(method, **params).get("pass", 0))

    def _turn(self, standing: bool, holds: set[int]) -> None:
        """Records that, from now on, these clients have activated the app, and hold it active (S23)."""
        self._turns += bool(standing or holds) != bool(self._standing or self._holds)
        self._standing, self._holds = standing, holds

    def _launch(self) -> None:
        self._asks(self.peer, "launch")

    def _activate(self) -> None:
        self._asks(self.peer, "activate")
        self._turn(True, self._holds)

    def _deactivate(self) -> None:
        self.peer.ok("deactivate")
        self._turn(False, set())

    def _hold(self, client: int) -> None:
        self._asks(self._client(client), "activate", hold=True)
        self._turn(self._standing, self._holds | {client})

    def _release(self, client: int) -> None:
        self._client(client).ok("release")
        self._turn(self._standing, self._holds - {client})

    def _leave(self, client: int) -> None:
        if (peer := self.clients.pop(client, None)) is not None:
            peer.close()
            self._turn(self._standing, self._holds - {client})
            until(lambda: self.peer.status()["holds"] == len(self._holds), "the end of a hold whose client has gone")

    def _declared(self, index: int) -> list[dict[str, Any]]:
        """The names that the manifest declares for that worker."""
        own = [each for each in self.plan["initializers"] if "worker" in each]
        return [{"name": each["name"], "perProcess": each.get("perProcess", False)} for each in own[index::WORKERS]]

    def _connect(self, index: int) -> None:
        worker = self._worker(index)
        self._registers(worker, [each for each in self._declared(index) if each["name"] not in worker.names])

    def _registers(self, worker: Worker, declarations: list[dict[str, Any]]) -> None:
        if declarations and worker.call("register", {"initializers": declarations}) is not None:
            worker.names += [each["name"] for each in declarations]

    def _register(self, index: int, name: str, priority: str, seed: int) -> None:
        """A name that isn't in a manifest; its dependency may exist, be missing, or depend on it."""
        others = [each["name"] for each in self.plan["initializers"]] + DYNAMIC
        dependencies = [] if seed < 5 else [others[seed * 7 % len(others)]]
        self._registers(self._worker(index), [{"name": name, "priority": priority, "dependencies": dependencies}])

    def _take(self, index: int, which: int) -> None:
        """A worker registers a name that another worker provides, or provided until its connection was lost."""
        if names := [each for each in self.plan["initializers"] if "worker" in each]:
            each = names[which % len(names)]
            if each["name"] not in (worker := self._worker(index)).names:
                self._registers(worker, [{"name": each["name"], "perProcess": each.get("perProcess", False)}])

    def _inherit(self, index: int, other: int) -> None:
        """A worker is lost, and another worker registers its names."""
        if (lost := self.workers.get(other)) is not None and lost.open and other != index:
            lost.lost()
            until(lambda: lost.client not in (each["client"] for each in self.peer.status()["workers"]), f"the end of {lost.client}")
            declared = [each for each in self.plan["initializers"] if each["name"] in lost.names]
            self._registers(self._worker(index), [{"name": each["name"], "perProcess": each.get("perProcess", False)} for each in declared])

    def _unregister(self, index: int, which: int) -> None:
        worker = self._worker(index)
        if worker.names:
            name = worker.names.pop(which % len(worker.names))
            worker.call("unregister", {"names": [name]})

    def _churn(self, index: int, name: str, turns: int, seed: int) -> None:
        """Makes a worker register a name, unregister it, register it again and so on, before it is answered; each time with another
        declaration."""
        worker = self._worker(index)
        others = [each["name"] for each in self.plan["initializers"]] + [each for each in DYNAMIC if each != name]
        had = name in worker.names
        try:
            asked = []
            for turn in range(turns):
                if had == (turn % 2 == 0):
                    asked.append((False, worker.peer.request("unregister", {"names": [name]})))
                else:
                    dependencies = [others[(seed + turn) * 7 % len(others)]] if (seed + turn) % 4 == 0 else []
                    declaration = {"name": name, "priority": ["appLaunch", "appActive"][(seed + turn) % 2], "dependencies": dependencies}
                    asked.append((True, worker.peer.request("register", {"initializers": [declaration]})))
                # The subscriber may get a Status between any two of them.
                if (seed + turn) % 3 == 0:
                    self._look()
            for registers, id in asked:
                if "result" in worker.peer.answer(id):
                    worker.names = [each for each in worker.names if each != name] + [name] * registers
        except (Ended, OSError):
            worker.lost()

    def _clear(self, name: str) -> None:
        """A client removes a name. If the name's worker is connected, this is refused."""
        self.peer.call("unregister", {"names": [name]})

    def _name(self, which: int) -> str:
        """Returns a declared name, or a name that a worker may have registered."""
        names = [each["name"] for each in self.plan["initializers"]] + DYNAMIC
        return names[which % len(names)]

    def _rerun(self, which: int, with_dependents: bool) -> None:
        """Runs an initializer again, unless the app is inactive, or the name is unknown; with dependents in up to two passes."""
        assert self.recorder is not None
        name = self._name(which)
        checker = self.recorder.checker
        # A process with onRestart: rerun is restarted, and its dependents run again.
        spreads = with_dependents or checker.declared.get(name, {}).get("rerun", False)
        if spreads:
            # By then, the checker knows all of them.
            self.recorder.until(self.peer.status()["seq"])
        checker.rerun([name], spreads)
        answer = self.peer.call("rerun", {"initializers": [name], "withDependents": with_dependents})
        if "result" in answer:
            self.asked = max(self.asked, *answer["result"]["passes"])

    def _cancel(self, which: int) -> None:
        """Cancels a run as an operator, if there is one. The answer comes once it has stopped; until then, others continue."""
        self.peer.request("cancelRun", {"initializers": [self._name(which)]})

    def _crash(self, which: int) -> None:
        """Kills a kept process, if it runs: its initializer may run again, and so may its dependents with onRestart: rerun."""
        assert self.recorder is not None
        status = self.peer.status()
        # By then, the checker knows all dependents.
        self.recorder.until(status["seq"])
        running = [each for each in status["processes"] if "pid" in each]
        if running:
            process = running[which % len(running)]
            self.recorder.checker.crash(process["name"])
            self._killed[process["name"]] = process["pid"]
            with contextlib.suppress(ProcessLookupError):
                os.kill(process["pid"], signal.SIGKILL)

    def _look(self) -> None:
        assert self.recorder is not None
        self.recorder.look()

    def _kill(self, index: int) -> None:
        if (worker := self.workers.get(index)) is not None and worker.open:
            worker.lost()

    def _manner(self, index: int, manner: str) -> None:
        if (worker := self.workers.get(index)) is not None and worker.open:
            worker.behave(manner)

    def _stranger(self, index: int) -> None:
        """Sends an answer for another worker's run, and one for a run that never existed."""
        worker = self._worker(index)
        try:
            for id in ("run-1", "run-2", "run-999999"):
                worker.peer.send(id=id, result={})
        except OSError:
            worker.lost()

    def _pause(self, milliseconds: int) -> None:
        end = time.monotonic() + milliseconds / 1000
        while (left := end - time.monotonic()) > 0:
            self.pump()
            select.select(self._reading(), [], [], min(left, 0.01))

    def _reading(self) -> list[socket.socket]:
        """The sockets of workers that read."""
        return [each.peer.stream for each in self.workers.values() if each.open and each.manner != "stalled"]

    def _hurry(self, count: int) -> None:
        """Plays this many actions without reactions between them."""
        self._hurried = count

    # The end

    def end(self) -> None:
        """Checks that nothing is left at rest; ends the supervisor, which must leave no socket."""
        pid = self.supervisor.pid
        # The kept processes of a world live until the shutdown.
        kept = {each["name"] for each in self.plan["initializers"] if "process" in each}
        until(lambda: len(children(pid)) <= len(kept), "the end of its children")
        self.peer.ok("shutdown")
        status = self.supervisor.ended()
        assert status == 0, f"initd ended with {status}: {self.supervisor.program.err.decode(errors='replace')[-4000:]}"
        assert not os.path.exists(self.supervisor.path), "its socket is left"

    def renew(self) -> None:
        """All clients leave, all runs end, and names that aren't in the manifest are removed."""
        assert self.recorder is not None
        for client in list(self.clients):
            self._leave(client)
        for worker in self.workers.values():
            worker.lost()
        rest = self.rest()
        if names := [each["name"] for each in rest.status["initializers"] if each["name"] not in self.declared]:
            self.peer.ok("unregister", names=names)

    def ended(self, number: int) -> str:
        """Lets all clients and workers react until that pass has ended, and returns its outcome."""
        id = self.peer.request("wait", {"pass": number})
        end = time.monotonic() + DEADLINE
        while self.peer.stream not in select.select([self.peer.stream, *self._reading()], [], [], 1)[0]:
            self.pump()
            self.sound()
            assert time.monotonic() < end, f"pass {number} hasn't ended within {DEADLINE} s: {self.peer.status()}"
        return self.peer.answer(id)["result"]["state"]

    def rest(self) -> Rest:
        """Deactivates, waits until all runs have ended, and checks the queries."""
        self._hurried = 0
        for worker in self.workers.values():
            if worker.open:
                worker.behave("prompt")
        self._deactivate()
        end = time.monotonic() + DEADLINE
        while not self._still():
            self.sound()
            if time.monotonic() > end:
                raise AssertionError(f"not at rest within {DEADLINE} s: {self.peer.status()}")
            self._pause(5)
        assert self.recorder is not None
        while True:
            status, history = self.peer.status(), self.peer.ok("history", limit=1000)["passes"]
            self.recorder.until(status["seq"])
            if self.peer.status()["seq"] == status["seq"]:
                break
        rest = Rest(status, history, self.asked, self._turns)
        try:
            self.recorder.checker.finish(rest)
        except Violation as violation:
            violation.leading = shortest(self.recorder.events, violation.about)
            raise
        return rest

    @property
    def seen(self) -> list[dict[str, Any]]:
        """The kept events."""
        assert self.recorder is not None
        return list(self.recorder.events)

    def recording(self, rest: Rest) -> Recording:
        """All observations, from a world that keeps them."""
        assert self.recorder is not None
        again = dict(self.recorder.checker.requested)
        return Recording(self.declared, self.recorder.snapshot, self.seen, rest, again=again, **ways(self.plan))

    def _still(self) -> bool:
        """Returns whether no initializer runs or waits, and the last pass of each phase has ended; one may wait for a run of a removed
        name."""
        status = self.peer.status()
        if any(each["status"] in ("running", "stopping", "waiting") for each in status["initializers"]):
            return False
        # The supervisor may not know yet that a process was killed, or may be about to start it again.
        if any("nextStart" in each or each.get("pid") == self._killed.get(each["name"], 0) for each in status.get("processes", [])):
            return False
        history = {each["pass"] for each in self.peer.ok("history", limit=1000)["passes"]}
        newest = [status[phase]["pass"] for phase in ("launch", "active") if "pass" in status[phase] and status[phase]["state"] == "pending"]
        return set(newest) <= history
