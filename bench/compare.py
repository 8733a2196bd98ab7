#!/usr/bin/python3
"""The same work in heed and in PyTorch, alternating in one run.

For each row heed and PyTorch are measured in turn, several times over: heed as a process of its own
(`heed bench SUITE --only ROW`), PyTorch in this one, which waits meanwhile. Both warm up, run at
least five times and for at least half a second per turn; the best time of all turns counts.

PyTorch gets every help it can use: the given number of threads, the layout it likes best, results
written into buffers that exist already, memory that is kept instead of returned to the system, kernels
for AVX-512 where the processor has it (ATEN_CPU_CAPABILITY; a value of yours stays), and where there
are several ways to write the same thing, the fastest of them on this machine.

Needs a PyTorch for /usr/bin/python3; on Debian:  apt install python3-torch libopenblas0-openmp
With python3-statsmodels, kernel regression is compared with it too, from a part of the queries.
"""

import argparse
import ctypes
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import statsmodels_work  # noqa: E402

WARM_UP, RUNS, SECONDS, MOST_SECONDS = 1, 5, 0.5, 6.0


def fail(message):
    sys.exit(f"compare: {message}")


def run_once(task):
    """The time of one run in ms. A task is (prepare, work); only work is timed."""
    prepare, work = task
    prepared = prepare()
    start = time.perf_counter()
    work(prepared)
    return (time.perf_counter() - start) * 1e3


def measure(task, quick):
    """The times of the runs of one turn."""
    if quick:
        return [run_once(task)]
    for _ in range(WARM_UP):
        run_once(task)
    times = []
    begin = time.perf_counter()
    while len(times) < RUNS or sum(times) < SECONDS * 1e3:
        times.append(run_once(task))
        if len(times) >= 2 and time.perf_counter() - begin > MOST_SECONDS:
            break
    return times


def measure_heed(program, row, options):
    """The row that heed prints, of one turn."""
    command = [program, "bench", row.suite, "--only", row.name, "--no-ceilings", "--json"]
    command += ["-t", str(options.threads)] + (["--quick"] if options.quick else [])
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"'{' '.join(command)}' failed: {done.stderr.strip()}")
    for found in json.loads(done.stdout)["rows"]:
        if found["name"] == row.name:
            return found
    fail(f"heed bench {row.suite} has no row {row.name}")


def fastest_variant(variants):
    """The fastest way that PyTorch has, by name; each is tried twice."""
    if len(variants) == 1:
        return next(iter(variants))

    def best_time(name):
        task = variants[name]()
        return min(run_once(task), run_once(task))

    return min(variants, key=best_time)


def compare(program, row, options):
    variant = fastest_variant(row.variants)
    task = row.variants[variant]()
    turns, torch_times = [], []
    for _ in range(1 if options.quick else options.rounds):
        turns.append(measure_heed(program, row, options))
        torch_times += measure(task, options.quick)
    heed_ms, torch_ms = min(turn["ms"] for turn in turns), min(torch_times)
    result = {
        "name": row.name,
        "heed_ms": heed_ms,
        "torch_ms": torch_ms,
        "ratio": torch_ms / heed_ms,
        "heed_median_ms": statistics.median(turn["median_ms"] for turn in turns),
        "torch_median_ms": statistics.median(torch_times),
        "torch_variant": variant,
    }
    if row.name.startswith("regression-"):
        from torch_work import KERNEL_WIDTH, KEYS, QUERIES

        other = statsmodels_work.milliseconds(KEYS, QUERIES, KERNEL_WIDTH, options.quick)
        if other is not None:
            result["statsmodels_ms"] = other
    if "peak_rss_bytes" in turns[0]:
        result["heed_peak_rss_bytes"] = max(turn["peak_rss_bytes"] for turn in turns)
        result["torch_peak_rss_bytes"] = peak_of_torch(row, options)
    return result


def peak_of_torch(row, options):
    """The peak resident size of a process that only trains, with the system's own malloc: the one
    that suits the times keeps more than it needs."""
    command = [sys.executable, str(Path(__file__).resolve().parent / "torch_train.py"), row.name]
    command += ["-t", str(options.threads)] + (["--quick"] if options.quick else [])
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        fail(f"'{' '.join(command)}' failed: {done.stderr.strip()}")
    return int(done.stdout)


def loaded_blas():
    """The file of the BLAS that this process uses, or None."""
    with open("/proc/self/maps") as maps:
        paths = {line.split(maxsplit=5)[5].strip() for line in maps if line.count("/") > 0}
    names = {os.path.realpath(path) for path in paths}
    for part in ("mkl_rt", "mkl_core", "openblas", "libblis", "libblas"):
        for name in sorted(names):
            if part in os.path.basename(name):
                return name
    return None


def threading_of(blas):
    """How OpenBLAS was built to use threads: "one thread", "pthread" or "OpenMP"; otherwise None."""
    if blas is None or "openblas" not in os.path.basename(blas):
        return None
    try:
        return ("one thread", "pthread", "OpenMP")[ctypes.CDLL(blas).openblas_get_parallel()]
    except (AttributeError, IndexError, OSError):
        return None


def warning_about(blas, threading):
    if blas is None:
        return "cannot tell which BLAS PyTorch uses"
    if threading in ("one thread", "pthread"):
        return (
            f"PyTorch uses an OpenBLAS built for {threading}, not for OpenMP. Threads of its own\n"
            "fight with PyTorch's for the cores: it may be up to 3 times slower than it could be,\n"
            "and THE RATIOS BELOW FLATTER HEED. Install libopenblas0-openmp, or select it:\n"
            "  update-alternatives --config libopenblas.so.0-$(uname -m)-linux-gnu"
        )
    if not any(name in blas for name in ("openblas", "mkl", "blis")):
        return (
            "PyTorch uses the reference BLAS, which is many times slower than it could be; THE\n"
            "RATIOS BELOW MEAN NOTHING. Install libopenblas0-openmp."
        )
    return None


# What PyTorch needs of a processor for its own kernels with AVX-512.
AVX512_FLAGS = {"avx512f", "avx512vl", "avx512bw", "avx512dq", "fma"}


def has_avx512(cpuinfo):
    """Whether the processor of this /proc/cpuinfo has what PyTorch's kernels for AVX-512 need."""
    for line in cpuinfo.splitlines():
        name, _, flags = line.partition(":")
        if name.strip() == "flags":
            return AVX512_FLAGS <= set(flags.split())
    return False


def best_environment(environment, cpuinfo):
    """The variables that help PyTorch, except those that the user has set.

    A malloc that reuses large blocks instead of returning them: PyTorch has no pool for the CPU,
    and fresh pages cost more than the arithmetic on them. And the widest vectors: unless it is
    asked, PyTorch uses AVX2 on processors with AVX-512, too.
    """
    wanted = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}
    if has_avx512(cpuinfo) and not environment.get("ATEN_CPU_CAPABILITY"):
        wanted["ATEN_CPU_CAPABILITY"] = "avx512"
    return {**environment, **wanted}


def start_with_best_environment():
    """Starts this script again if a variable is missing: they are read when a program starts."""
    try:
        with open("/proc/cpuinfo") as file:
            cpuinfo = file.read()
    except OSError:
        cpuinfo = ""
    wanted = best_environment(dict(os.environ), cpuinfo)
    if wanted != dict(os.environ):
        os.execve(sys.executable, [sys.executable] + sys.argv, wanted)


def capability_of(torch_config):
    """The instruction set that PyTorch uses, as torch.__config__.show() names it, or None."""
    found = re.search(r"CPU capability usage: (.+)", torch_config)
    return found.group(1).strip() if found else None


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = Path(__file__).resolve().parent.parent / "build" / "heed"
    parser.add_argument("--heed", default=str(default), help="the program (default: build/heed)")
    parser.add_argument("-t", "--threads", type=int, default=2, help="threads of both (default: 2)")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each (default: 3)")
    parser.add_argument("--only", default="", help="only rows with this in their name")
    parser.add_argument("--quick", action="store_true", help="once; does it work? Not for comparing")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args()
    if options.threads < 1 or options.rounds < 1:
        parser.error("--threads and --rounds are at least 1")
    return options


def main():
    options = parse_arguments()
    if not os.access(options.heed, os.X_OK):
        fail(f"there is no program {options.heed}; 'make' builds it, --heed names another")
    start_with_best_environment()
    try:
        import torch
    except ImportError:
        fail(
            f"there is no PyTorch for {sys.executable}. On Debian:\n"
            "  apt install python3-torch libopenblas0-openmp\n"
            "and run this with /usr/bin/python3."
        )
    from torch_work import rows

    torch.set_num_threads(options.threads)
    selected = [row for row in rows(quick=options.quick) if options.only in row.name]
    if not selected:
        fail(f"no row has '{options.only}' in its name; there are:\n  "
             + "\n  ".join(row.name for row in rows(quick=options.quick)))

    torch.mm(torch.ones(64, 64), torch.ones(64, 64))  # loads what is loaded on first use
    blas = loaded_blas()
    threading = threading_of(blas)
    capability = capability_of(torch.__config__.show())
    asked = os.environ.get("ATEN_CPU_CAPABILITY")
    print(f"PyTorch {torch.__version__}, {options.threads} threads, "
          f"BLAS {blas} ({threading or 'threading unknown'}), "
          f"kernels for {capability or 'an unknown instruction set'}"
          f"{f' (ATEN_CPU_CAPABILITY={asked})' if asked else ''}", file=sys.stderr)
    warning = warning_about(blas, threading)
    if warning:
        print(f"\nWARNING: {warning}\n", file=sys.stderr)

    results = []
    heading = f"{'row':<34}{'heed ms':>12}{'torch ms':>12}{'ratio':>8}  PyTorch's way"
    if not options.json:
        print(heading, flush=True)
    for row in selected:
        result = compare(options.heed, row, options)
        results.append(result)
        if options.json:
            print(row.name, file=sys.stderr)
            continue
        print(f"{row.name:<34}{result['heed_ms']:>12.3f}{result['torch_ms']:>12.3f}"
              f"{result['ratio']:>8.2f}  {result['torch_variant']}", flush=True)
        if "statsmodels_ms" in result:
            print(f"  statsmodels' KernelReg, from {statsmodels_work.PART} queries: "
                  f"{result['statsmodels_ms']:.0f} ms, ratio "
                  f"{result['statsmodels_ms'] / result['heed_ms']:.0f}", flush=True)
        if "torch_peak_rss_bytes" in result:
            print(f"  peak memory of {row.name}: {result['heed_peak_rss_bytes'] / 1e6:.0f} MB, "
                  f"PyTorch {result['torch_peak_rss_bytes'] / 1e6:.0f} MB", flush=True)
    if options.json:
        print(json.dumps({"threads": options.threads, "torch": torch.__version__, "blas": blas,
                          "blas_threading": threading, "capability": capability,
                          "aten_cpu_capability": asked, "rows": results}))
    if options.quick:
        print("note: --quick numbers are not to be compared", file=sys.stderr)


if __name__ == "__main__":
    main()
