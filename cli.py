"""The command line: each command is a few lines on a workflow function.

Exit 0 fine, 1 failed or a gate not met, 2 misuse. `--json` prints one document on stdout.
"""

import importlib
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from workflow.errors import EXPECTED

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__
)
db_app = typer.Typer(no_args_is_help=True, help="The database: schema, backup, restore.")
app.add_typer(db_app, name="db")
user_app = typer.Typer(no_args_is_help=True, help="Who may sign in.")
app.add_typer(user_app, name="user")

Study = Annotated[str, typer.Argument(help="Name of a study.")]
Source = Annotated[str, typer.Argument(help="Name of a study, or a file.")]
System = Annotated[str | None, typer.Option(help="Only this system.")]
Interval = Annotated[float | None, typer.Option(help="Probability of the intervals.")]
Prior = Annotated[str | None, typer.Option(help="uniform, jeffreys or weak.")]
PolicyName = Annotated[
    str | None, typer.Option(help="A preset, or a JSON file of the six cell values.")
]
Sampler = Annotated[Literal["nuts", "exact"], typer.Option(help="How to compute.")]
Seed = Annotated[int, typer.Option(help="Of the random numbers.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
Abstention = Annotated[
    Literal["rules", "column"], typer.Option(help="Where A comes from; column: blank is unknown.")
]


def main() -> None:
    """Run the command; an expected error is one line on stderr."""
    try:
        app()
    except EXPECTED as error:
        print(f"ratchet: {error}", file=sys.stderr)
        sys.exit(2)


@app.command()
def serve(
    port: Annotated[int, typer.Option()] = 8501,
    host: Annotated[str, typer.Option()] = "127.0.0.1",
) -> None:
    """Run the web app; makes and upgrades the database, opens the sample study when it is new."""
    from workflow import serving

    serving.require_safe(host)
    script = Path(__file__).parent / "app.py"
    os.environ["DATABASE_URL"] = serving.absolute_url()
    serving.start_worker_early()
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    os.execv(sys.executable, [*command, *serving.server_flags(host, port)])


@app.command(name="import")
def import_(
    study: Study,
    file: Path,
    map_: Annotated[
        list[str], typer.Option("--map", help="NAME=COLUMN, like answer=response.")
    ] = [],  # noqa: B006
    dry_run: Annotated[bool, typer.Option(help="Only say what would happen.")] = False,
    replace: Annotated[bool, typer.Option(help="Replace texts and labels that differ.")] = False,
) -> None:
    """Items, and the labels in them, or labels alone, into a study (made if new)."""
    wish = _commands().ImportWish(study, file, tuple(map_), dry_run, replace)
    report, text = _commands().import_file(wish, _now())
    print(text)
    if report.needs_confirmation and not report.is_written:
        raise typer.Exit(1)


@app.command()
def export(
    study: Study,
    kind: Literal["labels", "items"],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Default: stdout.")] = None,
    format_: Annotated[
        Literal["csv", "jsonl", "parquet"] | None,
        typer.Option("--format", help="Default: what the file's name says, else csv."),
    ] = None,
    spreadsheet_safe: Annotated[bool, typer.Option("--spreadsheet-safe")] = False,
    every: Annotated[bool, typer.Option("--all", help="Also superseded, undone, skipped.")] = False,
) -> None:
    """Labels or items of a study as a file."""
    commands = _commands()
    wish = commands.Wish(study, kind, is_spreadsheet_safe=spreadsheet_safe, every=every)
    commands.export(wish, output, format_)


@app.command()
def fit(
    source: Source,
    system: System = None,
    interval: Interval = None,
    prior: Prior = None,
    policy: PolicyName = None,
    engine: Sampler = "nuts",
    seed: Seed = 0,
    abstention: Abstention = "rules",
    as_json: AsJson = False,
) -> None:
    """Posterior of every system of a study or a file."""
    wish = _commands().FitWish(source, system, interval, prior, policy, engine, seed, abstention)
    _print(_commands().fit(wish), as_json, _commands().fit_text)


@app.command()
def label(
    study: Study,
    item: Annotated[str, typer.Argument(help="The item_id.")],
    label_type: Literal["retrieval", "task"],
    value: Annotated[Literal["0", "1", "cant_tell"], typer.Argument(help="0, 1 or cant_tell.")],
    annotator: Annotated[str, typer.Option(help="Whose label it is.")],
    note: Annotated[str | None, typer.Option()] = None,
) -> None:
    """One label from a script."""
    wish = _commands().LabelWish(study, item, label_type, value, annotator, note)
    print(_commands().label(wish, _now()))


@app.command()
def check(
    source: Source,
    min_: Annotated[list[str], typer.Option("--min", help="QUANTITY=VALUE.")],
    probability: Annotated[float, typer.Option(help="How sure we must be.")] = 0.95,
    system: System = None,
    prior: Prior = None,
    policy: PolicyName = None,
    engine: Sampler = "nuts",
    seed: Seed = 0,
    abstention: Abstention = "rules",
    as_json: AsJson = False,
) -> None:
    """CI gate: exit 1 unless P(quantity ≥ value) reaches the probability for every system."""
    wish = _commands().FitWish(source, system, None, prior, policy, engine, seed, abstention)
    verdict = _commands().check(wish, _commands().parse_bounds(min_), probability)
    _print(verdict, as_json, _commands().check_text)
    if not verdict["ok"]:
        raise typer.Exit(1)


CostRetrieval = Annotated[float, typer.Option(help="Price of a retrieval label.")]
CostTask = Annotated[float, typer.Option(help="Price of a task label.")]
CostAfter = Annotated[float, typer.Option(help="Of a task label right after a retrieval label.")]
TargetName = Annotated[str, typer.Option(help="The quantity to make sharp.")]
PopulationName = Annotated[
    Literal["future_queries", "this_test_set"], typer.Option(help="Whose number.")
]
Votes = Annotated[int, typer.Option(help="People who label each question.")]
SharedBy = Annotated[float, typer.Option(help="Systems that one retrieval label serves.")]


@app.command()
def plan(
    source: Source,
    budget: Annotated[float | None, typer.Option(help="Money to spend.")] = None,
    half_width: Annotated[float | None, typer.Option(help="Wanted, as a share: 0.05.")] = None,
    cost_retrieval: CostRetrieval = 1.0,
    cost_task: CostTask = 1.0,
    cost_task_after_retrieval: CostAfter = 1.0,
    target: TargetName = "policy_adherence",
    population: PopulationName = "future_queries",
    votes: Votes = 1,
    shared_by: SharedBy = 1.0,
    system: System = None,
    against: Annotated[str | None, typer.Option(help="Plan the difference to this system.")] = None,
    interval: Interval = None,
    prior: Prior = None,
    policy: PolicyName = None,
    replicates: Annotated[int, typer.Option(help="Simulated studies.")] = 200,
    seed: Seed = 0,
    abstention: Abstention = "rules",
    as_json: AsJson = False,
) -> None:
    """Strategies compared: how far a budget goes, or what a precision costs."""
    commands = _plan_commands()
    wish = _commands().FitWish(source, system, interval, prior, policy, "exact", seed, abstention)
    costs = (cost_retrieval, cost_task, cost_task_after_retrieval)
    offer = commands.Offer(commands.LabelCosts(*costs), target, population, votes, shared_by)
    ends = commands.PlanRequest(budget=budget, half_width=half_width, replicates=replicates)
    _print(commands.plan(wish, offer, ends, against), as_json, commands.plan_text)


@app.command(name="next")
def next_(
    source: Source,
    count: Annotated[int, typer.Option(help="How many labels.")] = 1,
    audit_share: Annotated[float, typer.Option(help="Share drawn evenly from all items.")] = 0.2,
    cost_retrieval: CostRetrieval = 1.0,
    cost_task: CostTask = 1.0,
    cost_task_after_retrieval: CostAfter = 1.0,
    target: TargetName = "policy_adherence",
    population: PopulationName = "future_queries",
    system: System = None,
    prior: Prior = None,
    policy: PolicyName = None,
    seed: Seed = 0,
    abstention: Abstention = "rules",
    as_json: AsJson = False,
) -> None:
    """Which item, which label, and why."""
    commands, chooser = _plan_commands(), importlib.import_module("workflow.next_commands")
    wish = _commands().FitWish(source, system, None, prior, policy, "exact", seed, abstention)
    costs = (cost_retrieval, cost_task, cost_task_after_retrieval)
    offer = commands.Offer(commands.LabelCosts(*costs), target, population, 1, 1.0)
    found = chooser.next_labels(wish, offer, chooser.NextWish(count, audit_share))
    _print(found, as_json, chooser.next_text)


@app.command()
def simulate(
    source: Annotated[str | None, typer.Argument(help="A fully labelled file or study.")] = None,
    truth: Annotated[
        str | None, typer.Option(help='Five rates, like "0.5 0.6 0.1 0.2 0.8".')
    ] = None,
    items: Annotated[int, typer.Option(help="Items of a study with a typed truth.")] = 1000,
    pilot: Annotated[int, typer.Option(help="Items labelled fully before the budget.")] = 50,
    budget: Annotated[float, typer.Option(help="Money to spend.")] = 400.0,
    replicates: Annotated[int, typer.Option(help="Maskings, or simulated studies.")] = 100,
    cost_retrieval: CostRetrieval = 1.0,
    cost_task: CostTask = 1.0,
    cost_task_after_retrieval: CostAfter = 1.0,
    target: TargetName = "policy_adherence",
    population: PopulationName = "future_queries",
    system: System = None,
    prior: Prior = None,
    policy: PolicyName = None,
    seed: Seed = 0,
    abstention: Abstention = "column",
    as_json: AsJson = False,
) -> None:
    """Hide known labels, let each strategy spend a budget, compare with the truth."""
    commands = _plan_commands()
    wish = None
    if source is not None:
        fit_wish = _commands().FitWish
        wish = fit_wish(source, system, None, prior, policy, "exact", seed, abstention)
    costs = (cost_retrieval, cost_task, cost_task_after_retrieval)
    offer = commands.Offer(commands.LabelCosts(*costs), target, population, 1, 1.0)
    asked = commands.SimulateWish(truth, items, pilot, budget, replicates, seed)
    asked = asked._replace(prior=prior or "uniform", policy=policy or "rat")
    _print(commands.simulate(wish, offer, asked), as_json, commands.simulate_text)


@app.command()
def agreement(
    study: Study,
    label_: Annotated[
        Literal["retrieval", "task"] | None, typer.Option("--label", help="Only this label type.")
    ] = None,
    interval: Interval = None,
    as_json: AsJson = False,
) -> None:
    """How far annotators agree: raw, kappa, alpha, AC1, with intervals."""
    commands = importlib.import_module("workflow.agreement_commands")
    _print(commands.agreement(study, label_, interval), as_json, commands.agreement_text)


@db_app.command()
def upgrade() -> None:
    """Bring the database to the schema of this version."""
    print(f"The database is at schema {_database().upgrade(_database().database_url())}.")


@db_app.command()
def current() -> None:
    """Say which schema the database has, and which this version needs."""
    found, needed = _database().current(_database().database_url())
    print(f"The database is at schema {found or 'none'}; this version needs {needed}.")


@db_app.command()
def backup(
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Default: named by the time, here.")
    ] = None,
) -> None:
    """Write all that is kept into one file, while people work."""
    engine = _database().connect_existing(_database().database_url())
    print(_backups().back_up(engine, output, _now()))


@db_app.command()
def restore(
    file: Path,
    replace: Annotated[bool, typer.Option(help="Lose what is in the database now.")] = False,
) -> None:
    """Put a backup into the database, SQLite or PostgreSQL; all of it or nothing."""
    url = _database().database_url()
    print(_backups().restore_from(url, file, replace, _now()))


UserName = Annotated[str, typer.Argument(help="The name of the account.")]
RoleName = Literal["annotator", "lead", "admin"]
PasswordStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read it from standard input.")
]


@user_app.command()
def add(
    name: UserName,
    role: Annotated[RoleName, typer.Option(help="What they may do.")] = "annotator",
    invite: Annotated[bool, typer.Option("--invite", help="Print a link instead.")] = False,
    password_stdin: PasswordStdin = False,
) -> None:
    """An account with a password, or the link with which its person makes it."""
    commands = _user_commands()
    password = None if invite else _password(password_stdin)
    print(commands.add(commands.AddWish(name, commands.Role(role), password), _now()))


@user_app.command(name="list")
def list_(as_json: AsJson = False) -> None:
    """All accounts: role, whether they may come in, when they were here last."""
    _print(_user_commands().list_users(_now()), as_json, _user_commands().users_text)


@user_app.command()
def disable(name: UserName) -> None:
    """Let somebody in no more and end their sessions; what they did stays."""
    print(_user_commands().disable(name, _now()))


@user_app.command()
def enable(name: UserName) -> None:
    """Let somebody in again."""
    print(_user_commands().enable(name, _now()))


@user_app.command(name="role")
def role_(name: UserName, role: Annotated[RoleName, typer.Argument()]) -> None:
    """Change what somebody may do."""
    print(_user_commands().set_role(name, role, _now()))


@user_app.command(name="password")
def password_(name: UserName, password_stdin: PasswordStdin = False) -> None:
    """Give somebody a new password, and sign them out everywhere."""
    print(_user_commands().set_password(name, _password(password_stdin), _now()))


def _password(is_piped: bool) -> str:
    """As typed twice, unseen, or as piped in."""
    if is_piped:
        piped: str = _user_commands().read_password()
        return piped
    typed: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    return typed


def _user_commands() -> Any:
    """What `user` does."""
    return importlib.import_module("workflow.user_commands")


def _commands() -> Any:
    """What the commands do; imported when one runs, since it brings pandas, SciPy and the rest."""
    return importlib.import_module("workflow.commands")


def _plan_commands() -> Any:
    """What plan, next and simulate do."""
    return importlib.import_module("workflow.plan_commands")


def _database() -> Any:
    return importlib.import_module("workflow.database")


def _backups() -> Any:
    return importlib.import_module("workflow.backup")


def _print(document: Any, as_json: bool, words: Any) -> None:
    print(json.dumps(document, ensure_ascii=False) if as_json else words(document))


def _now() -> datetime:
    return datetime.now(UTC)


if __name__ == "__main__":
    main()
