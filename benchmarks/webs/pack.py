"""Packs a folder with a written web into one compressed file that the benchmark reads.

    python -m benchmarks.webs.pack FOLDER NAME development|unseen

The folder holds `article.json`, `pages.jsonl`, `facts.json`, `rubric.json` or `track_rubric.json`,
which has the shape of the track's, or both, and, where findings and their sentences were marked by
hand, `marks.json` and `sentence_marks.json`.
The file is compressed so that a search through the repository shows nothing of a web that is to
stay unseen.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import orjson

HERE = Path(__file__).parent


def main(folder: Path, name: str, part: str) -> None:
    read = {
        file: orjson.loads((folder / f"{file}.json").read_bytes()) for file in ("article", "facts")
    }
    pages = [orjson.loads(line) for line in (folder / "pages.jsonl").read_bytes().splitlines()]
    for key, file in (("rubrics", "rubric"), ("track_rubrics", "track_rubric")):
        if (folder / f"{file}.json").exists():
            read[key] = orjson.loads((folder / f"{file}.json").read_bytes())["rubrics"]
    for kind in ("marks", "sentence_marks"):
        if (folder / f"{kind}.json").exists():
            read[kind] = orjson.loads((folder / f"{kind}.json").read_bytes())
    web = {**read, "pages": pages}
    target = HERE / part / f"{name}.json.gz"
    target.write_bytes(gzip.compress(orjson.dumps(web), mtime=0))
    print(f"{target}: {len(pages)} pages")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
