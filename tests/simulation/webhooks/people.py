"""What people do with subscriptions, and what happens to their accounts."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, func, select

from app.contract.enums import PostingPlatform
from app.contract.webhooks import CreatedWebhookSubscription, PostEventData, UpdateWebhook
from app.service.store.tables import deliveries, events
from app.service.webhooks import queue, subscriptions
from app.service.webhooks.events import record
from tests.simulation.api import Api
from tests.simulation.webhooks.ground import TYPES, account, ground, subscribe, subscription_id
from tests.simulation.webhooks.plan import SLOTS, Verb, Wish
from tests.simulation.webhooks.program import Program
from tests.simulation.webhooks.receivers import Receivers

_NOT_TRIED: Final = 1
"""Tests are not repeated: each would be another call."""


class People:
    """Everybody, and what they know. ``made`` holds every subscription by its id, with its secret."""

    def __init__(self, api: Api[Program], receivers: Receivers, note: Callable[..., None]) -> None:
        self._api = api
        self._receivers = receivers
        self._note = note
        self._generations = [0] * SLOTS
        self._is_there = [True] * SLOTS
        self.made: dict[str, CreatedWebhookSubscription] = {
            made.id.hex: made for made in ground().subscriptions.values()
        }
        self.replays: Counter[tuple[str, str]] = Counter()
        self.tests: list[str] = []

    async def live(self, wish: Wish) -> None:
        """Does one thing when its time has come."""
        await asyncio.sleep(max(0.0, wish.at_s - asyncio.get_running_loop().time()))
        if wish.verb is Verb.BEHAVE:
            self._receivers.modes[wish.slot] = wish.mode
            self._note("receiver", wish.slot, wish.mode)
            return
        act = {
            Verb.HAPPEN: self._happen,
            Verb.SWITCH_OFF: self._switch,
            Verb.SWITCH_ON: self._switch,
            Verb.DELETE: self._delete,
            Verb.SUBSCRIBE: self._subscribe,
            Verb.REPLAY: self._replay,
            Verb.TEST: self._test,
        }[wish.verb]
        self._note("person", wish.number, wish.verb, await act(wish))

    def _id(self, slot: int) -> UUID:
        return subscription_id(slot, self._generations[slot])

    async def _happen(self, wish: Wish) -> bool:
        data = PostEventData(
            post_id=UUID(int=wish.number), platform=PostingPlatform.X, social_account_id=UUID(int=2),
            batch_id=None,
        )  # fmt: skip
        owner, event_type = account(wish.slot), TYPES[wish.turn % len(TYPES)]

        async def happen(program: Program) -> bool:
            def work(rows: Connection) -> bool:
                is_known = select(events.c.id).where(events.c.data == data.model_dump_json())
                if rows.execute(is_known).first() is None:
                    record(rows, owner, event_type, data, program.clock())
                return True

            return await program.database.write(work)

        return (await self._api.insist(happen)).is_done

    async def _switch(self, wish: Wish) -> bool:
        body = UpdateWebhook(active=wish.verb is Verb.SWITCH_ON)
        owner, its = account(wish.slot), self._id(wish.slot)

        async def switch(program: Program) -> object:
            now = program.clock()
            return await program.database.write(
                lambda rows: subscriptions.change(rows, owner, its, body, now)
            )

        return (await self._api.insist(switch)).is_done

    async def _delete(self, wish: Wish) -> bool:
        owner, its = account(wish.slot), self._id(wish.slot)

        async def delete(program: Program) -> object:
            return await program.database.write(lambda rows: subscriptions.remove(rows, owner, its))

        answer = await self._api.insist(delete)
        if answer.is_done or answer.refusal is not None:  # also when the first answer was lost
            self._is_there[wish.slot] = self._is_there[wish.slot] and its != self._id(wish.slot)
        return answer.is_done

    async def _subscribe(self, wish: Wish) -> bool:
        """Another subscription of a slot that has none."""
        slot = wish.slot
        if self._is_there[slot]:
            return False
        self._is_there[slot] = True
        self._generations[slot] += 1
        generation = self._generations[slot]

        async def add(program: Program) -> object:
            def work(rows: Connection) -> CreatedWebhookSubscription:
                # The answer may be lost, but not what it said: receivers check signatures with it.
                made = subscribe(rows, slot, generation)
                self.made[made.id.hex] = made
                return made

            return await program.database.write(work)

        answer = await self._api.insist(add)
        return answer.is_done or answer.is_doubtful

    async def _replay(self, wish: Wish) -> bool:
        owner, its = account(wish.slot), self._id(wish.slot)

        async def replay(program: Program) -> object:
            now = program.clock()

            def work(rows: Connection) -> object:
                logged = deliveries.c.subscription_id == its, deliveries.c.next_attempt_at.is_(None)
                count = rows.scalar(select(func.count()).select_from(deliveries).where(*logged)) or 0
                if not count:
                    return False
                chosen = select(deliveries.c.id, deliveries.c.event_id, deliveries.c.event_type).where(
                    *logged
                )
                past = rows.execute(
                    chosen.order_by(deliveries.c.created_at, deliveries.c.attempt)
                    .limit(1).offset(wish.turn % count)
                ).one()  # fmt: skip
                if past.event_type == "webhook.test":
                    return False
                said = queue.replay(rows, owner, its, past.id, now)
                self.replays[its.hex, past.event_id.hex] += 1
                return said

            said = await program.database.write(work)
            program.worker.notify()
            return said

        return (await self._api.insist(replay)).is_done

    async def _test(self, wish: Wish) -> bool:
        owner, its = account(wish.slot), self._id(wish.slot)

        async def test(program: Program) -> UUID:
            return (await program.console.test(owner, its, None)).delivery_id

        answer = await self._api.insist(test, tries=_NOT_TRIED)
        if answer.result is not None:
            self.tests.append(answer.result.hex)
        return answer.is_done
