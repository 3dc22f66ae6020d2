"""How generators decline in Turkish, Polish, Russian, Arabic, Hebrew, Chinese and Japanese."""

from model.abstention.phrases import LanguagePhrases

TURKISH = LanguagePhrases(
    "tr",
    (
        "bilmiyorum",
        "bilgim yok",
        "(bilgiye sahip|bilgi sahibi) değilim",
        "(bilgi|bilgiye|yanıt|cevap|sonuç) (bulamadım|ulaşamadım|bulamıyorum)",
        "bilgi (bulunamadı|bulunmamaktadır|bulunmuyor|yer almamaktadır|yer almıyor|verilmemiştir)",
        "yeterli (bilgi yok|bilgim yok|bilgi bulunmamaktadır)",
        "(soruyu|sorunuzu) … (yanıtlayamam|yanıtlayamıyorum|cevaplayamam|cevaplayamıyorum)",
        "(soruya|sorunuza) … (cevap|yanıt) (veremem|veremiyorum)",
        "yardımcı (olamıyorum|olamam)",
        "(bağlamda|metinde|belgelerde) … (belirtilmemiş|belirtilmemiştir|bahsedilmemektedir|"
        "bahsedilmiyor)",
        "erişimim yok",
    ),
    (),
    ("cevap yok",),
)

POLISH = LanguagePhrases(
    "pl",
    (
        "nie wiem",
        "nie znam odpowiedzi",
        "nie (mogę|potrafię|jestem w stanie) (odpowiedzieć|udzielić|stwierdzić|określić)",
        "nie mogę pomóc (w|z)",
        "nie (znalazłem|znalazłam|mogę znaleźć|udało mi się znaleźć|znaleziono informacji)",
        "nie (mam|posiadam) (|wystarczających |żadnych |wystarczająco )(informacji|danych|dostępu)",
        "nie dysponuję",
        "brak (|wystarczających )informacji (o|na temat|w)",
        "brak wystarczających informacji",
        "nie ma (|wystarczających )informacji (o|na temat|w)",
        "(dokumentach|kontekście|tekście|źródłach) nie ma (|tej |takiej |żadnych )(informacji|"
        "informacja)",
        "za mało informacji",
        "(kontekst|tekst|dokument) nie (zawiera informacji|wspomina|podaje|określa)",
        "(dokumenty|teksty|źródła) nie (zawierają informacji|wspominają|podają)",
        "nie (zostało|jest) (wspomniane|podane) w … (kontekście|tekście)",
        "nie da się odpowiedzieć",
    ),
    (),
    ("brak odpowiedzi",),
)

RUSSIAN = LanguagePhrases(
    "ru",
    (
        "(я не знаю|не знаю ответа)",
        "не (могу|смогу|в состоянии) (ответить|дать ответ)",
        "не могу (предоставить|сообщить) … информацию",
        "не могу помочь с",
        "(я не нашел|я не нашла|не удалось найти|не могу найти|не смог найти|не смогла найти)",
        "(информация не найдена|информации не найдено)",
        "у меня (нет|недостаточно) (|такой |достаточной |для этого )(информации|данных|доступа|"
        "сведений)",
        "не располагаю",
        "нет (|достаточной )информации (о|об|по|для|в)",
        "недостаточно (информации|данных) (для|чтобы)",
        "(контекст|текст|документ) не содержит (информации|сведений|ответа|данных)",
        "(документы|тексты|источники) не содержат (информации|сведений|ответа|данных)",
        "(контексте|тексте|документах|источниках) (не упоминается|не указано|нет такой информации|"
        "нет информации|отсутствует информация)",
        "невозможно ответить на",
    ),
    (),
    ("не знаю", "нет ответа"),
)

ARABIC = LanguagePhrases(
    "ar",
    (
        "لا (أعرف|أعلم|أدري) (الإجابة|الجواب|ذلك)",
        "(أنا|للأسف|عذرا|آسف)(|،) لا (أعرف|أعلم|أدري)",
        "لا (أستطيع|يمكنني|أقدر على) (الإجابة|مساعدتك|تقديم|العثور|تحديد)",
        "لست قادرا على الإجابة",
        "لم (أجد|أعثر|أتمكن من العثور|أتمكن من إيجاد)",
        "لا أجد (معلومات|إجابة|أي)",
        "(ليس لدي|ليست لدي|لا أملك|لا تتوفر لدي|لا توجد لدي) … (معلومات|المعلومات|معلومة)",
        "ليس لدي ما يكفي",
        "لا (توجد|تتوفر) (معلومات|أي معلومات) (عن|حول|كافية|في)",
        "(معلومات|المعلومات) غير كافية",
        "لا (يحتوي|يذكر|يوفر|يتضمن) (السياق|النص|المستند)",
        "(السياق|النص|المستند) … لا (يحتوي|يذكر|يوفر|يتضمن)",
        "لم (يذكر|يرد) … (السياق|النص)",
        "لا يمكن الإجابة",
    ),
    (),
    ("لا أعرف", "لا أعلم", "لا أدري"),
)

HEBREW = LanguagePhrases(
    "he",
    (
        "(אני לא יודע|אני לא יודעת|איני יודע|איני יודעת|אינני יודע|אינני יודעת)",
        "אין (לי|ברשותי|בידי) (|מספיק |די )(מידע|גישה|נתונים)",
        "(לא מצאתי|לא הצלחתי למצוא|לא נמצא מידע)",
        "אין (|מספיק |די )מידע (על|בנושא|כדי|לגבי)",
        "(אני לא יכול|אני לא יכולה|איני יכול|איני יכולה|לא אוכל|לא ניתן) (לענות|לעזור|לסייע|לספק)",
        "(ההקשר|הטקסט|המסמך) … (אינו|לא) (מכיל|מזכיר|מציין|מספק)",
        "(לא מוזכר|לא צוין|אינו מוזכר) (בהקשר|בטקסט|במסמכים)",
    ),
    (),
    ("לא יודע", "אין תשובה"),
)

CHINESE = LanguagePhrases(
    "zh",
    (
        "我(不知道|不清楚|不确定)",
        "我(无法|無法|不能)(回答|提供|确定|確定|判断)",
        "(无法|無法)回答(这个|该|您的|你的|此|這個|該)(问题|問題)",
        "(资料|资讯|信息|内容|上下文|資料|內容)…(无法|無法)(确定|確定|判断|判斷|回答|得知)",
        "我(没有找到|沒有找到|找不到|未能找到|没能找到)",
        "(没有找到|沒有找到|未找到|找不到)(相关|相關|有关|關於|关于)",
        "(没有|沒有)(相关|相關|足够的|足夠的|关于…|關於…)(信息|資訊|资料|資料)",
        "(信息|資訊|资料|資料)不足",
        "(上下文|文档|文件|资料|文本|內容|内容)…(没有|沒有|未)(提及|提到|提供|包含|说明|說明)",
        "未(提供|包含|找到)(相关|相關)",
        "我没有…(信息|资料)",
    ),
    (),
    ("不知道", "无法回答", "無法回答"),
)

JAPANESE = LanguagePhrases(
    "ja",
    (
        "(わかりません|分かりません|わかりかねます|分かりかねます|存じません)",
        "お答え(できません|することができません|することはできません|しかねます|いたしかねます)",
        "(回答|判断|特定)(できません|することができません|することはできません|しかねます|いたしかねます)",
        "(情報|回答|答え|記述|記載)…見つかりません",
        "見つけられませんでした",
        "(情報|データ)(が|は)(ありません|ございません|不足して|含まれて(いません|おりません))",
        "情報を(持っていません|持ち合わせて|持っておりません)",
        "(十分な|関連する)情報が(ありません|ございません|ない)",
        "記載(されて(いません|おりません)|がありません|はありません)",
        "(文書|文脈|資料|コンテキスト|文章)…言及されていません",
        "(お手伝いできません|お役に立てません|お力になれません)",
    ),
    (),
    (),
)

EASTERN = (TURKISH, POLISH, RUSSIAN, ARABIC, HEBREW, CHINESE, JAPANESE)
