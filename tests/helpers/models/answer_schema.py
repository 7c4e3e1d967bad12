"""A sensible answer to any prompt: fills a JSON Schema with what the prompt itself holds."""

import hashlib
import random
import re
from typing import Any

from sidelight.english.neutrality import half_fault

FENCE = re.compile(r"<<<BEGIN (\w.*?)(?: (\S*\d\S*))?>>>\n(.*?)\n<<<END", re.DOTALL)
LISTED = re.compile(r"(\S+) [\[(]")  # an id, as a list in a fence shows it: "q1 [claim] Who ..."
NAME = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+){0,2}")
EVIDENCE = re.compile(r"\bE[1-9][0-9]*\b")
IDENTIFIES = re.compile(r"(^|_)(ids?|keys?|evidence|segments?|sources?|citations?|angles?)$")
MEANS_EVIDENCE = re.compile(r"evidence|key|segment|source|cit(e|ation)|support")
OF_LISTS = re.compile(r"^- |\S*[\[\]|]\S*")  # marks of a list's items, their ids and pages
WORD_LIMIT = re.compile(r"(\d+) words")
EVERY = "keys of all segments, each once"
POINTERS = re.compile(
    r"\b(?:article|author|headline|publisher|journalist|reporter|story|writer)s?\b"
)
JOINS = {"and", "or", "but", "while", "nor"}
ORDINARY_WORDS = 14
SHORT_CHARACTERS = 120


def answer_schema(schema, prompt, *, invent=False):
    """Return a JSON value that fits the schema; the same one whenever it is asked for.

    Ids are those of fences (`<<<BEGIN segment E1>>>`) whose kind a property names, or else of the
    last list of them in the prompt; texts are sentences from inside the fences, short ones are
    names there; a list of objects that have an id, or ids of a kind of fence, gets one for each;
    any other list as many items as the prompt wants ("angles: at most 2", "angles: an empty
    list", "Write the 10 questions that"). With `invent`, ids are named that the prompt lacks.
    """
    return _Writer(schema, prompt, invent).value(schema, ())


class _Writer:
    def __init__(self, schema, prompt, invent):
        self._definitions = schema.get("$defs", {})
        self._invent = invent
        digest = hashlib.sha256(prompt.encode()).digest()
        self._rng = random.Random(digest)
        self._ids: dict[str, list[str]] = {}
        self._last_list: list[str] = []
        texts, of_segments, of_article = [], [], ""
        for kind, name, text in FENCE.findall(prompt):
            texts.append(text)
            of_segments += [text] if kind == "segment" else []
            of_article += text if kind == "article" else ""
            if ids := [name] if name else _listed(text):
                known = self._ids.setdefault(kind.split()[-1].rstrip("s"), [])
                known += [one for one in ids if one not in known]
                self._last_list = self._last_list if name else ids
        self._evidence = list(dict.fromkeys(EVIDENCE.findall(prompt)))
        text = "\n".join(texts) or prompt
        known = set(of_article.casefold().split())
        fresh = _sentences("\n".join(of_segments)) if of_segments else []
        self._sentences = [one for one in fresh if _is_new(one, known)] or _sentences(text)
        self._names = NAME.findall(text) or ["Somebody"]
        self._prompt = prompt

    def value(self, schema, path):
        """Fill one schema; the path names the properties it lies under, the innermost first."""
        if "$ref" in schema:
            return self.value(self._resolve(schema), path)
        if "anyOf" in schema:
            return self.value(self._pick(schema["anyOf"]), path)
        if self._invent and path and IDENTIFIES.search(path[0]) and "enum" in schema:
            return f"{schema['enum'][0]}99"
        if "const" in schema or "enum" in schema:
            return self._pick(schema.get("enum") or [schema["const"]])
        fill = {
            "object": self._object,
            "array": self._array,
            "string": self._string,
            "integer": self._integer,
            "number": self._number,
            "boolean": lambda *_: self._pick([True, False]),
            "null": lambda *_: None,
        }
        return fill[schema["type"]](schema, path)

    def _resolve(self, schema):
        found: dict[str, Any] = self._definitions[schema["$ref"].rpartition("/")[2]]
        return found

    def _pick(self, options):
        # What comes first is what a hopeful author writes first: good news come oftener.
        return options[int(len(options) * self._rng.random() ** 2)]

    def _object(self, schema, path):
        if "properties" in schema:
            return {
                name: self.value(part, (name, *path)) for name, part in schema["properties"].items()
            }
        part = schema.get("additionalProperties")
        if not isinstance(part, dict):
            return {}
        return {name: self.value(part, path) for name in self._known(path)}

    def _array(self, schema, path):
        if "prefixItems" in schema:
            return [self.value(part, path) for part in schema["prefixItems"]]
        part = schema["items"]
        part = self._resolve(part) if "$ref" in part else part
        low, high = schema.get("minItems", 0), schema.get("maxItems", 100)
        if f"\n{path[0]}: an empty list" in self._prompt:
            return []
        if allowed := re.search(rf"^{path[0]}: at most (\d+)", self._prompt, re.MULTILINE):
            high = min(high, int(allowed[1]))
        asks = rf"^Write (?:the )?(\d+)(?: to \d+)? {path[0]}\b"
        if exactly := re.search(asks, self._prompt, re.MULTILINE):
            low = high = int(exactly[1])
        if part.get("type") == "object":
            named = [name for name in part.get("properties", {}) if IDENTIFIES.search(name)]
            known = [
                (name, self._choices(part["properties"][name], (name, *path)))
                for name in named
                if part["properties"][name].get("type") == "string"
            ]
            if known and known[0][1]:
                name, ids = known[0]
                return [self.value(part, path) | {name: one} for one in ids[:high]]
            for name in named:
                kinds = [ids for kind, ids in self._ids.items() if ids and kind in name]
                if part["properties"][name].get("type") == "array" and kinds:
                    ids = self._known((name,))
                    return [self.value(part, path) | {name: [one]} for one in ids[:high]]
        elif IDENTIFIES.search(path[0]) and part.get("type") == "string":
            known_ids = self._choices(part, path)
            wanted = len(known_ids) if EVERY in self._prompt else self._rng.randint(1, 2)
            n = min(len(known_ids), high, max(low, wanted))
            return self._rng.sample(known_ids, n)
        return [self.value(part, path) for _ in range(min(high, max(low, 3)))]

    def _choices(self, schema, path):
        """Return the ids that a schema allows; where it names none, those a property can mean."""
        allowed = [f"{one}99" if self._invent else one for one in schema.get("enum", ())]
        return allowed or self._known(path)

    def _known(self, path):
        """Return the ids that a property can mean: by its name, in a list, by what it lies in."""
        own, *around = path or ("",)
        found = (
            self._meant(own)
            or self._last_list
            or next(filter(None, map(self._meant, around)), [])
            or next(reversed(self._ids.values()), [])
        )
        return [f"{one}99" for one in found] if self._invent else found

    def _meant(self, name):
        by_kind = next((ids for kind, ids in self._ids.items() if kind in name), [])
        return by_kind or (self._evidence if MEANS_EVIDENCE.search(name) else [])

    def _string(self, schema, path):
        name = path[0] if path else ""
        if IDENTIFIES.search(name):
            known = self._known(path)
            return str(self._rng.choice(known)) if known else ""
        if schema.get("maxLength", SHORT_CHARACTERS + 1) <= SHORT_CHARACTERS:
            return str(self._rng.choice(self._names))[: schema["maxLength"]]
        if name == "claims":  # copied from an article, sentence by sentence
            return " ".join(self._sentence())[: schema.get("maxLength")]
        limit = WORD_LIMIT.search(schema.get("description", ""))
        words = self._sentence()[: int(limit[1]) if limit else ORDINARY_WORDS]
        while len(words) > 3 and half_fault(f"{' '.join(words)}."):
            words.pop()  # what was cut to a limit ends as a sentence may
        if "quer" in name or "question" in name:
            words = [word for word in words if word.lower() not in JOINS][:6]
        text = " ".join(words).strip(",;:")
        if "question" in name:  # about nobody that is named, and not about "the article"
            text = (
                f"What is known about {POINTERS.sub('it', OF_LISTS.sub('', text.lower()).strip())}?"
            )
        text = text[: schema.get("maxLength", len(text)) - 1].ljust(schema.get("minLength", 0), ".")
        return f"{text}." if name == "text" else text

    def _integer(self, schema, _):
        low, high = _range(schema, 1)
        return self._rng.randint(int(low), int(min(high, low + 4)))

    def _number(self, schema, _):
        low, high = _range(schema, 0.01)
        return round(self._rng.uniform(low, high), 2)

    def _sentence(self):
        """Take a sentence; each once, as long as there are any."""
        if len(self._sentences) == 1:
            return self._sentences[0].split()
        return self._sentences.pop(self._rng.randrange(len(self._sentences))).split()


_OF_A_LIST = re.compile(r"- |[A-Z]\d+ \[")
_PLAIN = re.compile(
    r"[A-Z][^\d|\[\]()“”\"…]*"
)  # one sentence, which no other page could contradict


def _sentences(text):
    parts = (part.strip(" .!?\n") for part in re.split(r"[.!?]\s|\n", text))
    said = (part for part in parts if len(part.split()) >= 4 and not _OF_A_LIST.match(part))
    return list(dict.fromkeys(said)) or ["Nothing"]


def _is_new(sentence, known):
    """Tell whether a plain sentence has mostly words that the article lacks."""
    words = sentence.casefold().split()
    return _PLAIN.fullmatch(sentence) and 2 * sum(one in known for one in words) < len(words)


def _listed(text):
    """Return the ids of a list that holds nothing else, but for what is said under each."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("- ")]
    found = [match[1] for line in lines if (match := LISTED.match(line))]
    return found if len(found) == len(lines) else []


def _range(schema, step):
    low = schema.get("minimum", schema.get("exclusiveMinimum", -step) + step)
    high = schema.get("maximum", schema.get("exclusiveMaximum", low + 1 + step) - step)
    return low, high
