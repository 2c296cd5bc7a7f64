"""``GET /analytics``."""

from datetime import timedelta
from typing import Annotated, Final

from sqlalchemy import bindparam
from starlette.responses import Response

from app.contract.analytics import AnalyticsQuery, Metric
from app.contract.enums import Action
from app.contract.pagination import Page
from app.service.accounts.accounts import Principal
from app.service.api.context import ServiceDep, calling
from app.service.api.listing import Listing
from app.service.api.requests import Query
from app.service.api.routing import Depends, Router
from app.service.store.tables import metrics

router = Router(tag="analytics")

METRIC_COLUMNS: Final = [metrics.c[name] for name in Metric.model_fields]
METRICS: Final = Listing(
    metrics,
    METRIC_COLUMNS,
    filters=(metrics.c.platform, metrics.c.content_id),
    where=(metrics.c.metric_date > bindparam("before"),),
    by=metrics.c.metric_date,
)


@router.get("/analytics", response_model=Page[Metric], status_code=200)
async def list_metrics(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.ANALYTICS_LIST))],
    query: Annotated[AnalyticsQuery, Depends(Query(AnalyticsQuery))],
) -> Response:
    """List the samples of all published content, newest day first."""
    before = service.clock().date() - timedelta(days=query.days)  # days of UTC, today is the last
    return await METRICS.answer(
        service,
        principal.account_id,
        query,
        before=before,
        platform=query.platform,
        content_id=query.content_id,
    )
