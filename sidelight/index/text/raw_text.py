"""The text of segments out of a Lucene index that stores it, where there is no document store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.errors import InputError
from sidelight.index.lucene.jvm import java_class
from sidelight.index.text.corpus import MS_MARCO, CorpusFields, segment_model
from sidelight.schemas.segment import Segment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.index.lucene.segments import LuceneIndex

_FIELDS = {
    "MsMarcoV2DocCollection": MS_MARCO,
    "JsonCollection": CorpusFields(id="id", text="contents"),
}


class RawText:
    """Segment ids to segments, read one by one, from any thread.

    Args:
        index: An index that stores text.

    Raises:
        InputError: It stores none.
    """

    def __init__(self, index: LuceneIndex) -> None:
        if not index.contents.raw:
            raise InputError(
                f"{index.folder}: expected an index that stores the text of its segments; found "
                "one that does not",
                remedy="Build the index with the shards, too: sidelight index build SHARD... "
                "--lucene DIR",
            )
        self._index = index
        self._raw_of = java_class("io.anserini.index.IndexReaderUtils").documentRaw
        self._parse = segment_model(_FIELDS[index.contents.raw]).model_validate_json

    def __len__(self) -> int:
        return self._index.contents.segments

    def __contains__(self, segment_id: object) -> bool:
        return isinstance(segment_id, str) and bool(self._raw_of(self._index.reader, segment_id))

    def get_many(self, segment_ids: Sequence[str]) -> list[Segment]:
        """Return segments in the order asked for.

        Raises:
            InputError: The index does not hold an id; the first one is named.
        """
        return [self._get(segment_id) for segment_id in segment_ids]

    def close(self) -> None:
        """Do nothing: the index stays open."""

    def _get(self, segment_id: str) -> Segment:
        raw = self._raw_of(self._index.reader, segment_id)
        if raw is None:
            raise InputError(
                f"the index does not hold the segment {segment_id!r}",
                remedy="Use the index that the id comes from.",
            )
        return Segment(**vars(self._parse(raw)))
