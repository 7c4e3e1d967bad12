"""What estimates assume of models and servers, wherever a run or a judge is estimated."""

from __future__ import annotations

CHARACTERS_PER_TOKEN = 4
"""Of English text, in common vocabularies; a tokenizer would have to be downloaded."""

TOKENS_PER_SECOND = 200
"""Of one reply: the speed of the published AutoJudge, which asked one call at a time."""
