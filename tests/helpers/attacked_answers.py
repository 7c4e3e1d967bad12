"""What attacks and paraphrases earn, as a share of what the honest text earns."""

from sidelight.schemas.base import Value
from sidelight_research.people import CREDIT
from sidelight_research.training import TEXT_ATTACKS


class Share(Value):
    """What changed texts earn: the credit before and after of `n` items that an attack changed."""

    name: str
    n: int
    honest: float
    changed: float

    @property
    def share(self):
        """What is left of the credit; 0 where there was none."""
        return self.changed / self.honest if self.honest else 0.0


def credit_of(model, items, text, *, max_words=None):
    """Return what a text earns for each item: 1 in full, .5 in part."""
    return [CREDIT[verdict.level] for verdict in model.judge(items, text, max_words=max_words)]


def attack_shares(model, items_by_topic):
    """Return what each attack leaves of the credit of honest texts, the items as sentences.

    Only items whose own sentence an attack changes are counted: where there is no second name,
    nothing can be swapped. Items are texts such as rubric answers, each a sentence.
    """
    shares = []
    told = [(items, credit_of(model, items, " ".join(items))) for items in items_by_topic.values()]
    for attack in TEXT_ATTACKS:
        n, honest, changed = 0, 0.0, 0.0
        for items, before in told:
            attacked = [attack.change(item) for item in items]
            after = credit_of(model, items, " ".join(attacked))
            for item, other, old, new in zip(items, attacked, before, after, strict=True):
                if other.rstrip(".") != item.rstrip("."):
                    n, honest, changed = n + 1, honest + old, changed + new
        shares.append(Share(name=attack.name, n=n, honest=honest, changed=changed))
    return shares
