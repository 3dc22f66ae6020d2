"""What of an answer is compared with a phrase: its own words, spelt one way, and its opening.

Unicode NFKD without accents (so that "für" is "fur" in answer and phrase alike), case folded, one
apostrophe, English contractions written out, white space collapsed.
"""

import re
import unicodedata

# Voicing marks of Japanese make another letter (が), accents only another spelling.
KEPT_MARKS = "\u3099\u309a"
APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u201b\u02bc\u00b4\u0060\u2032", "'"))
# The dotted capital loses its dot as an accent; the dotless small one follows it.
TURKISH_I = str.maketrans({"\u0131": "i"})
# Not grammar: both sides are rewritten the same way, so that one phrase serves both spellings.
CONTRACTIONS = (
    ("can't", "cannot"),
    ("can not", "cannot"),
    ("won't", "will not"),
    ("n't", " not"),
    ("i'm", "i am"),
    ("it's", "it is"),
    ("there's", "there is"),
    ("i've", "i have"),
)
PARAGRAPH_END = re.compile(r"\n\s*\n")
# Chinese and Japanese go on without a blank.
SENTENCE_END = re.compile(r"[.!?؟。](?:(?=\s|$)|(?<=。)|(?<=[!?])(?=[\u3040-\u9fff]))")
QUOTATION = re.compile(r"\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」")
# An answer of which less is left was put in quotes as a whole.
MIN_UNQUOTED = 12
# "I'm sorry." and "Good question!" open the sentence that counts.
MIN_OPENING = 30


def normalise(text: str) -> str:
    """Return text in the spelling in which answers and phrases are compared."""
    if not text.isascii():
        text = _without_accents(text.translate(APOSTROPHES))
    text = PARAGRAPH_END.sub(". ", text.casefold()) if "\n" in text else text.casefold()
    text = " ".join(text.split())
    if "'" in text or "can not" in text:
        for contraction, words in CONTRACTIONS:
            text = text.replace(contraction, words)
    return text


def _without_accents(text: str) -> str:
    """Letters without marks, in composed form, with one kind of i."""
    letters = unicodedata.normalize("NFKD", text)
    kept = "".join(c for c in letters if c in KEPT_MARKS or not unicodedata.combining(c))
    return unicodedata.normalize("NFC", kept).translate(TURKISH_I)


def own_words(text: str) -> str:
    """Return the text without what it quotes, unless it is quoted as a whole."""
    if text.isascii() and '"' not in text:
        return text
    unquoted = QUOTATION.sub(" ", text)
    return unquoted if len(unquoted.strip()) >= MIN_UNQUOTED else text


def opening(text: str) -> str:
    """Return the first sentence of a normalised text, with the next one when it is a courtesy."""
    if len(text) <= MIN_OPENING:
        return text
    end = SENTENCE_END.search(text, MIN_OPENING)
    return text if end is None else text[: end.end()]
