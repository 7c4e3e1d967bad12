"""Reader's knowledge: the words, names and figures that a reader of the article already has."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from sidelight.generation.reading.names import looks_personal, mentions, name_forms, strip_title
from sidelight.generation.reading.verbs import first_verb
from sidelight.generation.statements.naming import full_names, in_full
from sidelight.generation.statements.pointing import ORGANISATION_KINDS, PERSON_KINDS, has_name
from sidelight.text import STOPWORDS, content_words, figures, names, shingles, stems

if TYPE_CHECKING:
    from sidelight.generation.statements.statements import Statement
    from sidelight.schemas.investigation.angle import ArticleProfile

_COPIED = 0.5
_ARTICLE = re.compile(r"\b[Tt]he\s+(?:[a-z-]+\s+)?(?:article|column|story|piece|feature|post)\b")
_RETELLS = re.compile(
    r"\b(?:article|column|piece|story|feature)\s+(?:[a-z]+ly\s+)?(?:said|says|stated|states|claimed"
    r"|claims|described|describes|told|quoted|quotes|argued|argues|reported|notes|noted|explores"
    r"|centers|centres|focuses|highlights|discusses|asks)\b"
    r"|\btold\s+(?:its|his|her|their)\s+readers\b"
    r"|\b(?:wrote|published)\s+(?:an?|its|his|her)\s+(?:[a-z]+\s+)?(?:article|column|piece|story"
    r"|feature)\s+(?:about|on|stating|claiming|saying|arguing|that)\b"
)
_WROTE = re.compile(r"\bwrote\s+(?:about|on|of)\b")
_CONTRAST_WORD = re.compile(
    r"\b(?:but|however|although|though|whereas|while|yet|not|without|because|now)\b"
)
_THE_ARTICLE = frozenset({"article", "column", "story", "piece", "feature"})
_THE_STUDY = frozenset({"study", "experiment", "trial", "research", "researchers", "scientists"})
# "The veltose group" of which trial, an article on one of them does not say.
_PARTS_OF_A_STUDY = frozenset("group groups arm arms sample samples participants subjects".split())
_PUBLISHES = re.compile(
    r"\b(?:article|column|story|piece|feature|wrote|told (?:its )?readers|published an?)\b"
)
_FULL_NAME = re.compile(r"\b([^\W\d_a-z][\w’'-]+)\s+(?:[A-Z]\.\s+)?([^\W\d_a-z][\w’'-]+)\b")
_NOUN_KIND = re.compile(f"{PERSON_KINDS}|{ORGANISATION_KINDS}")
_MAX_PHRASE, _MANY_KEYWORDS = 4, 3
_COMPOUND = 2  # words of a subject such as "brannick twist"
# "Brannick Twist (road)" is the title of a page on one of several things of that name.
_SENSE = re.compile(
    r"(?=[^()\n]*\w\w)(?P<name>[^()\n]++)\s*+(?<=\s)\((?P<sense>[a-z][a-z ]*)\)"
    r"(?=\s+[|–—-]|\n|$)"
)
_NAMESAKE = re.compile(r"\bnot\s+the\s[^.]{1,60}\bof\s+the\s+same\s+name\b|\bnamesake\b")
_DOCUMENT_CODE = re.compile(r"\b[A-Z]{1,6}[A-Z/-]{0,60}\d[\w/-]*")
_FILE_NUMBER = re.compile(r"\b[A-Z]{2,6}-(?:[A-Z]{1,4}-){0,20}\d{3,}[\d-]*")
_ADVERB = re.compile(r"\b\w+ly\b")
# "the blood-pressure claim": what claim it is stands before the word.
_ANY_CLAIM = stems(
    "claim claims rumor rumour theory idea statement allegation allegations event phenomenon"
    " challenge comparison figure framing account description warning story"
)
# "The claim that ...", "the idea of ...": what is meant stands behind it.
_CONTENT = re.compile(
    r"(?:claim|idea|theory|statement|allegation|prediction|suggestion|assertion|argument|notion"
    r"|belief|rumou?r|finding|conclusion|warning)"
)
_COMPLEMENT = re.compile(r"\s+(?:that|of)\b")
_IS_THAT = re.compile(r"(?:\s+[a-z-]+){0,3}?\s+(?:is|was)\s+that\b")
_IS = re.compile(r"(?:\s+[a-z-]+){0,4}?\s+(?:is|was)\b")
_NAMED = re.compile(r"(?:\s+[a-z-]+){0,3}?,\s+[\"“]?[^\W\d_a-z]")
_FOREMOST = re.compile(r"(?:main|chief|core|key|central|primary|\w+est)\b")
_HONORIFICS = frozenset("mr mrs ms dr prof professor sir dame lord lady minister president".split())


class Reader:
    """Tells what is new to somebody who has just read an article, and what is not.

    Who has asked with a narrative has read nothing, and knows the words they used.

    Args:
        profile: The article, or the narrative.
    """

    def __init__(self, profile: ArticleProfile) -> None:
        whole = "\n".join([profile.title, profile.publisher, *profile.authors, profile.body])
        self._is_article = bool(profile.body)
        self._stems = stems("\n".join([whole, *profile.keywords]))
        self._words = frozenset(re.findall(r"[\w’'-]+", whole))
        self._whole = whole
        self._title = frozenset(content_words(f"{profile.title} {profile.subject}"))
        self._keywords = frozenset(profile.keywords)
        self._subject = tuple(profile.subject.casefold().split())
        self._headline = profile.title.casefold()
        self._quoted = f'"{profile.title}"' if self._is_article and profile.title else ""
        self._shingles = shingles(profile.body)
        self._figures, self._names = figures(whole), names(whole)
        self._principals = tuple(
            form
            for name in filter(None, (profile.publisher, *profile.authors))
            for form in name_forms(name)
        )
        self._studies = tuple(form for name in profile.studies for form in name_forms(name))
        self._full_names: dict[str, set[str]] = defaultdict(set)
        for name in (*profile.authors, *profile.people):
            if looks_personal(name):
                words = strip_title(name).split()
                self._full_names[words[-1]] |= {words[0]} | _firsts(profile.body, words[-1])

    def can_place(self, statement: Statement, page: str) -> bool:
        """Tell whether the article resolves every definite description of a statement.

        On a page that names the outlet or an author, "the article" is the one that was read, and on
        one that names a study which the article cites, "the study" is that study.
        """
        if self._hangs_on_a_code(statement.text):
            return False
        return all(
            self._knows(phrase)
            or (phrase.split()[-1] in _THE_ARTICLE and self.is_about(page))
            or self._is_told(phrase, statement.text)
            or (phrase in _THE_STUDY and mentions(page, self._studies))
            for phrase in statement.loose
        )

    def _is_told(self, phrase: str, text: str) -> bool:
        """Tell whether a text itself introduces the referent of a phrase.

        "The claim that ..." does, and "the author, Ada Lark, ..."; "the main limitation is ..."
        does where the text names something of the article, of which it is the limitation.
        """
        match = re.search(rf"\b[Tt]he\s+{re.escape(phrase)}(?![\w’'-])", text)
        if match is None:
            return False
        end = match.end()
        if _NAMED.match(text, end) or (
            _CONTENT.fullmatch(phrase.rsplit(maxsplit=1)[-1]) and _COMPLEMENT.match(text, end)
        ):
            return True
        tells = _IS_THAT.match(text, end) or (_FOREMOST.match(phrase) and _IS.match(text, end))
        return bool(tells) and bool(names(text) & self._names)

    def _hangs_on_a_code(self, text: str) -> bool:
        """Tell whether the subject of a text is named by a code that the article lacks."""
        subject = text[: first_verb(text) or len(text)]
        codes = [code for code in _DOCUMENT_CODE.findall(subject) if code not in self._words]
        return bool(codes) and not has_name(_DOCUMENT_CODE.sub(" ", subject))

    def _knows(self, phrase: str) -> bool:
        if phrase[:1].isupper():  # a reader could not tell two boards apart
            return phrase in self._words and len(full_names(phrase, self._whole)) <= 1
        if " of " in phrase and (given := figures(phrase)):  # "figure of 4,000"
            return given <= self._figures
        owner, owns, _ = phrase.replace("’", "'").rpartition("'s ")
        if owns:
            phrase = owner
        if len(phrase.split()) > _MAX_PHRASE:  # a sentence that names nothing
            words = set(content_words(phrase))
            return bool(words & self._title) and len(words & self._keywords) >= _MANY_KEYWORDS
        if self._may_mean_any(phrase):
            return False
        wanted = stems(_ADVERB.sub("", phrase)) - (_ANY_CLAIM if " " in phrase else frozenset())
        return bool(wanted) and wanted <= self._stems

    def _may_mean_any(self, phrase: str) -> bool:
        """Tell whether a phrase may refer to more than the thing that the article names so.

        Which company or author is meant, no report has said, nor the group of which trial.
        """
        kind = phrase.rsplit(maxsplit=1)[-1].casefold()
        if kind in _PARTS_OF_A_STUDY:
            return True
        is_bare = " " not in phrase
        return is_bare and bool(
            _NOUN_KIND.fullmatch(kind) or (self._is_article and not self._introduces(phrase))
        )

    def _introduces(self, word: str) -> bool:
        """Tell whether the article speaks of a thing by a word, and not only in "peer review"."""
        kind = re.escape(word.casefold().removesuffix("s"))
        return (
            re.search(
                rf"(?:\b(?:the|an?|this|that|its|his|her|their|our|new)|['’]s|\d)"
                rf"\s(?:[\w-]+\s){{0,2}}{kind}",
                self._whole,
                re.IGNORECASE,
            )
            is not None
        )

    def in_full(self, statement: Statement) -> Statement:
        """Return a statement with the article's one full name for "the Board" in its place.

        Where the article's title stands in quotation marks, "the article" says the same.
        """
        text = statement.text
        if self._quoted and _ARTICLE.search(text) is None:
            text = text.replace(self._quoted, "the article")
        return statement._replace(text=in_full(text, self._whole))

    def has_read(self, text: str) -> bool:
        """Tell whether half of a text is in the article, or the article's title in the text."""
        if self._headline and self._headline in text.casefold():
            return True
        own = shingles(text)
        return len(own & self._shingles) >= _COPIED * len(own)

    def has_word(self, word: str) -> bool:
        """Tell whether the article holds a word as it is written, capitals and all."""
        return word in self._words

    def news(self, text: str) -> tuple[set[str], frozenset[str]]:
        """Return the figures and the names of a text that the article lacks."""
        return figures(text) - self._figures, names(text) - self._names

    def is_about(self, page: str) -> bool:
        """Tell whether a page names the outlet, an author or the article by its title."""
        return mentions(page, self._principals) or (
            self._quoted != "" and self._quoted[1:-1] in page
        )

    def retells(self, text: str) -> bool:
        """Tell whether a text only retells the article."""
        if not self._is_article:
            return False
        does = _RETELLS.search(text) or (_WROTE.search(text) and self.is_about(text))
        return bool(does) and _CONTRAST_WORD.search(text) is None

    def speaks_of_article(self, text: str) -> bool:
        """Tell whether a text speaks of an article, or says what the outlet or an author wrote."""
        return self._is_article and (
            _ARTICLE.search(text) is not None
            or (self.is_about(text) and _PUBLISHES.search(text) is not None)
        )

    def _files_otherwise(self, text: str) -> bool:
        """Tell whether a text is about a document filed under another number than the article's.

        "MA-2020-0417" is not "MA-2021-0417".
        """
        codes = set(_FILE_NUMBER.findall(text))
        own = set(_FILE_NUMBER.findall(self._whole))
        return (
            bool(codes)
            and not codes & own
            and bool(
                {code.partition("-")[0] for code in codes}
                & {code.partition("-")[0] for code in own}
            )
        )

    def _is_of_another_kind(self, text: str, page: str) -> bool:
        """Tell whether a text is about another thing: "the twist" of a page on barley twists.

        The page then never names the article's own subject, such as "brannick twist".
        """
        if len(self._subject) != _COMPOUND:
            return False
        own, kind = self._subject
        if re.search(rf"\b[Tt]he {re.escape(kind)}\b", text) is None:
            return False
        words = [word.casefold() for word in re.findall(r"[\w’'-]+", page)]
        before = {first for first, second in pairwise(words) if second == kind} - STOPWORDS
        return bool(before) and own not in before

    def means_another(self, text: str, page: str) -> bool:
        """Tell whether a text is about a namesake of a person or a thing in the article.

        A person then only shares a surname, and a page says in its title which sense of a name it
        means: one that the article has no word of.

        Args:
            text: A statement.
            page: What its page says, title included, which may name them in full.
        """
        if self._files_otherwise(text) or self._is_of_another_kind(text, page):
            return True
        if (other := _SENSE.match(page)) and self._title >= set(content_words(other["name"])):
            return not stems(other["sense"]) & self._stems
        is_namesake = _NAMESAKE.search(page) is not None
        for last, firsts in self._full_names.items():
            if re.search(rf"\b{re.escape(last)}\b", text) is None:
                continue
            in_text, on_page = _firsts(text, last), _firsts(page, last)
            is_unclear = len(firsts) > 1 and not in_text  # which of them, the text does not say
            is_other = any(found and not found & firsts for found in (in_text, on_page))
            if is_namesake or is_unclear or is_other:
                return True
        return False


def _firsts(text: str, last: str) -> set[str]:
    """Return the first names that precede a surname in a text."""
    return {
        first
        for first, found in _FULL_NAME.findall(text)
        if found == last and first.casefold().strip(".") not in _HONORIFICS | STOPWORDS
    }
