"""The Gaussian kernel regression of compare.py by statsmodels' KernelReg, of a part of the queries.

Needs statsmodels for /usr/bin/python3; on Debian:  apt install python3-statsmodels
"""

import time

PART = 10  # queries; each takes as long as any other


def milliseconds(keys, queries, width, quick):
    """Of all queries, from the time of a part of them; None without statsmodels."""
    try:
        import numpy
        from statsmodels.nonparametric.kernel_regression import KernelReg
    except ImportError:
        return None
    random = numpy.random.default_rng(1)
    x, y = random.uniform(-1, 1, (keys, 2)), random.uniform(-1, 1, keys)
    part = 1 if quick else PART
    at = random.uniform(-1, 1, (part, 2))
    model = KernelReg(y, x, "cc", reg_type="lc", bw=[width, width])
    model.fit(at[:1])
    begin = time.perf_counter()
    model.fit(at)  # mean and slope, one query after the other
    return (time.perf_counter() - begin) * 1e3 / part * queries
