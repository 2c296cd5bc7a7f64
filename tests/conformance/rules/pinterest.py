"""Requirements of Pinterest posts, and boards."""

from tests.conformance.document import rows
from tests.conformance.outcome import expect, same
from tests.conformance.register import rule
from tests.conformance.shapes import check_shape
from tests.conformance.stage import Fields, Stage

POSTS = "Posts"
CONNECTIONS = "Connections"
BOARD = "Pinterest board"


def pin(stage: Stage, **changes: object) -> Fields:
    """Return a valid create body for an image on a board, with changes."""
    account = stage.connection("pinterest")
    boards = board_list(stage, account)
    expect(boards, "the Pinterest account has no board")
    body = {
        "post_type": "image",
        "media_storage_path": stage.picture(),
        "pinterest_board_id": boards[0]["id"],
        **changes,
    }
    return stage.text_post(account, **body)


def board_list(stage: Stage, account: Fields, **query: object) -> list[Fields]:
    """Return the boards, in any wrapper."""
    return boards_in(stage.api.get(f"/connections/{account['id']}/boards", **query).given())


def boards_in(body: object) -> list[Fields]:
    """Return the first list in a body, because the wrapper's field name isn't specified."""
    if isinstance(body, list):
        return body
    found = [value for value in body.values() if isinstance(value, list)] if isinstance(body, dict) else []
    expect(len(found) == 1, f"the answer holds no list of boards: {body!r}")
    return found[0]


@rule(POSTS, "Required when platform is pinterest", "Unsupported media types for the platform, and a missing")
def a_pin_needs_a_board(stage: Stage) -> None:
    body = pin(stage)
    same(stage.post(body)["platform"], "pinterest", "the platform of a pin")
    del body["pinterest_board_id"]
    stage.api.post("/posts", body).names("pinterest_board_id")


@rule(POSTS, "Unsupported media types for the platform, and a missing")
def what_the_platform_does_not_take_is_refused(stage: Stage) -> None:
    body = pin(stage, post_type="text")
    del body["media_storage_path"]
    stage.api.post("/posts", body).refused("validation_error")
    stage.api.post("/posts", stage.text_post(stage.connection("youtube"))).refused("validation_error")


@rule(POSTS, "pinterest_board_name · Informational", *rows(POSTS, "pinterest_board_name"))
def the_name_of_the_board_changes_nothing(stage: Stage) -> None:
    stage.post(pin(stage, pinterest_board_name="Any name"))


@rule(POSTS, "Max 2048 characters", *rows(POSTS, "pinterest_link"), also={"Limits": ["pinterest_link"]})
def a_link_is_an_address_of_at_most_2048_characters(stage: Stage) -> None:
    start = "https://example.com/"
    body = pin(stage)
    stage.post({**body, "pinterest_link": start + "x" * (2048 - len(start))})
    too_long = start + "x" * (2049 - len(start))
    for wrong in (too_long, "no address", "/only/a/path", ""):
        stage.api.post("/posts", {**body, "pinterest_link": wrong}).names("pinterest_link")


@rule(
    BOARD,
    *rows(BOARD),
    "Board name",
    "Description",
    "Privacy setting",
    "Pins on the board",
    also={CONNECTIONS: ["Returns Pinterest boards"]},
)
def boards_have_the_fields_of_their_table(stage: Stage) -> None:
    boards = board_list(stage, stage.connection("pinterest"))
    expect(boards, "the Pinterest account has no board")
    for board in boards:
        check_shape(BOARD, board)


@rule(BOARD, "Board id", "used as pinterest_board_id")
def the_id_of_a_board_is_what_a_post_names(stage: Stage) -> None:
    account = stage.fresh_connection("pinterest")
    board = board_list(stage, account)[-1]
    body = {**pin(stage), "social_account_id": account["id"], "pinterest_board_id": board["id"]}
    del body["scheduled_at"]
    stage.ended(stage.post(body)["id"], "posted")
    found = [one["board_id"] for one in stage.practice.published(account["account_identifier"])]
    same(found, [board["id"]], "the board that the pin went to")


@rule(CONNECTIONS, "Query: page_size (1 to 100, default 25)", also={"Limits": ["Boards page_size"]})
def pages_of_boards_hold_1_to_100_and_25_by_default(stage: Stage) -> None:
    account = stage.connection("pinterest")
    path = f"/connections/{account['id']}/boards"
    expect(len(board_list(stage, account)) <= 25, "a page of boards holds more than 25 by default")
    same(len(board_list(stage, account, page_size=1)), 1, "the length of a page of boards with page_size 1")
    every = board_list(stage, account, page_size=100)
    same(len(board_list(stage, account)), min(25, len(every)), "the length of a page without page_size")
    for wrong in ("0", "101", "-1", "x"):
        stage.api.get(path, page_size=wrong).names("page_size")


@rule(CONNECTIONS, "bookmark (from previous response)")
def a_bookmark_gives_the_next_boards(stage: Stage) -> None:
    account = stage.connection("pinterest")
    path = f"/connections/{account['id']}/boards"
    first = stage.api.get(path, page_size=1).given()
    bookmarks = [value for name, value in first.items() if isinstance(value, str) and value]
    same(len(bookmarks), 1, "the number of bookmarks in a page of boards")
    second = boards_in(stage.api.get(path, page_size=1, bookmark=bookmarks[0]).given())
    expect(second and second[0]["id"] != boards_in(first)[0]["id"], "the bookmark gives the same board again")


@rule(
    CONNECTIONS,
    "400 when the account is not Pinterest",
    also={"Errors": ["Also: platform-specific media rejection, missing Pinterest board, boards requested"]},
)
def boards_of_an_account_elsewhere_are_refused(stage: Stage) -> None:
    stage.api.get(f"/connections/{stage.connection()['id']}/boards").refused("validation_error")


@rule(
    CONNECTIONS,
    "401 carrying a reauth_url when the Pinterest token expired",
    also={"Errors": ["The boards endpoint also returns 401 with a reauth_url"]},
)
def boards_behind_a_dead_token_give_401_with_a_reauth_url(stage: Stage) -> None:
    account = stage.fresh_connection("pinterest")
    stage.practice.fault("pinterest", "token", "expired_token", account["account_identifier"])
    refused = stage.api.get(f"/connections/{account['id']}/boards").refused("unauthorized")
    places = (refused, refused["error"], refused["error"].get("details") or {})
    found = [place["reauth_url"] for place in places if "reauth_url" in place]
    expect(found and found[0].startswith("http"), f"the 401 carries no reauth_url: {refused}")
