"""Prompt injection detection: does a text give orders to software that reads it?

The text is normalised as a model might read it: markup, entities, invisible and lookalike
characters resolved, spaced-out letters joined. Patterns match an order, not a subject: news about
language models, prompts and assistants passes.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from sidelight.text import clean, normalized, unescaped

_TAG_CHARACTERS = re.compile("[\U000e0020-\U000e007e]")
_INVISIBLE = re.compile("[\u034f\u115f\u1160\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
_MARKUP = re.compile(r"<!--|-->|<[^<>\n]{0,300}>|[*_`~#]+")
_SPACED_OUT = re.compile(r"\b(?:\w[ .\-·|]){4,}\w\b")
_MIXED_WORD = re.compile(r"(?<!\w)\w*[a-z]\w*")
_LOOKALIKES = str.maketrans("аеіјорсухѕԁһкмтвнοαερτνικυ", "aeijopcyxsdhkmtbhoaeptviku")

# What may be said to be ignored, and by whom a text may claim to be read.
_READER = (
    r"(?:ai|llms?|chatbots?|(?:large )?language models?|(?:ai |virtual )?assistants?"
    r"|(?:automated|ai) (?:readers?|systems?|agents?|models?|judges?))"
)
_ENGLISH = (
    (
        r"\b(?:ignore|disregard|forget|override|bypass|do not follow)\b[^.!?\n]{0,40}"
        r"\b(?:(?:previous|prior|above|earlier|preceding|system|your|all) (?:\w+ ){0,2}"
        r"(?:instructions?|prompts?|rules|directions|guidelines|orders)"
        r"|(?:everything|anything|all)(?: \w+){0,2} (?:above|before))\b"
    ),
    r"\b(?:new|updated|revised|real) (?:system )?(?:instructions?|prompt)\s*:",
    (
        rf"\b(?:dear|hey|attention|note to|message (?:to|for)|instructions? (?:to|for)) (?:all "
        rf"|any |the )?{_READER}\b"
    ),
    (
        rf"\b(?:if you are an? {_READER}|as an? (?:ai|llm|(?:large )?language model))\b"
        r"[^.!?\n]{0,40}\b(?:you|please|ignore|do not|cite)\b"
    ),
    (
        rf"\b{_READER}(?: reading this)?(?: page)?\s*[,:]\s*(?:please |now |you must )?"
        r"(?:ignore|disregard|cite|label|rate|say|write|report|state|answer|respond|output|repeat"
        r"|praise|include)\b"
    ),
    r"\byou are now (?:an? |in )?(?:\w+ ){0,2}(?:ai|dan|assistant|mode|model|unrestricted)\b",
    (
        r"\b(?:you must|always|please|must)? ?\b(?:label|mark|rate|score|grade) (?:this|every|all"
        r"|each|any)\b"
        r"[^.!?\n]{0,40}\b(?:supports?|full|supported|answers?|as true|very-similar|highest)\b"
    ),
    r"\byou must\b cite\b",
    (
        r"\b(?:always|only|you must|please) cite (?:this|only|e\d)|\bcite (?:this (?:page|source"
        r"|segment)|only e\d|e\d+ )"
    ),
    r"\b(?:reveal|print|repeat|output) (?:your|the) (?:system )?(?:prompt|instructions)\b",
    r"\b(?:respond|reply|answer|output) only with\b",
)
_OTHER_LANGUAGES = (
    (
        r"\b(?:ignoriere?|ignorieren sie|vergiss|vergessen sie|missachten? sie"
        r"|missachte)\b.{0,40}\b(?:anweisung\w*|vorgaben|regeln)\b"
    ),
    (
        r"\b(?:ignore[zr]?|oublie[zr]?)\b.{0,40}\b(?:instructions?|consignes|regles)\b.{0,20}"
        r"\b(?:precedentes?|ci-dessus|anterieures?)\b|\b(?:ignorez"
        r"|oubliez)\b.{0,30}\b(?:instructions|consignes)\b"
    ),
    r"\b(?:ignora|ignore|olvida|olvide)\b.{0,40}\b(?:instrucciones|indicaciones|reglas)\b",
    r"\b(?:ignora|ignorate|dimentica\w*)\b.{0,40}\b(?:istruzioni|regole)\b",
    r"\b(?:ignore|ignora|esqueca)\b.{0,40}\b(?:instrucoes|regras)\b",
    r"\b(?:negeer|vergeet)\b.{0,40}\b(?:instructies|aanwijzingen|regels)\b",
    r"(?:игнорируи\w*|проигнорируи\w*|забудь\w*).{0,40}(?:инструкци|указани|правила)",
    r"(?:忽略|无视|無視|忽視|忘记|忘記).{0,20}(?:指令|指示|规则|規則|提示)",
    r"(?:指示|命令|指令|プロンプト|フロンフト).{0,12}(?:無視|忘れ)",
    r"(?:تجاهل|انس).{0,40}(?:التعليمات|الاوامر|تعليمات)",
    (
        r"\b(?:talimat\w*|kurallar\w*|yonerge\w*)\b.{0,30}\b(?:yok say\w*|unut\w*|gormezden"
        r"|dikkate alma)"
    ),
)
# Marks of our prompts, of chat templates and of answers, and what hides text from people.
_PROMPT_MARKS = (
    r"[<‹⟨]{2}\s{0,5}(?:begin|end)\b|\b(?:begin|end) (?:segment|article|source) e?\d*\s*[>›⟩]{2}",
    r"<\|\w+\|>|\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>",
    (
        r"(?:^|\n|[.!?] )[^\S\n]*[#*\[(]*(?:system|assistant)(?: (?:prompt|message)[*\])]*\s*:\s"
        r"|[*\])]*\s*:\s*(?:you|ignore|disregard|from now|always|never"
        r"|write|say|cite|label|mark|rate|output|answer|respond)\b)"
    ),
    r'"(?:segment_ids|verdict|label|covers|angle_id|answer_id|sentences|keys)"\s*:\s*["\[{]',
    r"(?:^|\n)[^\S\n]*\[?e\d{1,2}\]?\s*[:=]",
)
_HIDDEN = re.compile(
    r"<!--(?:(?!-->).){0,400}\b(?:ai|llm|assistant|model|instructions?|cite|ignore)\b"
    r"|style\s*=\s*[\"'][^\"']*(?:display\s*:\s*none|font-size\s*:\s*0|visibility\s*:\s*hidden"
    r"|color\s*:\s*(?:white|#fff))",
    re.IGNORECASE | re.DOTALL,
)
_WORDS = re.compile("|".join((*_ENGLISH, *_OTHER_LANGUAGES)))
_SIGNS = re.compile("|".join(_PROMPT_MARKS))


# A topic meets the same windows in every round; reading one takes milliseconds.
@lru_cache(maxsize=8192)
def gives_orders(text: str) -> bool:
    """Tell whether a text tries to steer software that reads it."""
    shown = _legible(text)
    plain = _MARKUP.sub(" ", shown)
    joined = _SPACED_OUT.sub(lambda run: re.sub(r"[ .\-·|]", "", run.group()), plain)
    readings = {
        re.sub(r"[^\S\n]+", " ", reading) for reading in (plain, joined, _MARKUP.sub("", shown))
    }
    return (
        _HIDDEN.search(shown) is not None
        or _SIGNS.search(shown) is not None
        or any(_WORDS.search(reading.replace("\n", " ")) for reading in readings)
    )


def _legible(text: str) -> str:
    """Return a text case-folded, without accents, every disguised character as it looks."""
    text = _TAG_CHARACTERS.sub(lambda tag: chr(ord(tag.group()) - 0xE0000), unescaped(text))
    text = normalized("NFKD", clean(_INVISIBLE.sub("", text))).casefold()
    text = "".join(character for character in text if not unicodedata.combining(character))
    # A word of one script stays as it is: Russian is no disguise.
    return _MIXED_WORD.sub(lambda word: word.group().translate(_LOOKALIKES), text)
