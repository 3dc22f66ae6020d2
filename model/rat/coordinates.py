"""How do five unbounded coordinates become the five rates, and what is the volume they trade?

v = logistic(z). Answers: the (R,T) table from v₂, v₃, v₄, by rows (P(R), P(T|R=1), P(T|R=0)), by
columns (P(T), P(R|T=1), P(R|T=0)), or by margins (P(R), P(T), and where P(R,T) lies between its
Fréchet bounds). With x the first margin of that table, the (A,R) table is P(A)=v₀, P(R|A=1)=v₁,
P(R|A=0)=x, or retrieval first P(R)=v₀, P(A|R=1)=v₁, P(A|R=0)=x.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from model.rat.cells import Array
from model.rat.layout import Layout, TaskLayout

# Rates stay inside (0, 1), where every density and its gradient are finite.
EDGE = 1e-15


class Mapped(NamedTuple):
    """The rates, [5] in the order of `Rates`, and log |d rates / d coordinates|."""

    rates: jax.Array
    log_volume: jax.Array


class Table(NamedTuple):
    """Probabilities of a two-by-two table: first index the row variable, second the column."""

    both: jax.Array
    row_only: jax.Array
    column_only: jax.Array
    neither: jax.Array


def to_rates(coordinates: jax.Array | Array, layout: Layout) -> Mapped:
    """Return the rates at unbounded coordinates.

    Args:
        coordinates: [5], the logits of the five shares of the layout.
        layout: which shares they are; its two choices may be traced values.

    |d rates/dz| = Π v(1-v) · v₀(1-v₀)/(ρ(1-ρ)) · c/(x(1-x)), where c is v₂(1-v₂) for rows and
    columns and the width between the Fréchet bounds for margins.
    """
    shares = jax.nn.sigmoid(coordinates)
    log_slopes = jnp.log(shares * (1 - shares))
    answers, log_task_volume = _task_table(shares, log_slopes, layout)
    found, failed = answers.both + answers.row_only, answers.column_only + answers.neither
    joint = _turn(_by_rows(shares[0], shares[1], found), layout.retrieval_first)
    rho, not_rho = joint.both + joint.column_only, joint.row_only + joint.neither
    rates = [rho, joint.row_only / not_rho, joint.both / rho]
    rates += [answers.column_only / failed, answers.both / found]
    log_volume = jnp.sum(log_slopes) + log_slopes[0] + log_task_volume
    log_volume -= jnp.log(rho * not_rho * found * failed)
    return Mapped(jnp.clip(jnp.stack(rates), EDGE, 1 - EDGE), log_volume)


class _TaskTable(NamedTuple):
    """The (R,T) table and the log of the volume c it trades."""

    table: Table
    log_volume: jax.Array


def _task_table(shares: jax.Array, log_slopes: jax.Array, layout: Layout) -> _TaskTable:
    """Rows, columns or margins, all computed and one chosen, so that one program serves all."""
    first, second, third = shares[2:]
    is_margins = layout.task_layout == TaskLayout.BY_MARGINS
    lowest = jnp.maximum(first + second - 1, 0.0)
    width = jnp.minimum(first, second) - lowest
    both = jnp.where(is_margins, lowest + width * third, first * second)
    column_only = jnp.where(is_margins, second - both, (1 - first) * third)
    table = Table(both, first - both, column_only, 1 - first - column_only)
    log_volume = jnp.where(is_margins, jnp.log(width), log_slopes[2])
    return _TaskTable(_turn(table, layout.task_layout == TaskLayout.BY_TASK), log_volume)


def _by_rows(row: jax.Array, if_one: jax.Array, if_zero: jax.Array) -> Table:
    """P(row) and P(column | row) as a table."""
    return Table(row * if_one, row * (1 - if_one), (1 - row) * if_zero, (1 - row) * (1 - if_zero))


def _turn(table: Table, is_turned: jax.Array | bool) -> Table:
    """The table with rows and columns exchanged, or as it is."""
    row_only = jnp.where(is_turned, table.column_only, table.row_only)
    column_only = jnp.where(is_turned, table.row_only, table.column_only)
    return Table(table.both, row_only, column_only, table.neither)
