import numpy as np

from sidelight.text_vectors import TextVectors


class Encoder:
    """Encodes letters as axes, and keeps what it was asked."""

    def __init__(self):
        self.asked: list[list[str]] = []

    def __call__(self, texts):
        self.asked.append(list(texts))
        return np.array([np.eye(4)["abcd".index(text)] for text in texts], dtype=np.float32)


def test_a_text_is_encoded_once():
    encode = Encoder()
    vectors = TextVectors(encode)
    assert vectors(["a", "b", "a"]).argmax(axis=1).tolist() == [0, 1, 0]
    assert vectors.cosines(["b", "c"], ["d", "b", "a"]).tolist() == [[0, 1, 0], [0, 0, 0]]
    vectors.remember("abcd")
    assert encode.asked == [["a", "b"], ["c", "d"]]


def test_without_texts_nobody_is_asked():
    encode = Encoder()
    vectors = TextVectors(encode)
    assert len(vectors([])) == 0
    assert vectors.cosines([], ["a"]).shape == (0, 1)
    assert vectors.similarity(["a"], []).shape == (1, 0)
    assert encode.asked == []


def test_a_tie_is_a_tie_whatever_the_last_digit():
    near = np.float32(0.6) + np.float32(1e-7)
    rows = {"a": [1.0, 0.0], "b": [0.6, 0.8], "c": [near, 0.8]}

    def encode(texts):
        return np.array([rows[text] for text in texts], dtype=np.float32)

    vectors = TextVectors(encode)
    one, other = vectors.cosines(["a"], ["b", "c"])[0]
    assert one != other
    assert vectors.similarity(["a"], ["b", "c"]).tolist() == [[0.6, 0.6]]
