"""``GET /analytics``."""

from typing import Annotated

from starlette.responses import Response

from app.contract.analytics import AnalyticsQuery, Metric
from app.contract.enums import Action
from app.contract.pagination import Page
from app.service.accounts.keys import Principal
from app.service.analytics.rows import listed
from app.service.api.context import ServiceDep
from app.service.api.envelope import answer
from app.service.api.pages import read_page
from app.service.api.principal import calling
from app.service.api.requests import Query
from app.service.api.routing import Depends, Router
from app.service.store.tables import metrics

router = Router(tag="analytics")


@router.get("/analytics", response_model=Page[Metric], status_code=200)
async def list_metrics(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.ANALYTICS_LIST))],
    query: Annotated[AnalyticsQuery, Depends(Query(AnalyticsQuery))],
) -> Response:
    """List the samples of all published content, newest day first."""
    rows = listed(principal.account_id, query, service.clock().date())
    return answer(await read_page(service, principal, rows, metrics, query, Metric, by=metrics.c.metric_date))
