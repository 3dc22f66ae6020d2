"""Which sentences stand around a fact, and how is a refusal said? One phrasebook a language.

A refusal may name the `{topic}`; the empty one is an answer left blank. How a system combines the
sentences is told by `wordings`.
"""

from typing import NamedTuple


class Phrasebook(NamedTuple):
    """The sentences of one language around a fact; refusals may name the `{topic}`."""

    openers: tuple[str, ...]
    closers: tuple[str, ...]
    in_short: str
    source: str
    refusals: tuple[str, ...]


PHRASEBOOKS = {
    "en": Phrasebook(
        openers=(
            "Thanks for your question!",
            "Good to hear from you.",
            "Happy to help.",
            "Here is what I can tell you.",
            "Hello! 👋",
        ),
        closers=(
            "Have a nice day!",
            "Is there anything else I can do for you?",
            "I hope this helps.",
            "Just write again if something else comes up :smile:",
            "All the best from the help desk.",
        ),
        in_short="In short: ",
        source="Source: ",
        refusals=(
            "",
            "I don't know.",
            "I could not find that in the help pages.",
            "Sorry, I couldn't find an answer to your question.",
            "I cannot answer this question with the pages I have.",
            "I am unable to answer that.",
            "I'm sorry, but I do not have enough information to answer this.",
            "There is not enough information in the passages to answer the question [1][2].",
            "The provided documents do not contain this information.",
            "I found no information about this.",
            "Unfortunately, I have no information on that. Would you like to speak to a person?",
            "I was unable to find anything on this point in the pages about {topic}.",
            "I couldn't find this in the articles [1]. They cover {topic} in general, that is all.",
            "The provided passages do not mention this. Please call the help desk.",
            "I can't answer that based on the information available to me.",
            "I do not know the answer to this one, I'm afraid. The counter can surely help.",
            "Sorry, I don't have that information.",
            "I am sorry, I cannot help with this question. Shall I pass it on to a colleague?",
            "No information found on this question.",
            "The context does not provide an answer to this question [2].",
            "I could not find a reliable answer. It is best to ask at the counter, they love "
            "questions.",
            "Insufficient information to answer.",
        ),
    ),
    "de": Phrasebook(
        openers=(
            "Danke für Ihre Frage!",
            "Gern helfe ich weiter.",
            "Guten Tag!",
            "Das kann ich Ihnen sagen.",
        ),
        closers=(
            "Einen schönen Tag noch!",
            "Ich hoffe, das hilft Ihnen.",
            "Schreiben Sie gern wieder :smile:",
            "Kann ich sonst noch etwas für Sie tun?",
        ),
        in_short="Kurz gesagt: ",
        source="Quelle: ",
        refusals=(
            "",
            "Das weiß ich leider nicht.",
            "Dazu habe ich keine Information gefunden.",
            "Leider konnte ich dazu nichts finden.",
            "Ich kann diese Frage nicht beantworten.",
            "Tut mir leid, dazu liegen mir keine Informationen vor.",
            "Zu dieser Frage habe ich leider keine Informationen. Bitte rufen Sie uns an, wir "
            "helfen gern.",
            "Die Dokumente enthalten dazu keine Angaben [1].",
            "Ich konnte in den Artikeln keine Antwort finden [1][2].",
            "In den Texten zum Thema „{topic}“ habe ich keine Antwort gefunden.",
            "Diese Frage kann ich leider nicht beantworten. Soll ich sie weiterleiten?",
            "Es liegen nicht genügend Informationen vor, um die Frage zu beantworten.",
            "Ich weiß es nicht.",
            "Entschuldigung, dazu kann ich keine Auskunft geben.",
        ),
    ),
    "ar": Phrasebook(
        openers=("شكرًا على سؤالك.", "أهلًا بك."),
        closers=("نتمنى لك يومًا سعيدًا.", "يسعدنا أن نساعدك دائمًا."),
        in_short="باختصار: ",
        source="المصدر: ",
        refusals=(
            "عذرًا، لم أجد معلومات عن ذلك.",
            "لا أعرف الإجابة عن هذا السؤال.",
            "لا أستطيع الإجابة عن هذا السؤال.",
        ),
    ),
}
