from sidelight.ablation.runs import SharedSources
from sidelight.config.settings import RetrievalSettings
from sidelight.schemas.investigation.evidence import Query


def test_arms_that_search_alike_share_their_hits(small_index):
    sources = SharedSources(small_index)
    shallow = sources.retriever(RetrievalSettings(retriever="bm25", depth=5))
    deep = sources.retriever(RetrievalSettings(retriever="bm25", depth=50))
    same = sources.retriever(RetrievalSettings(retriever="bm25", depth=5, listwise_depth=7))
    assert same is shallow
    assert deep is not shallow
    first, second = (Query(query_id=name, text="unsafe glacier") for name in "ab")
    found = shallow.search([first], 3)["a"]
    # The very hits, not equal ones: nothing was searched again.
    assert shallow.search([second], 3)["b"] is found
    assert len(shallow.search([second], 2)["b"]) == 2
