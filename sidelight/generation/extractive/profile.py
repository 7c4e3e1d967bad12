"""Profiler of an article without a model: outlet, author, names, figures, dates, claims.

People, organisations and the subject come from the parse of the article's sentences.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from sidelight.english.cleaning import (
    clean_article,
    find_authors,
    find_companies,
    find_masthead,
    find_publisher,
    headline,
)
from sidelight.english.names import (
    definite,
    find_names,
    looks_like_organisation,
    looks_personal,
    strip_title,
)
from sidelight.english.parser import Sentence, parse
from sidelight.english.vocabulary import BODIES, PEOPLE, ROLES, STUDIES, VAGUE
from sidelight.errors import InputError
from sidelight.generation.pages import page_date
from sidelight.learned.reading.tables import frequencies
from sidelight.learned.reading.words import stem
from sidelight.schemas.investigation.angle import ArticleProfile, Claim
from sidelight.schemas.topic import Article
from sidelight.text import (
    STOPWORDS,
    clean,
    content_words,
    count_words,
    numbers,
    one_line,
    sentences,
    tokens,
)

_MAX_CLAIMS = 8
_MIN_CLAIM_WORDS, _MAX_CLAIM_WORDS = 8, 34
_MAX_PROFILE_NAMES = 6
_MAX_KEYWORDS = 25
_SAME_CLAIM = 0.5
_MAX_SUBJECT_WORDS = 6
_SUBJECT_KEYWORDS = 3
_PLACES = frozenset({"GPE", "NORP", "LOC"})
# The subject. What each mention is worth beside one of a noun phrase of several words: of a name,
# of that of a university or the like, of a single noun, and of people of a kind. These figures and
# those below were chosen on development topics: without any of them some get another subject.
_NAME, _BODY, _SINGLE, _PEOPLE = 4.0, 2.0, 0.3, 0.3
# Factors for what the headline has nothing of and for what stands in it whole. A headline has more
# of the single nouns of its text than of the phrases by chance.
_NAME_IN_TITLE, _PHRASE_IN_TITLE, _NOUN_IN_TITLE = (0.65, 2.0), (0.5, 2.0), (0.75, 1.5)
_OFTEN = 3  # mentions of a name that the headline lacks
_MAX_CAPITALS = 4  # words of a name, all of them with a capital
_RARE = 3.0  # rarity of a word, in nats, from which it tells one subject from others

_MONTH_WORD = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?"
# A title makes a person of what a parser may take for an organisation.
_DOCTOR = re.compile(
    r"\b(?:Dr|Prof|Professor)\b\.?\s(?P<name>[A-Z][\w'’-]{1,30}(?:\s[A-Z][\w'’-]{1,30}){1,2})"
)
_DATE_MENTION = re.compile(
    rf"\b(?:\d{{1,2}}\s+{_MONTH_WORD}\s+\d{{4}}|{_MONTH_WORD}\s+\d{{1,2}},?\s+\d{{4}}|(?:19|20)\d{{2}})\b"
)


class ExtractiveProfiler:
    """The role `profile_article` without a model."""

    async def __call__(self, article: Article) -> ArticleProfile:
        """Return what the page itself tells; see `read`."""
        return self.read(article)

    def read(self, article: Article) -> ArticleProfile:
        """Return what the page itself tells; see `ArticleProfile`.

        Raises:
            InputError: The article has neither title nor text, so there is nothing to ask about.
        """
        body, cuts = clean_article(article.body)
        if not body and not one_line(article.title):
            raise InputError(f"{article.topic_id}: the article has neither title nor text")
        publisher, authors = find_publisher(article), find_authors(article)
        title = headline(article.title or find_masthead(article.body).headline, publisher)
        parsed = parse(sentences(body))
        own = {publisher.casefold(), *(author.casefold() for author in authors)}
        people = _people(parsed, body, own)
        keywords = _keywords(title, body)
        return ArticleProfile(
            title=one_line(title),
            publisher=publisher,
            host=article.host,
            authors=authors,
            people=people,
            organisations=_organisations(parsed, {*own, *map(str.casefold, people)}),
            studies=_studies(parsed, own),
            dates=tuple(dict.fromkeys(_DATE_MENTION.findall(clean(article.body)))),
            subject=_subject(title, body, parsed, people, publisher)
            or " ".join(keywords[:_SUBJECT_KEYWORDS]),
            keywords=tuple(keywords),
            claims=tuple(_claims(title, parsed, set(keywords))),
            prompts=tuple(one.text for one in parsed if one.is_prompt),
            body=body,
            companies=find_companies(article, publisher),
            written=page_date(article.url, article.body),
            cuts=cuts,
        )


def _keywords(title: str, body: str) -> list[str]:
    """Return content words by frequency, words of the title counted thrice, ties alphabetical."""
    counts = Counter(word for word in content_words(body) if not word[0].isdigit())
    for word in counts.keys() & set(content_words(title)):
        counts[word] *= 3
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [word for word, _ in ordered[:_MAX_KEYWORDS]]


def _ranked(names: Iterable[str]) -> list[str]:
    """Return names, most mentioned first, ties by first mention."""
    return [name for name, _ in Counter(names).most_common()]


def _people(parsed: Sequence[Sentence], body: str, own: set[str]) -> tuple[str, ...]:
    """Return the people that an article calls by first and last name, those who speak first."""
    full = [
        strip_title(name)
        for sentence in parsed
        for name in sentence.named("PERSON")
        if len(strip_title(name).split()) in {2, 3} and name[0].isupper()
    ]
    full += [match["name"] for match in _DOCTOR.finditer(body)]
    kinds = Counter((e.text, e.label == "PERSON") for one in parsed for e in one.entities)
    said = Counter(speaker for sentence in parsed if (speaker := sentence.speaker))
    speaking = {name: sum(n for who, n in said.items() if name.split()[-1] in who) for name in full}
    of_outlet = {word for name in own for word in name.split()}
    found = [
        name
        for name in dict.fromkeys(full)
        if looks_personal(name)
        and not _goes_by_first_word(name, body)
        and kinds[name, True] >= kinds[name, False]
        and not of_outlet.intersection(name.casefold().split()[-1:])
    ]
    uses = {name: len(re.findall(rf"\b{re.escape(name.split()[-1])}\b", body)) for name in found}
    found.sort(key=lambda name: -2 * speaking[name] - uses[name])
    kept: list[str] = []
    for name in found:
        if not any(set(name.split()) <= set(other.split()) for other in kept):
            kept.append(name)
    return tuple(kept[:_MAX_PROFILE_NAMES])


def _organisations(parsed: Sequence[Sentence], own: set[str]) -> tuple[str, ...]:
    """Return the organisations that an article names, most mentioned first."""
    people = {name.casefold() for sentence in parsed for name in sentence.named("PERSON")}
    named = _ranked(
        name
        for sentence in parsed
        for name in sentence.named("ORG")
        if name[0].isupper() and name.casefold() not in people and len(name) > 1
    )
    kept: list[str] = []
    for name in named:
        words = set(name.casefold().split())
        known = [set(one.casefold().split()) for one in (*kept, *own)]
        if not any(words <= other or other <= words for other in known if other):
            kept.append(name)
    return tuple(kept[:_MAX_PROFILE_NAMES])


def _studies(parsed: Sequence[Sentence], own: set[str]) -> tuple[str, ...]:
    """Return the names that an article ties a study or the like to, as in "the Kelder study"."""
    found: list[str] = []
    for sentence in parsed:
        for entity in sentence.entities:
            if entity.label not in {"ORG", "PERSON", "PRODUCT", "FAC", "WORK_OF_ART"}:
                continue
            head = sentence.doc[entity.end - 1].head
            if head.dep_ == "prep" and head.lower_ in {"by", "from", "of", "in"}:
                head = head.head
            if head.dep_ == "agent":
                head = head.head.head if head.head.dep_ == "acl" else head
            if head.lemma_.casefold() in STUDIES and entity.text.casefold() not in own:
                found.append(entity.text)
    return tuple(_ranked(found)[:_MAX_PROFILE_NAMES])


def _goes_by_first_word(name: str, body: str) -> bool:
    """Tell whether a name is shortened to its first word, as those of bodies and children are."""
    first, *_, last = map(re.escape, name.split())
    by_first = len(re.findall(rf"\b{first}\b(?!\s[A-Z])", body))
    alone = (one for one in re.findall(rf"(\S*)\s{last}\b", body) if not one[:1].isupper())
    titled = re.search(rf"\b(?:M[rs]|Mrs|Dr|Prof|Professor|Miss)\b\.?\s{last}\b", body)
    return by_first > 1 and not titled and not any(alone)


def _subject(
    title: str, body: str, parsed: Sequence[Sentence], people: Sequence[str], outlet: str
) -> str:
    """Return the name or noun phrase that says what the article is about, as the article writes it.

    A noun phrase is worth the mean mentions of its words, less if it is a single word or only says
    what kind of people; a name more than its mentions. What stands in the headline counts up to
    four times. The outlet and places are no subject, and a person only where the headline says so.
    """
    heading = parse([title]) if title else []
    in_title = set(tokens(title)) | {t.lemma_.casefold() for one in heading for t in one.doc}
    # A company of one word is sometimes taken for a place, and the other way round.
    kinds = Counter((e.text.casefold(), e.label in _PLACES) for one in parsed for e in one.entities)
    places = {name for (name, place), n in kinds.items() if place and n >= kinds[name, False]}
    not_meant = {word.casefold() for name in (outlet, *people) for word in name.split()}
    worth: dict[str, float] = {}
    for text, words, value in (
        *_subject_names(title, body, not_meant),
        *_subject_people(title, body, people),
        *_subject_phrases((*heading, *parsed), not_meant),
    ):
        if text.casefold() in places or len(words) > _MAX_SUBJECT_WORDS:
            continue
        share = 1.0 if text in title else sum(word in in_title for word in words) / len(words)
        if not text.islower():
            least, most = _NAME_IN_TITLE
        else:
            least, most = _PHRASE_IN_TITLE if len(words) > 1 else _NOUN_IN_TITLE
        factor = least + (most - least) * share
        worth[text] = max(worth.get(text, 0.0), value * factor)
    for post in [one for one in worth if one.casefold().split()[-1] in ROLES]:
        value = worth.pop(post)
        if held := _with_holder(post, body):
            worth[held] = max(worth.get(held, 0.0), value)
    if not worth:
        return one_line(title)
    best = max(worth, key=lambda name: (worth[name], name))
    if best[0].isupper():
        return _in_full(best, body)
    spoken = " ".join(one.speaker for one in parsed if one.speaker)
    return _with_name(best, title, body) or _meant_by(best, body, people, spoken) or best


def _with_name(noun: str, title: str, body: str) -> str:
    """Return a noun with the name that a headline has before it: "Thorrin Bay beaches"."""
    named = rf"((?:[A-Z][\w’'-]*\s){{1,3}}){re.escape(noun)}\w{{0,2}}\b"
    for match in re.finditer(named, title):
        first = match[1].split()[0].casefold()
        if match.start() and not re.search(rf"(?<!\w){re.escape(first)}(?!\w)", body):
            return one_line(match[0])
    return ""


def _meant_by(noun: str, body: str, people: Sequence[str], spoken: str) -> str:
    """Return somebody who comes up often and says nothing, if a noun is as vague as "the deal"."""
    if " " in noun or not definite(noun, body).startswith("the "):
        return ""
    last = Counter(person.split()[-1] for person in people)
    uses = {
        person: len(re.findall(rf"\b{re.escape(person.split()[-1])}\b", body))
        for person in people
        if last[person.split()[-1]] == 1 and person.split()[-1] not in spoken
    }
    most = max(uses, key=lambda one: (uses[one], one), default="")
    return most if most and uses[most] >= _OFTEN else ""


def _with_holder(post: str, body: str) -> str:
    """Return a post with who holds it, or with its body; empty if an article names neither."""
    *_, role = post.split()
    found = re.search(rf"\b(?i:{re.escape(post)})(?: [A-Z][\w'’-]+){{2,3}}", body) or re.search(
        rf"\b{re.escape(role)} of (?:the )?[A-Z][\w'’-]+(?: (?:of |for )?[A-Z][\w'’-]+)*"
        rf"(?: (?:{'|'.join(sorted(BODIES))})\b)?",
        body,
    )
    return found.group()[0].lower() + found.group()[1:] if found else ""


def _subject_names(
    title: str, body: str, not_meant: set[str]
) -> Iterator[tuple[str, list[str], float]]:
    """Yield names that may be a subject, with their words and what their mentions are worth."""
    names = find_names(body)
    titled = {name for name in names if name in title}
    for name, count in names.items():
        words = name.casefold().split()
        is_meant = name in titled or count >= _OFTEN
        if not is_meant or name.isupper() or not_meant.intersection(words):
            continue
        in_full = any(one.startswith(f"{name} ") for one in titled)
        is_plain = len(words) == 1 and re.search(rf"\b{re.escape(words[0])}\b", body)  # "the Bill"
        # A piece of a headline with capitals is no name, where it stands once more in the text.
        capitals = sum(word[0].isupper() for word in name.split())
        is_prose = len(words) > _MAX_CAPITALS or not STOPWORDS.isdisjoint(words[1:])
        is_headline = count < _OFTEN and capitals == len(words) > 2 and is_prose
        if not in_full and not is_plain and not is_headline:
            yield name, words, (_BODY if looks_like_organisation(name) else _NAME) * count


def _subject_people(
    title: str, body: str, people: Sequence[str]
) -> Iterator[tuple[str, list[str], float]]:
    """Yield the people whom the headline names, in the same way."""
    for person in people:
        if person in title:
            uses = len(re.findall(rf"\b{re.escape(person.split()[-1])}\b", body))
            yield person, person.casefold().split(), uses


def _subject_phrases(
    parsed: Sequence[Sentence], not_meant: set[str]
) -> Iterator[tuple[str, list[str], float]]:
    """Yield plain noun phrases, in the same way, of which the last word comes up again."""
    lemmas = Counter(t.lemma_.casefold() for one in parsed for t in one.doc)
    common = {t.text for one in parsed for t in one.doc if t.pos_ == "NOUN"}
    rarity = frequencies()
    for words in (phrase for one in parsed for phrase in one.noun_phrases()):
        phrase = [
            t for t in words if t.lemma_.casefold() not in VAGUE and t.tag_ not in {"JJR", "JJS"}
        ]
        keys = [t.lemma_.casefold() for t in phrase if t.is_alpha and len(t) > 1]
        # The first word of a headline may be taken for a name.
        plain = all(t.pos_ in {"NOUN", "ADJ"} or (not t.i and t.lower_ in common) for t in phrase)
        other = not_meant.intersection(keys)
        if not keys or not plain or other or phrase[-1].pos_ != "NOUN" or lemmas[keys[-1]] < 2:
            continue
        value = sum(min(lemmas[key], lemmas[keys[-1]]) for key in keys) / len(keys)
        if len(keys) == 1:
            value *= _SINGLE * rarity.weight(stem(keys[0])) / _RARE
        if keys[-1] in PEOPLE | STUDIES:
            value *= _PEOPLE
        yield one_line("".join(t.text_with_ws for t in phrase)).lower(), keys, value


def _in_full(name: str, text: str) -> str:
    """Return a name with the capitals or number that often follow it: "Kaari 5"."""
    longer = Counter(re.findall(rf"\b{re.escape(name)}(?:\s(?:[A-Z][\w-]*|\d[\w.]*)){{1,2}}", text))
    uses = len(re.findall(rf"\b{re.escape(name)}\b", text))
    most = max(longer, key=lambda one: (longer[one], one), default=name)
    return most if 3 * longer[most] >= uses else name


def _claims(title: str, parsed: Sequence[Sentence], keywords: set[str]) -> Iterator[Claim]:
    """Yield the most central checkable sentences, no two of them much alike."""
    title_words = set(content_words(title))
    scored = sorted(
        (-_claim_score(one, place / len(parsed), title_words, keywords), place)
        for place, one in enumerate(parsed)
        if _MIN_CLAIM_WORDS <= count_words(one.text) <= _MAX_CLAIM_WORDS
        and one.is_finite
        and not one.pointer
        and not one.addresses_somebody
        and not one.is_prompt
        and one.quoted_share == 0
    )
    known: list[set[str]] = []
    for _, place in scored:
        one, words = parsed[place], set(content_words(parsed[place].text))
        if any(len(words & other) / len(words | other) > _SAME_CLAIM for other in known):
            continue
        known.append(words)
        yield Claim(
            text=one.text,
            figures=tuple(sorted(numbers(one.text))),
            names=tuple(sorted(one.named("PERSON", "ORG", "GPE", "FAC", "PRODUCT", "LAW"))),
        )
        if len(known) == _MAX_CLAIMS:
            return


def _claim_score(one: Sentence, place: float, title: set[str], keywords: set[str]) -> float:
    words = set(content_words(one.text))
    return (
        1.5 * len(words & title) / max(1, len(title))
        + 1.0 * len(words & keywords) / max(1, len(words))
        + 0.5 * bool(one.figures)
        - 0.3 * bool(one.speaker)
        - 0.5 * any(e.start == 0 and e.label == "PERSON" for e in one.entities)
        + 0.4 * (1.0 - place)
    )
