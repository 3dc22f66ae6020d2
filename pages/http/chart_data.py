"""The numbers behind each chart as a CSV file: what is drawn can be taken along."""

from collections.abc import Callable
from urllib.parse import quote

import pandas as pd
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from model.rat.derived import Quantity
from pages.resources import engine
from workflow import plan_jobs, results
from workflow.errors import EXPECTED, RatchetError
from workflow.results import Results


def chart_address(chart: str, study: str, quantity: Quantity) -> str:
    """The address of a chart's numbers on this server."""
    return f"/chart-data/{chart}?study={quote(study, safe='')}&quantity={quantity}"


async def download_chart(request: Request) -> Response:
    """One row a mark of the chart."""
    chart, query = request.path_params["chart"], request.query_params
    try:
        frame = await run_in_threadpool(
            _read, chart, query.get("study", ""), query.get("quantity", "")
        )
    except EXPECTED as error:
        return PlainTextResponse(str(error), status_code=400)
    return _csv(frame, chart)


async def download_plan(request: Request) -> Response:
    """The lines of a plan, one row a strategy and budget."""
    query = request.query_params
    try:
        frame = await run_in_threadpool(_read_plan, query.get("study", ""), query.get("job", ""))
    except EXPECTED as error:
        return PlainTextResponse(str(error), status_code=400)
    return _csv(frame, "plan")


CHART_ROUTES = [
    Route("/chart-data/plan", download_plan),
    Route("/chart-data/{chart}", download_chart),
]


def _csv(frame: pd.DataFrame, name: str) -> Response:
    return Response(
        frame.to_csv(index=False, lineterminator="\n"),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )


def _read_plan(study: str, job_id: str) -> pd.DataFrame:
    run = plan_jobs.find_run(engine(), study, int(job_id)) if job_id.isdecimal() else None
    if run is None or not run.document:
        raise RatchetError(
            f"There is no plan {job_id!r} in {study!r}. Use the link of the Plan screen."
        )
    return pd.DataFrame(run.document["curve"])


def _read(chart: str, study: str, quantity: str) -> pd.DataFrame:
    if chart not in FRAMES or quantity not in list(Quantity):
        raise RatchetError(
            f"There is no chart {chart!r} of {quantity!r}. Use the links of the Results screen."
        )
    found = results.read_results(engine(), study)
    if found is None:
        raise RatchetError("There is no posterior yet. Try again in a second.")
    return FRAMES[chart](found, study, Quantity(quantity))


def _intervals(found: Results, _study: str, quantity: Quantity) -> pd.DataFrame:
    return found.estimates[found.estimates["quantity"] == quantity]


def _outcomes(found: Results, _study: str, _quantity: Quantity) -> pd.DataFrame:
    return found.cells


def _widths(_found: Results, study: str, quantity: Quantity) -> pd.DataFrame:
    return results.read_history(engine(), study, quantity)


def _priors(found: Results, _study: str, _quantity: Quantity) -> pd.DataFrame:
    return found.priors


FRAMES: dict[str, Callable[[Results, str, Quantity], pd.DataFrame]] = {
    "intervals": _intervals,
    "outcomes": _outcomes,
    "widths": _widths,
    "priors": _priors,
}
