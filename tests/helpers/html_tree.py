"""An HTML page as a test sees it: its elements in order, and their text."""

from html.parser import HTMLParser

VOID = {"meta", "br", "link", "img", "input", "base", "embed"}


class Element:
    """An element; `text` is all text in it."""

    def __init__(self, tag, attributes):
        self.tag, self.attributes = tag, attributes
        self.parts: list[str] = []

    @property
    def text(self):
        return "".join(self.parts)

    @property
    def words(self):
        """Its text with one space between the words, and between what stands in its elements."""
        return " ".join(" ".join(self.parts).split())


class _Parser(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.open: list[Element] = []

    def handle_starttag(self, tag, attrs):
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag):
        closed = self.open.pop()
        assert closed.tag == tag, f"</{tag}> closes <{closed.tag}>"

    def handle_data(self, data):
        for element in self.open:
            element.parts.append(data)


def parse(html):
    """Return all elements; every one that is opened must be closed in its turn."""
    parser = _Parser()
    parser.feed(html)
    parser.close()
    assert not parser.open
    return parser.elements
