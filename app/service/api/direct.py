"""Routes that ask their dependencies themselves.

FastAPI solves dependencies of any kind, anew for every request. Ours are all of one kind: they take the
request, and at most the service besides. They are declared as everywhere, for the description of the API.
"""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.responses import Response

from app.service.api.context import Service, service_of

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class DirectRoute(APIRoute):
    """Calls the dependencies in the order of the endpoint's parameters, then the endpoint."""

    def get_route_handler(self) -> Handler:
        """Raises TypeError, when the route is added, for an endpoint that declares something else."""
        wanted = self.dependant
        steps = [_Step.of(dependency) for dependency in wanted.dependencies]
        if _takes_more(wanted) or wanted.request_param_name:
            raise TypeError(f"{self.name} declares what a direct route does not know.")
        endpoint: Callable[..., Awaitable[Response]] = self.endpoint

        async def handle(request: Request) -> Response:
            service: Service = request.app.state.service
            return await endpoint(**{step.name: await step.take(request, service) for step in steps})

        return handle


@dataclass(frozen=True, slots=True)
class _Step:
    """One parameter of an endpoint, and how to come by its value."""

    name: str
    take: Callable[[Request, Service], Awaitable[Any]]

    @classmethod
    def of(cls, dependency: Dependant) -> "_Step":
        call, name, request = dependency.call, dependency.name, dependency.request_param_name
        if call is None or name is None or request is None or _takes_more(dependency):
            raise TypeError(f"{name} is no dependency of a direct route.")
        if not dependency.dependencies:
            return cls(name, lambda asked, _service: call(**{request: asked}))
        [inner] = dependency.dependencies
        if inner.call is not service_of or inner.name is None:
            raise TypeError(f"{name} depends on more than the service.")
        service = inner.name
        return cls(name, lambda asked, served: call(**{request: asked, service: served}))


def _takes_more(wanted: Dependant) -> bool:
    """Whether something is to be read off the request by FastAPI itself."""
    parameters = (
        wanted.path_params,
        wanted.query_params,
        wanted.header_params,
        wanted.cookie_params,
        wanted.body_params,
    )
    return any(parameters)
