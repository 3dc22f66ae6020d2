"""How do five unbounded coordinates become the five rates, and what is the volume they trade?

v = logistic(z). Answers: the (R,T) table from v₂, v₃, v₄, by rows (P(R), P(T|R=1), P(T|R=0)), by
columns (P(T), P(R|T=1), P(R|T=0)), or by margins (P(R), P(T), and the log odds ratio z₄; Plackett
1965). With x the first margin of that table, the (A,R) table is P(A)=v₀, P(R|A=1)=v₁,
P(R|A=0)=x, or retrieval first P(R)=v₀, P(A|R=1)=v₁, P(A|R=0)=x.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp

from model.rat.cells import Array
from model.rat.layout import Layout, TaskLayout

# Rates stay inside (0, 1), where every density and its gradient are finite.
EDGE = 1e-15
# A cell that rounds to nothing keeps a positive probability.
TINY = 1e-18


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

    |d rates/dz| = Π v(1-v) · v₀(1-v₀)/(ρ(1-ρ)) · c/(x(1-x)), Π over z₀ to z₃, where c is
    v₂(1-v₂) · v₄(1-v₄) for rows and columns, and d P(R,T) / d z₄ for margins.
    """
    shares, rests = jax.nn.sigmoid(coordinates), jax.nn.sigmoid(-coordinates)
    answers, slope = _task_table(coordinates[4], shares, rests, layout)
    found, failed = answers.both + answers.row_only, answers.column_only + answers.neither
    by_rows = Table(
        shares[0] * shares[1], shares[0] * rests[1], rests[0] * found, rests[0] * failed
    )
    joint = _turn(by_rows, layout.retrieval_first)
    rho, not_rho = joint.both + joint.column_only, joint.row_only + joint.neither
    rates = [rho, joint.row_only / not_rho, joint.both / rho]
    rates += [answers.column_only / failed, answers.both / found]
    log_volume = jnp.sum(jnp.log(shares[:4] * rests[:4])) + jnp.log(shares[0] * rests[0] * slope)
    log_volume -= jnp.log(rho * not_rho * found * failed)
    return Mapped(jnp.clip(jnp.stack(rates), EDGE, 1 - EDGE), log_volume)


class _TaskTable(NamedTuple):
    """The (R,T) table and the factor c of its volume."""

    table: Table
    slope: jax.Array


def _task_table(
    coordinate: jax.Array, shares: jax.Array, rests: jax.Array, layout: Layout
) -> _TaskTable:
    """Rows, columns or margins, all computed and one chosen, so that one program serves all."""
    (first, second, third), (not_first, not_second, not_third) = shares[2:], rests[2:]
    by_rows = _TaskTable(
        Table(first * second, first * not_second, not_first * third, not_first * not_third),
        first * not_first * third * not_third,
    )
    by_margins = _by_margins(coordinate, shares[2:4], rests[2:4])
    is_margins = layout.task_layout == TaskLayout.BY_MARGINS
    chosen: _TaskTable = jax.tree.map(partial(jnp.where, is_margins), by_margins, by_rows)
    return chosen._replace(table=_turn(chosen.table, layout.task_layout == TaskLayout.BY_TASK))


def _by_margins(log_odds: jax.Array, shares: jax.Array, rests: jax.Array) -> _TaskTable:
    """The table with margins p, m and odds ratio ψ: P = 2ψpm / (1 + (p+m)(ψ-1) + √D).

    D = 1 + 2(ψ-1)(p(1-m) + (1-p)m) + (ψ-1)²(p-m)²; dP/dlnψ = P·P(neither)/√D. For ψ < 1 the
    columns are exchanged, so that no difference of near equals is ever taken.
    """
    is_negative = log_odds < 0
    first, not_first = shares[0], rests[0]
    second = jnp.where(is_negative, rests[1], shares[1])
    not_second = jnp.where(is_negative, shares[1], rests[1])
    excess = jnp.expm1(jnp.abs(log_odds))
    spread = first * not_second + not_first * second
    root = jnp.sqrt(1 + excess * (2 * spread + excess * (first - second) ** 2))
    both = 2 * (1 + excess) * first * second / (1 + (first + second) * excess + root)
    row_only, column_only = jnp.maximum(first - both, TINY), jnp.maximum(second - both, TINY)
    neither = jnp.maximum(not_first - column_only, TINY)
    table = Table(both, row_only, column_only, neither)
    turned = Table(row_only, both, neither, column_only)
    chosen = jax.tree.map(partial(jnp.where, is_negative), turned, table)
    return _TaskTable(chosen, both * neither / root)


def _turn(table: Table, is_turned: jax.Array | bool) -> Table:
    """The table with rows and columns exchanged, or as it is."""
    row_only = jnp.where(is_turned, table.column_only, table.row_only)
    column_only = jnp.where(is_turned, table.row_only, table.column_only)
    return Table(table.both, row_only, column_only, table.neither)
