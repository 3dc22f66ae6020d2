"""The text of a value that is not text: what JSON and Parquet numbers, truths and lists become.

Numbers in their shortest exact form (1.0 -> 1, since pandas turns 0/1 with gaps into floats), a
NaN is missing, lists and objects are JSON text.
"""

import json
import math
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

# A JSON document's value, as the json module gives it.
JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
# Whole floats below this print all their digits; larger ones keep the exponent form.
MAX_PLAIN_WHOLE = 1e16


def value_text(value: JsonValue) -> str | None:
    """Return the text of a JSON value; None for null and NaN."""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return float_text(value)
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False, default=str)


def float_text(value: float) -> str | None:
    """Return the shortest text that reads back as this number."""
    if math.isnan(value):
        return None
    if value.is_integer() and abs(value) < MAX_PLAIN_WHOLE:
        return str(int(value))
    return repr(value)


def column_text(column: pa.Array) -> pa.StringArray:
    """Return a column of any type as text; null and NaN are null.

    Raises:
        pa.ArrowInvalid: bytes that are not UTF-8.
    """
    if pt.is_string(column.type):
        return column
    if pt.is_floating(column.type):
        is_number = pc.invert(pc.is_nan(column))
        column = pc.if_else(is_number, column, pa.scalar(None, column.type))
    if pt.is_nested(column.type):
        return pa.array(_nested_text(column.to_pylist()), pa.string())
    return pc.cast(column, pa.string())


def _nested_text(values: Sequence[JsonValue]) -> list[str | None]:
    """JSON text of lists and objects."""
    return [value_text(value) for value in values]
