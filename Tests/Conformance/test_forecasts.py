"""seeing.md: `what-if` predicts what the supervisor does: ten random graphs are executed, and executed again with more places.

The machine may be busy in one of two executions that are compared, so each graph has several rounds.
"""

from __future__ import annotations

import random
import unittest
from typing import Any

from recorded import CLOSE
from rounds import in_one_round, near
from supervisor import Conformance, Supervisor

GRAPHS = 10
SIZE = 12


def random_graph(seed: int, scale: float = 1) -> str:
    """Initializers that take 20 to 150 ms, times `scale`. Each has up to three dependencies; one in six needs a second attempt."""
    generator = random.Random(seed)
    lines = []
    for number in range(SIZE):
        needs = generator.sample(range(number), min(number, generator.choice([0, 1, 1, 2, 3])))
        seconds = generator.randrange(20, 151) / 1000 * scale
        command, retry = f"sleep {seconds:.3f}", ""
        if generator.randrange(6) == 0:
            command, retry = f"sleep {seconds / 2:.3f}; test $INITD_ATTEMPT = 2", f", retry: {{ attempts: 2, delay: {20 * scale:.0f}ms }}"
        lines.append(f"n{number}: {{ command: '{command}', dependencies: [{', '.join(f'n{each}' for each in needs)}]{retry} }}")
    return "\n".join(lines)


class ForecastTests(Conformance):
    def complete(self, graph: str, concurrency: int) -> Supervisor:
        """A supervisor that has executed a graph."""
        supervisor = self.start_with(graph, "--concurrency", str(concurrency))
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")
        return supervisor

    def what_if(self, supervisor: Supervisor, *words: str) -> dict[str, Any]:
        (answer,) = self.assertStatus(supervisor.ctl("what-if", *words, "--json"), 0).json()
        self.assertEqual(set(answer), {"pass", "duration", "predicted", "path"})
        return answer

    def assertUnchanged(self, supervisor: Supervisor) -> None:
        """Without a change, the prediction equals the measured time. This doesn't depend on the machine, so there is one round."""
        answer = self.what_if(supervisor)
        self.assertAlmostEqual(answer["predicted"], answer["duration"], delta=max(0.005, 0.05 * answer["duration"]))

    def scenario(self, seed: int, scale: float) -> None:
        graph = random_graph(seed, scale)
        one, four = self.complete(graph, 1), self.complete(graph, 4)
        try:
            for supervisor in (one, four):
                self.assertUnchanged(supervisor)
            self.assertEqual(len(self.what_if(one)["path"]), SIZE, "with one place, all are on the path")
            forecast = self.what_if(one, "--concurrency", "4")
            measured = self.what_if(four)["duration"]
            near(forecast["predicted"], measured, f"graph {seed} with 4 places, predicted from 1", tolerance=0.1 * measured)
            self.assertEqual(self.what_if(four, "--concurrency", "4")["predicted"], self.what_if(four)["predicted"])
            self.assertLess(forecast["predicted"], forecast["duration"] - CLOSE)
        finally:
            for supervisor in (one, four):
                supervisor.program.end()

    def test_ten_random_graphs_are_predicted_with_4_places_from_a_pass_with_1(self) -> None:
        for seed in range(GRAPHS):
            with self.subTest(seed):
                in_one_round(lambda scale: self.scenario(seed, scale))


if __name__ == "__main__":
    unittest.main()
