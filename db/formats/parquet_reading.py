"""Parquet files: row groups streamed as batches of text, sized by what the file says of them."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from db.errors import FileError
from db.formats.batches import (
    BATCH_BYTES,
    BATCH_ROWS,
    TableSource,
    check_header,
    no_rows,
    string_table,
)
from db.formats.cell_text import column_text

# Rows of several MB still come in groups, since each call has its price.
MIN_BATCH_ROWS = 16


def open_parquet(path: Path) -> TableSource:
    """Return the rows of a Parquet file.

    Raises:
        FileError: the file is cut or damaged, or holds no rows.
    """
    try:
        with pq.ParquetFile(path) as file:
            columns = check_header(file.schema_arrow.names)
            num_rows = file.metadata.num_rows
    except (pa.ArrowException, OSError) as error:
        raise _damaged(error) from error
    if not num_rows:
        raise no_rows(len(columns))
    return TableSource(columns, "Parquet", partial(_read_tables, path, columns))


def _read_tables(path: Path, columns: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    """Every batch as text."""
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_batch_rows(file.metadata), use_threads=False):
                yield string_table(columns, _texts(batch))
    except (pa.ArrowException, OSError) as error:
        raise _damaged(error) from error


def _texts(batch: pa.RecordBatch) -> list[pa.StringArray]:
    """Columns as text; bytes that are none name their column."""
    texts = []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            texts.append(column_text(column))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise FileError(
                f"Column {name!r} is {column.type} and not text, number or list. "
                "Convert it to a string column and write the file again."
            ) from error
    return texts


def _batch_rows(metadata: pq.FileMetaData) -> int:
    """Rows that make about one batch of text."""
    num_bytes = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    row_bytes: int = max(1, num_bytes // max(1, metadata.num_rows))
    return max(MIN_BATCH_ROWS, min(BATCH_ROWS, BATCH_BYTES // row_bytes))


def _damaged(error: Exception) -> FileError:
    """The error for a file that begins as Parquet and does not go on so."""
    reason = " ".join(str(error).split())[:120]
    return FileError(
        f"The Parquet file is cut short or damaged ({reason}). Copy it again, or write it anew."
    )
