"""The figures of `make shape` get no worse; each bound stands just above the figure reached."""

from functools import cache

import pytest

from benchmarks.shape import shape

figures = cache(shape)
# Figure, its bound, and what to do where it is passed.
BOUNDS = {
    "modules": (
        212,
        lambda: figures().modules,
        "Put what one reader needs together into one module of up to about 600 lines.",
    ),
    "lines": (
        64_920,
        lambda: figures().lines,
        "Take out what nobody calls, and write once what stands twice.",
    ),
    "results that a command renders twice": (
        0,
        lambda: figures().rendered_twice,
        "Return a `Result`: `deliver` prints it for people and for machines.",
    ),
    "trivial `__init__.py` files": (
        40,
        lambda: figures().trivial_inits,
        "Let modules lie in the folder above, or join them into one: a folder is one subject.",
    ),
    "share of import lines": (
        0.07,
        lambda: figures().import_share,
        "Join modules that import most of each other's names.",
    ),
    "share of modules with one importer": (
        0.217,
        lambda: figures().single_importer_share,
        "Join a module of less than 80 lines with the only one that imports it.",
    ),
    "constants with two meanings in a folder": (
        3,
        lambda: len(figures().clashing_constants),
        "Rename the newer one, or import the other where both mean the same; see `make shape`.",
    ),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_the_shape_of_the_package_gets_no_worse(name):
    most, measure, remedy = BOUNDS[name]
    found = measure()
    assert found <= most, f"{name}: expected at most {most}; found {found:.4g}. {remedy}"
