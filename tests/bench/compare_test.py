#!/usr/bin/python3
"""What bench/compare.py sets for PyTorch, on processors with and without AVX-512."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

import compare  # noqa: E402


def cpuinfo(flags):
    return f"processor\t: 0\nvendor_id\t: Any\nflags\t\t: fpu {flags} sse4_2\nbogomips\t: 1\n"


WITH = cpuinfo("fma avx2 avx512f avx512dq avx512bw avx512vl avx512_vnni")


class Capability(unittest.TestCase):
    def test_avx512_where_the_processor_has_it(self):
        environment = compare.best_environment({"HOME": "/"}, WITH)
        self.assertEqual(environment["ATEN_CPU_CAPABILITY"], "avx512")
        self.assertEqual(environment["HOME"], "/")
        self.assertEqual(environment["MALLOC_MMAP_MAX_"], "0")

    def test_nothing_where_it_does_not(self):
        for text in (cpuinfo("fma avx2"), cpuinfo("fma avx2 avx512f"), "Features : asimd\n", ""):
            self.assertNotIn("ATEN_CPU_CAPABILITY", compare.best_environment({}, text))

    def test_what_the_user_has_set_stays(self):
        environment = compare.best_environment({"ATEN_CPU_CAPABILITY": "avx2"}, WITH)
        self.assertEqual(environment["ATEN_CPU_CAPABILITY"], "avx2")

    def test_a_second_start_changes_nothing(self):
        once = compare.best_environment({}, WITH)
        self.assertEqual(compare.best_environment(once, WITH), once)

    def test_what_pytorch_says_that_it_uses(self):
        shown = "PyTorch built with:\n  - OpenMP 201511\n  - CPU capability usage: AVX512\n  - x\n"
        self.assertEqual(compare.capability_of(shown), "AVX512")
        self.assertIsNone(compare.capability_of("PyTorch built with:\n"))


if __name__ == "__main__":
    unittest.main()
