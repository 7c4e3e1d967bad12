"""Packages that are installed for one test: a folder with their modules and what they offer."""

import textwrap


def install(site, package, modules, offers):
    """Put a package into a folder of `sys.path`, as `pip install` leaves it.

    `modules` are sources by name; `offers` lead from `group name` (a group goes without
    `sidelight.`) to the `module:Class`.
    """
    for module, source in modules.items():
        (site / f"{module}.py").write_text(textwrap.dedent(source), encoding="utf-8")
    described = site / f"{package}-1.0.dist-info"
    described.mkdir(parents=True)
    metadata = f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n"
    (described / "METADATA").write_text(metadata, encoding="utf-8")
    lines = []
    for offer, place in offers.items():
        group, name = offer.split()
        lines += [f"[sidelight.{group}]", f"{name} = {place}"]
    (described / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
