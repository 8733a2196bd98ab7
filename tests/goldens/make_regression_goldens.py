#!/usr/bin/python3
"""Writes the goldens of kernel regression, as statsmodels computes them.

Needed only to remake the files; the tests just read them. Needs statsmodels (Debian:
python3-statsmodels).

    /usr/bin/python3 tests/goldens/make_regression_goldens.py

The format is that of make_goldens.py. Local-constant regression with a Gaussian kernel
(KernelReg, reg_type="lc"): x [M, D], y [M, 1], at [N, D], widths [D], y_at [N, 1];
cv_widths [D] are those that its leave-one-out cross-validation chose, cv_error [1] its criterion
there, and y_cv [N, 1] the prediction with them.

    kernel_regression_line    one coordinate in [0, 5)
    kernel_regression_plane   two coordinates, of different spread
    kernel_regression_years   one coordinate in years, 1950 to 2020
"""

import os

import numpy as np
from statsmodels.nonparametric.kernel_regression import KernelReg

HERE = os.path.dirname(os.path.abspath(__file__))


def write(name, arrays):
    with open(os.path.join(HERE, name + ".txt"), "w", encoding="ascii") as file:
        file.write("# made by make_regression_goldens.py\n")
        for key, array in arrays.items():
            array = np.asarray(array, dtype=np.float64)
            file.write("array " + " ".join([key, *map(str, array.shape)]) + "\n")
            rows = array.reshape(-1, array.shape[-1])
            for row in rows:
                file.write(" ".join(f"{value:.12g}" for value in row) + "\n")


def case(name, x, y, at, widths):
    x, y, at = np.round(x, 3), np.round(y, 3), np.round(at, 3)
    kinds = "c" * x.shape[1]
    fixed = KernelReg(y, x, kinds, reg_type="lc", bw=np.array(widths))
    chosen = KernelReg(y, x, kinds, reg_type="lc", bw="cv_ls")
    write(
        name,
        {
            "x": x,
            "y": y.reshape(-1, 1),
            "at": at,
            "widths": widths,
            "y_at": fixed.fit(at)[0].reshape(-1, 1),
            "cv_widths": chosen.bw,
            "cv_error": [chosen.cv_loo(chosen.bw, chosen.est[chosen.reg_type])],
            "y_cv": chosen.fit(at)[0].reshape(-1, 1),
        },
    )


def main():
    rng = np.random.default_rng(7)
    x = np.sort(rng.uniform(0, 5, (60, 1)), axis=0)
    y = 2 * np.sin(x[:, 0]) + x[:, 0] + 0.5 * rng.standard_normal(60)
    case("kernel_regression_line", x, y, np.linspace(0, 5, 21).reshape(-1, 1), [0.3])

    plane = np.column_stack([rng.uniform(-1, 1, 80), rng.uniform(0, 100, 80)])
    height = plane[:, 0] ** 2 + np.cos(plane[:, 1] / 15) + 0.1 * rng.standard_normal(80)
    at = np.column_stack([rng.uniform(-1, 1, 20), rng.uniform(0, 100, 20)])
    case("kernel_regression_plane", plane, height, at, [0.25, 8.0])

    years = np.sort(rng.uniform(1950, 2020, (70, 1)), axis=0)
    level = 300 + 1.3 * (years[:, 0] - 1950) + 2 * rng.standard_normal(70)
    case("kernel_regression_years", years, level, np.linspace(1951, 2019, 18).reshape(-1, 1), [2.5])


if __name__ == "__main__":
    main()
