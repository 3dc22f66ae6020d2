"""The rules that tell refusals from answers: edit, preview, put in force."""


def draw_rules(study: str, person: str) -> None:
    """The panel of a study."""
