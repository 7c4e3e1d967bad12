"""A corpus small enough to index in a test."""

import orjson

from sidelight.schemas.segment import Segment


def make_corpus():
    """Return forty segments, five of each of eight documents, each about one thing."""
    things = "quarry ferry orchard telescope bakery glacier violin lighthouse".split()
    claims = [
        "The {} was sold to an investor who also owns a newspaper.",
        "A study of the {} counted twelve visitors a day.",
        "Critics of the {} say its accounts were never published.",
        "An inspector found the {} safe in spring and unsafe in autumn.",
        "The council voted to close the {} against the advice of its experts.",
    ]
    return [
        Segment(
            segment_id=f"small_doc_00_{number}#{window}_{1000 * number + window}",
            url=f"https://{thing}.example/page",
            title=f"All about the {thing}",
            text=claim.format(thing),
            start_char=60 * window,
            end_char=60 * window + len(claim.format(thing)),
        )
        for number, thing in enumerate(things)
        for window, claim in enumerate(claims)
    ]


def write_shard(path, segments):
    """Write segments as a shard of MS MARCO V2.1 segmented."""
    lines = []
    for segment in segments:
        fields = segment.model_dump()
        fields["docid"], fields["segment"] = fields.pop("segment_id"), fields.pop("text")
        lines.append(orjson.dumps(fields))
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path
