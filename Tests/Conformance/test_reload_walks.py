"""manifest.md, S27: random edits of the manifest while passes run and workers come and go.

A checker that knows only the manifests and the events recomputes what may run: no unchanged initializer runs twice, and no changed one
counts as complete. `RELOAD_SEED=7 Tests/Conformance/run test_reload_walks.py` repeats one walk, and `RELOAD_EDITS=200` makes it longer.
"""

import os
import random
import signal
from collections import Counter

from deadlines import until
from supervisor import INITCTL, Conformance, is_running

EDITS = int(os.environ.get("RELOAD_EDITS", "50"))
SEEDS = [int(os.environ["RELOAD_SEED"])] if "RELOAD_SEED" in os.environ else [1, 2, 3]
COMMANDS = [f"n{i}" for i in range(7)]
WORKERS = ["w0", "w1"]
PROCESSES = ["p0", "p1"]
ACTIVE = ["x0", "x1"]
NAMES = COMMANDS[:3] + PROCESSES + COMMANDS[3:] + WORKERS + ACTIVE
SEEN = " ".join(f"${{INITD_INPUT_{name.upper()}+{name}}}" for name in NAMES)
"""The output of a command: the names of the dependencies whose outputs it got; every initializer has an output."""


def listed(definitions):
    """The names in the order in which a reload lists them: processes are the last initializers."""
    return sorted(definitions, key=lambda name: name in PROCESSES)


class Definition:
    """The definition of an initializer in one manifest: its work, and the settings that aren't part of it."""

    def __init__(self, version, dependencies=(), timeout=60):
        self.version, self.dependencies, self.timeout = version, frozenset(dependencies), timeout

    def changed(self, **members):
        return Definition(**({"version": self.version, "dependencies": self.dependencies, "timeout": self.timeout} | members))

    def work(self, common):
        """The part of a definition that makes its initializer run again if it differs."""
        return (self.version, self.dependencies, common)


class Book:
    """The loaded manifests, and the events: what may have run, and whether it did."""

    def __init__(self):
        self.common = 0
        self.present = {}
        self.allowed = Counter()
        """How often each definition may complete in launch: once for each reload that brings it, and for each that reruns it as a
        dependent."""
        self.reruns = Counter()
        """How many reloads rerun a name as a dependent, since launch was last known to be complete."""
        self.completed = {}
        """The runs of each name that have completed in launch since it was declared."""
        self.status = {}
        self.starts = Counter()
        """How often each definition of a process may be started: once for each reload that brings it, and for each that reruns it."""
        self.cancelled = Counter()
        """How many runs of each process were cancelled, which stops the process: it is started once more."""

    def load(self, definitions, common, with_dependents=False):
        """Handles a reload, and returns the expected answer."""
        added = [name for name in listed(definitions) if name not in self.present]
        removed = [name for name in listed(self.present) if name not in definitions]
        changed = [
            name
            for name in listed(definitions)
            if name in self.present
            and ((each := definitions[name]).work(0) != self.present[name].work(0) or (name not in WORKERS and common != self.common))
        ]
        for name in added:
            self.reruns[name] = 0
        for name in {*added, *changed} & set(PROCESSES):
            self.starts[self.start(name, definitions, common)] += 1 + self.reruns[name]
        # An initializer that has changed, and depends on one that still runs with its old definition, runs before and after that run.
        again = self.dependents(definitions, changed) if with_dependents else set()
        for name in {*added, *changed, *again}:
            self.allowed[self.key(name, definitions[name], common)] += 1 + self.reruns[name] if name in added + changed else 0
        for name in again:
            self.allowed[self.key(name, definitions[name], common)] += 1
            self.starts[self.start(name, definitions, common)] += 1
            self.reruns[name] += 1
        for name in added:
            self.completed[name] = []
        for name in removed:
            del self.completed[name]
        self.present, self.common = dict(definitions), common
        return added, changed, removed

    @staticmethod
    def start(name, definitions, common):
        """Handles the line of a process's start."""
        return (name, str(definitions[name].version), str(common))

    @staticmethod
    def key(name, definition, common):
        """Handles the line of a run of this definition."""
        words = [] if name in WORKERS else [str(definition.version), str(common)]
        return (name, *words, *sorted(definition.dependencies - set(PROCESSES)))

    @staticmethod
    def dependents(definitions, names):
        """The direct and indirect dependents of names, perhaps some of these themselves."""
        found, last = set(), set(names)
        while last:
            last = {name for name, each in definitions.items() if each.dependencies & last} - found
            found |= last
        return found

    def note(self, test, event):
        """Handles an event: checks that a started initializer may start."""
        if event["topic"] != "initializer":
            return
        each = event["initializer"]
        name, status = each["name"], each["status"]
        before = self.status.get(name)
        if event.get("removed"):
            self.status.pop(name, None)
            return
        if status == "running" and (before is None or before.get("run") != each["run"]):
            test.assertNotIn((before or {}).get("status"), ("running", "stopping"), f"{name} runs twice at once: {event}")
            for dependency in each["dependencies"]:
                test.assertEqual(self.status.get(dependency, {}).get("status"), "complete", f"{name} runs before {dependency}: {event}")
        if name in PROCESSES and status == "cancelled" and (before or {}).get("status") != status:
            self.cancelled[name] += 1
        if status == "complete" and each.get("phase") == "launch" and (before or {}).get("status") in ("running", "stopping"):
            self.completed.setdefault(name, []).append(each["run"])
        self.status[name] = each


class WalkTests(Conformance):
    def test_random_edits_while_passes_run_and_workers_come_and_go(self):
        for seed in SEEDS:
            try:
                self.walk(random.Random(seed))
            except AssertionError as error:
                raise AssertionError(f"RELOAD_SEED={seed}: {error}") from error

    def walk(self, dice):
        self.dice, self.book, self.counter = dice, Book(), 0
        self.definitions, self.common, self.workers = {}, 1, {}
        for name in dice.sample(COMMANDS, 4) + ["p0"] + WORKERS + ["x0"]:
            self.add(name)
        self.supervisor = self.start(self.text())
        self.book.load(self.definitions, self.common)
        self.peer = self.supervisor.peer()
        snapshot = self.peer.ok("subscribe", topics=["initializer", "pass"])["snapshot"]
        self.book.status = {each["name"]: each for each in snapshot["initializers"]}
        for name, each in self.book.status.items():
            if each["status"] == "complete":
                self.book.completed[name].append(each["run"])
        self.settle()
        reloads = 0
        while reloads < EDITS:
            action = dice.choice([self.edit] * 6 + [self.mistake, self.toggle_worker, self.toggle_worker, self.activation, self.launch, self.pause, self.pause])
            action()
            reloads += action == self.edit
            self.read()
            if dice.random() < 0.12:
                self.settle()
        self.settle()
        for worker in self.workers.values():
            worker.signal(signal.SIGTERM)

    # The manifest

    def next(self):
        self.counter += 1
        return self.counter

    def add(self, name):
        self.definitions[name] = Definition(self.next(), self.some_dependencies(name))

    def some_dependencies(self, name):
        """Returns earlier names, so there is no cycle; only an active initializer may depend on an active one."""
        before = [each for each in NAMES[: NAMES.index(name)] if each in self.definitions]
        return self.dice.sample(before, min(len(before), self.dice.randrange(3)))

    def text(self):
        lines = ["version: 1", "cancelGrace: 300ms", "registrationTimeout: 10s", f"concurrency: {self.dice.choice([1, 2, 4])}"]
        lines += [f"environment: {{ C: '{self.common}' }}", "initializers:"]
        for name in listed(self.definitions):
            each = self.definitions[name]
            if name in PROCESSES and "workers:" not in lines:
                lines.append("workers:")
            lines.append(f"  {name}:")
            if name in WORKERS:
                lines.append("    worker: true")
            elif name in PROCESSES:
                pause = ["", "sleep 0.02; "][each.version % 2]
                lines.append(f"    command: '{pause}echo {name} $V $C $$ >> ups; exec sleep 600'")
                lines.append(f"    environment: {{ V: '{each.version}' }}")
                lines.append(f"    ready: {{ command: 'grep -q \"^{name} $V $C \" ups', every: 10ms }}")
            else:
                seconds = ["0", "0", "0.02"][each.version % 3]
                lines.append(f"    command: 'echo \"$INITD_RUN {name} $V $C\" {SEEN} >> runs; sleep {seconds}; echo 1 > \"$INITD_OUTPUT\"'")
                lines.append(f"    environment: {{ V: '{each.version}' }}")
            if name in ACTIVE:
                lines.append("    priority: appActive")
            lines.append(f"    dependencies: [{', '.join(sorted(each.dependencies))}]")
            lines.append(f"    timeout: {each.timeout}s")
        return "\n".join(lines) + "\n"

    # Actions

    def edit(self):
        """Changes the manifest in one to three places, and reloads."""
        for _ in range(self.dice.choice([0, 1, 1, 1, 2, 3])):
            self.dice.choice([self.change_command] * 4 + [self.change_dependencies] * 3 + [self.change_timeout] * 2 + [self.add_one] * 2 + [self.remove_one] * 2 + [self.change_common])()
        with_dependents = self.dice.random() < 0.3
        self.write(self.supervisor.manifest, self.text())
        answer = self.peer.call("reload", {"withDependents": with_dependents})
        self.assertIn("result", answer)
        result = answer["result"]
        # Events until the step precede the answer, so they are of the manifest before, or of this step.
        before = dict(self.book.present)
        added, changed, removed = self.book.load(self.definitions, self.common, with_dependents)
        self.read()
        self.assertEqual((result["added"], [each["name"] for each in result["changed"]], result["removed"]), (added, changed, removed), f"{before} to {self.definitions}")
        self.assertEqual(result["unchanged"], len(self.definitions) - len(added) - len(changed))

    def change_command(self):
        name = self.dice.choice([each for each in self.definitions if each not in WORKERS])
        self.definitions[name] = self.definitions[name].changed(version=self.next())

    def change_dependencies(self):
        name = self.dice.choice(list(self.definitions))
        self.definitions[name] = self.definitions[name].changed(dependencies=frozenset(self.some_dependencies(name)))

    def change_timeout(self):
        name = self.dice.choice(list(self.definitions))
        self.definitions[name] = self.definitions[name].changed(timeout=self.dice.randrange(60, 99))

    def change_common(self):
        self.common = self.next()

    def add_one(self):
        if missing := [each for each in NAMES if each not in self.definitions]:
            self.add(self.dice.choice(missing))

    def remove_one(self):
        if len(self.definitions) > 3:
            gone = self.dice.choice([each for each in self.definitions if each != "n0" and each not in WORKERS] or ["n0"])
            del self.definitions[gone]
            for name, each in self.definitions.items():
                self.definitions[name] = each.changed(dependencies=each.dependencies - {gone})

    def mistake(self):
        """A manifest with a mistake changes nothing."""
        self.read()
        self.write(self.supervisor.manifest, self.text() + "  n1: { command: 'true', dependencies: [nothing] }\nwrong: 1\n")
        self.peer.refused(-32011, "reload")
        self.write(self.supervisor.manifest, self.text())

    def toggle_worker(self):
        self.stop_worker(name) if (name := self.dice.choice(WORKERS)) in self.workers else self.start_worker(name)

    def start_worker(self, name):
        words = [INITCTL, "--socket", self.supervisor.path, "worker", name, "--", "sh", "-c", f'echo "$INITD_RUN {name}" {SEEN} >> runs; echo 1 > "$INITD_OUTPUT"']
        self.workers[name] = self.program(words, cwd=self.supervisor.directory)

    def stop_worker(self, name):
        self.workers.pop(name).signal(self.dice.choice([signal.SIGTERM, signal.SIGKILL]))

    def activation(self):
        self.peer.ok(self.dice.choice(["activate", "activate", "deactivate"]))

    def launch(self):
        self.peer.ok("launch")

    def pause(self):
        """Waits a short time for one event, and returns it if one comes."""
        try:
            self.book.note(self, self.peer.event(deadline=self.dice.choice([0.01, 0.05])))
        except AssertionError as error:
            if "did not come" not in str(error):
                raise

    # Checks

    def read(self):
        """Takes the events that have arrived."""
        self.peer.alive()
        rest = [each for each in self.peer.inbox if each.get("method") != "event"]
        for each in self.peer.inbox:
            if each.get("method") == "event":
                self.book.note(self, each["params"])
        self.peer.inbox = rest

    def settle(self):
        """Lets launch complete, and checks all that has run."""
        waiter = self.supervisor.peer()

        def completes():
            for name in WORKERS:
                # A worker that was started while the previous worker still had the name has been refused.
                if name not in self.workers or self.workers[name].process.poll() is not None:
                    self.start_worker(name)
            self.peer.ok("launch")
            answer = waiter.call("wait", {"for": "launch", "timeout": 0.5})
            return answer.get("result", {}).get("state") == "complete"

        try:
            until(completes, "a complete launch")
        except AssertionError as error:
            status = self.peer.status()
            raise AssertionError(f"{error}; {status['initializers']}; {status['processes']}; {status['workers']}") from error
        self.read()
        status = self.peer.status()
        self.assertEqual(sorted(each["name"] for each in status["initializers"]), sorted(self.definitions))
        ran = {}
        for line in self.supervisor.lines("runs"):
            run, name, *seen = line.split()
            plain = 0 if name in WORKERS else 2
            ran[int(run)] = (name, *seen[:plain], *sorted(seen[plain:]))
        for each in status["initializers"]:
            name = each["name"]
            if name in ACTIVE:
                continue
            if name in PROCESSES:
                self.check_starts(each, next(each for each in status["processes"] if each["name"] == name)["pid"])
                continue
            completed = self.book.completed[name]
            self.assertEqual(each["status"], "complete", each)
            self.assertEqual(len(completed), len(set(completed)), "one completion for each run")
            for definition, count in Counter(ran[run] for run in completed).items():
                self.assertLessEqual(count, self.book.allowed[definition], f"{name} ran again without a change: {definition}")
            self.assertTrue(completed, f"{name} is complete and never ran")
            now = self.book.key(name, self.definitions[name], self.common)
            self.assertEqual(ran[completed[-1]], now, f"{name} is complete with another definition")
        self.book.reruns.clear()

    def check_starts(self, process, pid):
        """Checks that the process is ready and the newest one, that no other process runs, and that none was started without a reason."""
        name = process["name"]
        self.assertEqual(process["status"], "complete", process)

        def lines():
            found = [line.split() for line in self.supervisor.lines("ups") if line.startswith(f"{name} ")]
            # A process whose work differs only in its dependencies finds the line of the previous one, and is ready before it writes its
            # own.
            return found if found and found[-1][3] == str(pid) else None

        ups = until(lines, f"the line of {name}, pid {pid}")
        now = self.definitions[name]
        self.assertEqual(ups[-1][:3], [name, str(now.version), str(self.common)], f"{name} is complete with another definition")
        running = [pid for *_, pid in ups if is_running(int(pid))]
        self.assertEqual(running, [ups[-1][3]], f"one {name} runs")
        for definition, count in Counter(tuple(each[:3]) for each in ups).items():
            most = self.book.starts[definition] + self.book.cancelled[name]
            self.assertLessEqual(count, most, f"{name} was started again without a change: {definition}")
