"""Data: a file in, with preview and mapping; labels and items out."""

from pathlib import Path

import streamlit as st

from pages import frame
from pages.http.routes import export_address
from pages.resources import engine, now
from pages.session import (
    Action,
    choose_study,
    forget_import,
    import_job,
    remember_import,
    require,
)
from workflow import exporting, importing, studies, uploads
from workflow.errors import EXPECTED
from workflow.exporting import FileFormat, Filter, Kind, Labelled, Wish
from workflow.importing import FileKind, Preview
from workflow.uploads import JobState, Upload

FORMATS = ["csv", "tsv", "txt", "json", "jsonl", "ndjson", "parquet"]
MAPPED = (
    "query",
    "answer",
    "contexts",
    "system",
    "item_id",
    "query_id",
    "context_id",
    "reference",
    "abstained",
    "retrieval_label",
    "task_label",
    "annotator",
)
NEW_STUDY = "A new study"
NOT_THERE = "— not in this file —"
BYTES_A_ROW = 600  # only for the progress bar
POLL_SECONDS = 0.5


def draw() -> None:
    """The screen."""
    person = require(Action.LEAD)
    study = frame.open_screen("Data")
    into, out = st.tabs(["Import", "Export"])
    with into:
        _import(study, person)
    with out:
        if study is None:
            frame.show_empty("Nothing to export", "Import a file first.")
        else:
            _export(study)


def _import(study: str | None, person: str) -> None:
    if import_job() is not None:
        _job(person)
        return
    left, right = st.columns([1, 2], gap="large")
    with left:
        target = _target(study)
        file = st.file_uploader(
            "CSV, TSV, JSON, JSON lines or Parquet; one row per answer of one system",
            type=FORMATS,
            key="import-file",
        )
    if file is None:
        with right:
            st.html(_COLUMNS_HELP)
        return
    path = uploads.keep(file.name, file.getvalue())
    with right:
        try:
            _preview(path, file.name, target, person)
        except EXPECTED as error:
            frame.show_alert(str(error), "error")


def _target(study: str | None) -> str:
    names = studies.list_names(engine())
    choices = [*names, NEW_STUDY]
    place = choices.index(study) if study in names else len(names)
    picked = st.selectbox("Into", choices, index=place, key=f"import-target-{study}")
    if picked != NEW_STUDY:
        return picked
    return st.text_input("Name of the new study", key="import-name").strip()


def _preview(path: Path, name: str, target: str, person: str) -> None:
    seen = importing.preview(path, {})
    mapping = _mapping(seen, name)
    if mapping:
        seen = importing.preview(path, mapping)
    st.caption(frame.literal(f"{name}: {seen.recognised}. First {len(seen.rows)} rows:"))
    st.dataframe(seen.rows, height=260, hide_index=True, width="stretch")
    is_ready = seen.kind != FileKind.ITEMS or seen.plan.items.query is not None
    if not is_ready:
        frame.show_alert("No column is taken for 'query', which is needed. Choose it above.")
    upload = Upload(
        study=target,
        path=path,
        person=person,
        mapping=mapping,
        replaces=False,
        rows=max(1, path.stat().st_size // BYTES_A_ROW),
    )
    st.button(
        frame.literal(f"Import into {target}") if target else "Name the study first",
        type="primary",
        disabled=not (target and is_ready),
        key="import-start",
        on_click=_start,
        args=(upload,),
    )


def _mapping(seen: Preview, name: str) -> dict[str, str]:
    """What the lead chose where it differs from what was recognised."""
    found = seen.plan.items._asdict()
    mapping = {}
    with st.expander("Columns: what is taken for what", expanded=found.get("query") is None):
        columns = st.columns(3)
        options = [NOT_THERE, *seen.columns]
        for number, canonical in enumerate(MAPPED):
            taken = found.get(canonical)
            picked = columns[number % 3].selectbox(
                canonical,
                options,
                index=options.index(taken) if taken in options else 0,
                key=f"map-{name}-{canonical}",
            )
            if picked not in (NOT_THERE, taken):
                mapping[canonical] = picked
    return mapping


def _start(upload: Upload) -> None:
    remember_import(uploads.queue_import(engine(), upload, now()), upload)


@st.fragment(run_every=POLL_SECONDS)
def _job(person: str) -> None:
    known = import_job()
    if known is None:
        st.rerun()
        return
    job_id, upload = known
    job = uploads.read_job(engine(), job_id)
    if job.state not in uploads.FINAL:
        st.progress(job.progress, text=job.message or "Waiting for the worker")
        st.button("Cancel", on_click=uploads.cancel_job, args=(engine(), job_id))
        return
    if job.state != JobState.DONE or job.result is None:
        frame.show_alert(job.message or "The import did not finish; nothing was changed.", "error")
        st.button("Back", on_click=forget_import)
        return
    _finished(upload, job.result["text"], bool(job.result["is_written"]))


def _finished(upload: Upload, text: str, is_written: bool) -> None:
    if is_written:
        frame.show_alert(f"Imported into {upload.study}: {text}", "good")
        st.button("Done", on_click=_done, args=(upload.study,), type="primary")
        return
    frame.show_alert(f"Nothing was changed yet. {text}")
    with st.container(horizontal=True):
        st.button("Replace what differs", on_click=_start, args=(upload._replace(replaces=True),))
        st.button("Leave everything as it is", on_click=forget_import, type="primary")


def _done(study: str) -> None:
    forget_import()
    choose_study(study)


def _export(study: str) -> None:
    left, right = st.columns([1, 1], gap="large")
    with left:
        kind = st.segmented_control(
            "What",
            [Kind.LABELS, Kind.ITEMS],
            format_func={Kind.LABELS: "Labels", Kind.ITEMS: "Items with labels"}.__getitem__,
            default=Kind.ITEMS,
            required=True,
            key="export-kind",
        )
        file_format = st.segmented_control(
            "Format",
            list(FileFormat),
            format_func=lambda chosen: chosen.upper(),
            default=FileFormat.CSV,
            required=True,
            key="export-format",
        )
        wish = Wish(study, kind or Kind.ITEMS, file_format or FileFormat.CSV)
        wish = _label_options(wish) if wish.kind == Kind.LABELS else _item_options(wish)
    with right:
        st.metric("Rows in the file", f"{exporting.count_rows(engine(), wish):,}")
        st.link_button(
            frame.literal(f"Download {exporting.file_name(wish)}"),
            export_address(wish),
            type="primary",
        )
        st.caption(
            "Importing this file again changes nothing. Items carry every imported column, the"
            " resolved labels, and the posterior for what is not labelled."
        )


def _item_options(wish: Wish) -> Wish:
    systems = ["All systems", *studies.list_systems(engine(), wish.study)]
    system = st.selectbox("System", systems, key=f"export-system-{wish.study}")
    labelled = st.segmented_control(
        "Items",
        list(Labelled),
        format_func=lambda chosen: chosen.capitalize(),
        default=Labelled.ALL,
        required=True,
        key="export-labelled",
    )
    chosen = Filter(None if system == systems[0] else system, labelled or Labelled.ALL)
    return wish._replace(chosen=chosen, is_spreadsheet_safe=_spreadsheet(wish))


def _label_options(wish: Wish) -> Wish:
    every = st.checkbox("Also superseded, undone, skipped and extra labels", key="export-every")
    return wish._replace(every=every, is_spreadsheet_safe=_spreadsheet(wish))


def _spreadsheet(wish: Wish) -> bool:
    if wish.file_format != FileFormat.CSV:
        return False
    return st.checkbox(
        "Safe for spreadsheets",
        help="Puts ' before text that a spreadsheet would run as a formula; undone on import.",
        key="export-safe",
    )


_COLUMNS_HELP = """
<div class="ratchet-keys">
<b>query</b><span>needed: the question</span>
<b>answer</b><span>what the system said; an empty cell counts as a refusal</span>
<b>contexts</b><span>JSON list of passages, or one text</span>
<b>system</b><span>which configuration answered</span>
<b>reference</b><span>the expected answer, shown to annotators</span>
<b>retrieval_label, task_label</b><span>labels already made: 0, 1 or blank</span>
<b>anything else</b><span>is kept and comes back on export</span>
</div>
<p class="ratchet-quiet">RAGAS, DeepEval and ARES column names are recognised; other names can be
mapped after the upload.</p>
"""
