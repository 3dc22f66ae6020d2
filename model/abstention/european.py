"""How generators decline in German, French, Spanish, Italian, Portuguese and Dutch."""

from model.abstention.phrases import LanguagePhrases

GERMAN = LanguagePhrases(
    "de",
    (
        "ich weiß (|es |das |das leider |es leider |leider )nicht",
        "weiß ich (|das |es |das leider |es leider |leider )nicht",
        "(kann ich|ich kann) … (nicht beantworten|nicht weiterhelfen|nicht helfen|nichts sagen)",
        "(kann ich|ich kann) … keine (Auskunft|Antwort|Aussage|Angaben|Angabe)",
        "(konnte ich|ich konnte) … (nichts|nicht) finden",
        "(konnte ich|ich konnte) … (kein|keine|keinen) … finden",
        "(habe ich|ich habe) … (nichts |kein … |keine … |keinen … )gefunden",
        "(habe ich|ich habe) … keine (|näheren |weiteren |genauen |ausreichenden )(Informationen|"
        "Information|Angaben|Auskunft)",
        "(finde ich|ich finde) … (nichts|keine Informationen|keine Angaben|keine Antwort)",
        "(liegen mir|mir liegen|liegen uns|uns liegen) … keine … (Informationen|Angaben|Daten)",
        "mir fehlen … Informationen",
        "lässt sich … nicht beantworten",
        "(Frage|das) kann … nicht beantwortet werden",
        "kann (diese|Ihre|die|deine) Frage … nicht beantworten",
        "es (gibt|liegen) keine (|genauen |weiteren )(Informationen|Angaben) (über|zu|zum|zur|"
        "dazu|vor)",
        "keine (|passenden |relevanten |ausreichenden )(Informationen|Dokumente) (|dazu )gefunden",
        "keine (passenden|relevanten|ausreichenden) Informationen",
        "(nicht genügend|nicht genug|nicht ausreichend|zu wenig|unzureichende) Informationen",
        "geht aus … (Kontext|Text|Dokumenten|Unterlagen|Quellen) nicht hervor",
        "(Kontext|Text) enthält (dazu |hierzu |darüber |)keine (Informationen|Angaben|Information)",
        "(Kontext|Text) (erwähnt|nennt|enthält) … nicht",
        "(Dokumente|Unterlagen|Quellen|Texte) enthalten (dazu |hierzu |darüber |)keine "
        "(Informationen|Angaben|Antwort)",
        "(Kontext|Text) (nicht|nicht explizit) (erwähnt|angegeben|enthalten|genannt)",
        "in den … (Dokumenten|Unterlagen|Quellen) nicht (erwähnt|angegeben|enthalten|genannt)",
        "(im|in den) … (Kontext|Text|Dokumenten|Unterlagen|Quellen) … keine (Informationen|"
        "Angaben)",
        "steht … nichts (in den|im) … (Dokumenten|Unterlagen|Quellen|Kontext|Text)",
        "bitte formulieren Sie Ihre Frage",
    ),
    (
        "kann ich (diese|Ihre|die|deine) Frage … nicht beantworten",
        "ich kann (diese|Ihre|die|deine) Frage … nicht beantworten",
        "kann (diese|Ihre|die|deine) Frage … nicht beantwortet werden",
    ),
    ("keine Antwort", "keine Angabe", "keine Informationen"),
)

FRENCH = LanguagePhrases(
    "fr",
    (
        "je ne sais pas",
        "je l'ignore",
        "je ne (peux|puis|saurais) (pas |)(vous |)(répondre|aider|renseigner)",
        "je ne suis pas en mesure de (vous |)(répondre|fournir|aider)",
        "je suis dans l'incapacité de",
        "je ne (peux|suis) pas … (fournir|donner) … (réponse|information|informations)",
        "je n'ai (pas|rien) (pu |)trouvé",
        "je n'ai trouvé (aucun|aucune)",
        "je n'ai pas pu (trouver|déterminer)",
        "(je|nous) ne (trouve|trouvons) (pas|aucune)",
        "(je ne dispose|nous ne disposons) (pas|d'aucune)",
        "(je n'ai|nous n'avons) (pas|aucune) (d'information|d'informations|information|assez|"
        "suffisamment|accès|trouvé)",
        "aucune information (trouvée|n'est disponible|sur|concernant|pertinente)",
        "il n'y a (pas d'informations|aucune information|pas assez d'informations)",
        "pas (assez|suffisamment) d'informations",
        "informations insuffisantes",
        "(contexte|texte|document|passage) (fourni |donné |)ne (mentionne|contient|fournit|"
        "précise|permet|donne|dit) pas",
        "(documents|textes|passages|sources) (fournis |fournies |)ne (mentionnent|contiennent|"
        "fournissent|précisent|permettent|donnent) pas",
        "n'est pas (mentionné|mentionnée|précisé|précisée|disponible|indiqué|indiquée|fourni|"
        "fournie) dans (le|les|ce|ces) … (contexte|texte|documents|passages|sources)",
        "impossible de répondre",
    ),
    ("je ne peux pas répondre à (cette|votre|la) question",),
    ("pas de réponse", "aucune information"),
)

SPANISH = LanguagePhrases(
    "es",
    (
        "no lo sé",
        "no sé (la respuesta|responder)",
        "no puedo (responder|contestar)",
        "no puedo (ayudarte|ayudarle|ayudar) con",
        "no puedo (proporcionar|ofrecer|dar) … (respuesta|información)",
        "no (soy capaz|estoy en condiciones) de responder",
        "no (he encontrado|he podido encontrar|encontré|encuentro|pude encontrar|logré encontrar)",
        "no (tengo|dispongo de|cuento con) (la |esa |suficiente |)(información|datos|acceso)",
        "no dispongo de",
        "no hay (|suficiente )información (sobre|disponible|para|en|acerca)",
        "no se encontró (|ninguna )información",
        "información insuficiente",
        "(contexto|texto|documento|pasaje) (proporcionado |dado |)no (menciona|contiene|"
        "proporciona|incluye|especifica|indica)",
        "(documentos|textos|pasajes|fuentes) (proporcionados |proporcionadas |)no (mencionan|"
        "contienen|proporcionan|incluyen|especifican|indican)",
        "no se (menciona|especifica|indica) en (el|los|la|las) … (contexto|texto|documentos|"
        "fuentes)",
        "no es posible responder",
    ),
    ("no puedo responder a (esta|esa|tu|su|la) pregunta",),
    ("sin respuesta",),
)

ITALIAN = LanguagePhrases(
    "it",
    (
        "non lo so",
        "non (conosco|so) la risposta",
        "non (posso|riesco a|sono in grado di) (rispondere|fornire|trovare)",
        "non posso (aiutarti|aiutarla|aiutare) con",
        "non (ho trovato|sono riuscito a trovare|sono riuscita a trovare)",
        "non trovo (informazioni|nulla|niente)",
        "non ho (|abbastanza |sufficienti |queste )(informazioni|accesso|dati)",
        "non dispongo di",
        "non ci sono (|abbastanza |sufficienti )informazioni (su|sul|sulla|sui|per|nel|"
        "sufficienti)",
        "informazioni (fornite |disponibili |)non (sono sufficienti|contengono|menzionano)",
        "nessuna informazione (trovata|disponibile)",
        "informazioni insufficienti",
        "(contesto|testo|documento) (fornito |)non (menziona|contiene|fornisce|specifica|indica)",
        "(documenti|testi|passaggi) (forniti |)non (contengono|menzionano|forniscono|specificano)",
        "non (è|viene) (menzionato|menzionata|specificato|specificata|indicato|indicata) (nel|"
        "nei) … (contesto|testo|documenti)",
        "non è possibile rispondere",
    ),
    ("non posso rispondere (a questa|alla) domanda",),
    ("nessuna risposta",),
)

PORTUGUESE = LanguagePhrases(
    "pt",
    (
        "não sei (a resposta|responder|informar)",
        "eu não sei",
        "não (posso|consigo|sou capaz de|estou apto a) responder",
        "não (posso|consigo) ajudar com",
        "não (posso|consigo) fornecer … (resposta|informações|informação)",
        "não (encontrei|consegui encontrar|consigo encontrar|foi possível encontrar|localizei)",
        "não (tenho|possuo) (|essa |essas |dados ou )(informações|informação|dados|acesso)",
        "não disponho de",
        "não há (informações|informação) (sobre|suficientes|suficiente|disponíveis|no|nos)",
        "nenhuma informação encontrada",
        "informações insuficientes",
        "(contexto|texto|documento) (fornecido |)não (menciona|contém|fornece|especifica|indica)",
        "(documentos|textos|trechos) (fornecidos |)não (contêm|mencionam|fornecem|especificam)",
        "não (é mencionado|é mencionada|está disponível|consta) (no|nos) … (contexto|texto|"
        "documentos)",
        "não é possível responder",
    ),
    ("não (posso|consigo) responder a (esta|essa|sua) pergunta",),
    ("não sei", "sem resposta"),
)

DUTCH = LanguagePhrases(
    "nl",
    (
        "ik weet (het|dat) (|helaas )niet",
        "dat weet ik (|helaas )niet",
        "(kan ik|ik kan) … niet beantwoorden",
        "(kan ik|ik kan) … geen (antwoord|informatie)",
        "(kan ik|ik kan) (u|je) … niet (helpen|verder helpen)",
        "(kan ik|ik kan|kon ik|ik kon) … (niets|niet) vinden",
        "(kon ik|ik kon) … geen … vinden",
        "(heb ik|ik heb) … geen … informatie",
        "(heb ik|ik heb) … (niets|niet) gevonden",
        "ik beschik niet over",
        "ik heb geen toegang",
        "er is geen informatie (over|beschikbaar)",
        "(onvoldoende|niet genoeg|niet voldoende) informatie",
        "geen informatie gevonden",
        "(context|tekst) (bevat geen|vermeldt niet|noemt niet|geeft geen)",
        "(documenten|bronnen|passages) (bevatten|geven) geen (informatie|antwoord)",
        "niet (vermeld|genoemd) in de … (context|tekst|documenten)",
    ),
    ("(kan ik|ik kan) (deze|uw|je|de) vraag … niet beantwoorden",),
    ("geen antwoord",),
)

EUROPEAN = (GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH)
