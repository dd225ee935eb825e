"""make demo-fleet."""

import os
import unittest

from fleet import INITFLEET
from supervisor import INITCTL, INITD, ROOT, Conformance


class DemoTests(Conformance):
    def test_it_succeeds_and_leaves_nothing_behind(self):
        temporary = self.directory()
        programs = {"INITD": INITD, "INITCTL": INITCTL, "INITFLEET": INITFLEET, "TMPDIR": temporary}
        demo = self.assertStatus(self.program([os.path.join(ROOT, "Examples/fleet/demo")], env=programs).finish(180), 0)
        self.assertIn("3 of 3 ready", demo.out)
        self.assertIn("web-2 leads billing", demo.out)
        self.assertEqual(os.listdir(temporary), [])


if __name__ == "__main__":
    unittest.main()
