"""Draft no rubric: without a model, the planner's fixed angles say what matters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.profile import ArticleProfile


class ExtractiveRubricDrafter:
    """The role `draft_rubric` without a model."""

    async def __call__(self, profile: ArticleProfile) -> tuple[Angle, ...]:
        """Return no angle."""
        return ()
