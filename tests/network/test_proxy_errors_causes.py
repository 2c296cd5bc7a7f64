from app.network.proxy import causes_of


def test_what_led_to_an_error_is_found_whether_it_was_named_or_not() -> None:
    unnamed, named, told = OSError("reset"), TimeoutError(), ValueError("no response")
    named.__context__ = unnamed
    told.__cause__ = named

    assert causes_of(told) == [told, named, unnamed]


def test_errors_that_led_to_each_other_are_found_once() -> None:
    one, other = OSError(), ValueError()
    one.__cause__, other.__cause__ = other, one

    assert causes_of(one) == [one, other]
