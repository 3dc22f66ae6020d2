"""A person's word on the abstention of an answer, as an export of items carries it.

The cell of 'abstained' stays as it came; 'abstained_used' holds what counts, and where
'abstained_source' is "person" it is that person's word, which goes before column and rules.
"""

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from db.formats.batches import RowBatch
from db.formats.flags import read_flags

USED, SOURCE = "abstained_used", "abstained_source"
BY_PERSON = "person"


class OverrideColumns(NamedTuple):
    """File columns of what is used and where it comes from."""

    used: str
    source: str


def find_override_columns(columns: Sequence[str]) -> OverrideColumns | None:
    """The two columns, in any case; None unless both are there."""
    by_name = {column.strip().casefold(): column for column in columns}
    if USED not in by_name or SOURCE not in by_name:
        return None
    return OverrideColumns(by_name[USED], by_name[SOURCE])


def read_overrides(batch: RowBatch, columns: OverrideColumns | None) -> pa.BooleanArray:
    """Whether a person says that the answer of each row is a refusal; null where nobody does.

    Raises:
        FileError: a person's word is neither 0, 1 nor blank.
    """
    if columns is None:
        return pa.nulls(batch.table.num_rows, pa.bool_())
    sources = batch.table.column(columns.source)
    is_by_person = pc.equal(pc.utf8_lower(pc.utf8_trim_whitespace(sources)), BY_PERSON)
    words = pc.if_else(pc.fill_null(is_by_person, False), batch.table.column(columns.used), None)
    return read_flags(words, USED, batch.first_row)
