from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.klog import Clock, clock_for, first_year, read_records
from schedtui.core.klog.clock import dated_text, parse_iso_time
from tests.core.klog.reading import read

if TYPE_CHECKING:
    from schedtui.core.record import Record


def line(stamp: str, text: str = '"m"') -> str:
    return f"I{stamp}       1 x.go:1] {text}\n"


def years(records: list[Record]) -> list[int | None]:
    return [record.time.year if record.time else None for record in records]


def test_new_year_counts_up_and_a_race_of_threads_does_not() -> None:
    records = read(
        line("1231 23:59:59.999990") + line("0101 00:00:00.000010") + line("1231 23:59:59.999995")
        + line("0101 00:00:00.000020") + line("0301 10:00:00.000000"),
        year=2025,
    )  # fmt: skip
    assert years(records) == [2025, 2026, 2025, 2026, 2026]
    assert [record.line for record in records] == [1, 2, 3, 4, 5]
    assert all(record.time_guessed == ("year",) for record in records)


def test_small_backward_jumps_stay_in_the_year() -> None:
    records = read(line("0301 10:00:00.000009") + line("0301 10:00:00.000001") + line("0228 23:00:00.000000"))
    assert years(records) == [2026, 2026, 2026]


def test_a_log_silent_for_months_goes_forward() -> None:
    assert years(read(line("0105 00:00:00.000000") + line("0920 00:00:00.000000"))) == [2026, 2026]


@pytest.mark.parametrize("year", [2023, 2024, 2025, 2026, 1900, 2100])
def test_leap_day_never_raises_and_lies_in_a_leap_year(year: int) -> None:
    (record,) = read(line("0229 12:00:00.000000"), year=year)
    assert record.time is not None
    assert (record.time.month, record.time.day) == (2, 29)
    assert record.time.year % 4 == 0


def test_a_day_that_no_calendar_has_gives_no_time() -> None:
    (record,) = read(line("0230 12:00:00.000000"))
    assert (record.time, record.time_guessed, record.severity) == (None, (), "I")


def test_long_dates_prove_the_year_from_there_on() -> None:
    short, long, after = read(
        line("1231 00:00:00.000000") + line("20250102 03:04:05.678901") + line("0103 00:00:00.000000"), year=2020
    )
    assert (short.time_guessed, long.time_guessed, after.time_guessed) == (("year",), (), ())
    assert long.time == datetime(2025, 1, 2, 3, 4, 5, 678901)
    assert years([after]) == [2025]


def test_file_header_proves_the_year_and_is_one_record() -> None:
    header, record = read(
        "Log file created at: 2024/12/31 23:59:59\n"
        "Running on machine: box\n"
        "Binary: Built with gc go1.26.8 for linux/amd64\n"
        "Log line format: [IWEF]mmdd hh:mm:ss.uuuuuu threadid file:line] msg\n" + line("0101 00:00:00.000010"),
        year=1999,
    )
    assert (header.line_count, header.time) == (4, datetime(2024, 12, 31, 23, 59, 59))
    assert record.time == datetime(2025, 1, 1, 0, 0, 0, 10)
    assert record.time_guessed == ()


def test_a_wrapper_of_another_zone_gives_its_year_across_new_year() -> None:
    before, after = read(
        "2025-12-31T23:59:59.9Z stderr F " + line("0101 07:59:59.900000")
        + "2026-01-01T00:00:00.1+09:00 stderr F " + line("1231 15:00:00.100000"),
        year=1999,
    )  # fmt: skip
    assert years([before, after]) == [2026, 2025]
    assert (before.time_guessed, after.time_guessed) == ((), ())


def test_a_certificate_date_is_no_proof() -> None:
    (record,) = read(line("1130 07:57:58.000000", '"cert" validServingFor=["x"] expiry="2027-11-30 07:57:58"'))
    assert (years([record]), record.time_guessed) == ([2026], ("year",))


def test_http_dates_prove_the_year() -> None:
    (record,) = read(line("1130 07:58:10.000000", "    Date: Mon, 30 Nov 2015 07:58:10 GMT"))
    assert (years([record]), record.time_guessed) == ([2015], ())


def test_dated_text_far_from_its_header_proves_nothing() -> None:
    (record,) = read(line("1130 07:58:10.000000", "    Date: Mon, 01 Jun 2015 07:58:10 GMT"))
    assert record.time_guessed == ("year",)
    assert dated_text(b"    Date: Mon, 31 Foo 2015 07:58:10 GMT") is None


def stamps(*dates: int) -> list[tuple[int, int]]:
    return [(date, 0) for date in dates]


@pytest.mark.parametrize(
    ("dates", "latest", "year"),
    [
        (stamps(1130), datetime(2026, 11, 30, 12), 2026),
        (stamps(1130), datetime(2026, 11, 29, 12), 2026),
        (stamps(1130), datetime(2026, 11, 28), 2025),
        (stamps(1231, 101), datetime(2026, 1, 2), 2025),
        (stamps(1231, 101), datetime(2026, 11, 30), 2025),
        (stamps(1201, 301, 1201, 301), datetime(2026, 4, 1), 2024),
        (stamps(229), datetime(2026, 4, 1), 2024),
        (stamps(228, 229, 301), datetime(2026, 4, 1), 2024),
        (stamps(1231, 101, 229), datetime(2025, 1, 3), 2023),
        ([], datetime(2026, 4, 1), 2026),
    ],
)
def test_first_year_walks_back_from_the_last_line(
    dates: list[tuple[int, int]], latest: datetime, year: int
) -> None:
    assert first_year(dates, latest) == year


def test_the_case_of_all_four_headers() -> None:
    text = (
        line("1231 23:59:59.999990") + line("0101 00:00:00.000010") + line("0229 12:00:00.000000")
        + line("20250102 03:04:05.678901")
    ).encode()  # fmt: skip
    clock = clock_for(text.split(b"\n"), datetime(2026, 11, 30))
    assert years(list(read_records(text, clock=clock))) == [2023, 2024, 2024, 2025]


def test_a_sample_dates_lines_before_its_proof() -> None:
    text = (
        line("0115 10:23:45.123456") + line("0115 10:23:45.123789", '"m" timestamp="2025-01-15T10:23:45Z"')
    ).encode()
    records = list(read_records(text, clock=clock_for(text.split(b"\n"), datetime(2031, 1, 1))))
    assert years(records) == [2025, 2025]
    assert [record.time_guessed for record in records] == [(), ()]


def test_years_counted_back_over_more_than_half_a_year_are_guessed() -> None:
    text = (
        b"I1231 23:59:59.999990       1 x.go:1] a\nI0101 00:00:00.000010       1 x.go:1] b\n"
        b"I0229 12:00:00.000000       1 x.go:1] c\nI20250102 03:04:05.678901       1 x.go:1] d\n"
    )
    records = list(read_records(text, clock=clock_for(text.split(b"\n"), datetime(2031, 1, 1))))
    assert years(records) == [2023, 2024, 2024, 2025]
    assert [record.time_guessed for record in records] == [("year",)] * 3 + [()]


def test_no_hint_at_all_is_a_guess_with_a_place_for_leap_days() -> None:
    clock = clock_for([b"no header"], None)
    assert clock.guessed == ("year",)
    assert clock.stamp(229, 0) is not None


@given(
    st.lists(st.integers(0, 40 * 86_400), min_size=1, max_size=40),
    st.datetimes(datetime(1980, 1, 1), datetime(2090, 1, 1)),
)
def test_a_log_of_any_length_gets_its_true_years(steps: list[int], start: datetime) -> None:
    moments = [start]
    for step in steps:
        moments.append(moments[-1] + timedelta(seconds=step))
    text = "".join(line(moment.strftime("%m%d %H:%M:%S.%f")) for moment in moments).encode()
    clock = clock_for(text.split(b"\n"), moments[-1])
    # The last line lies within the year before the file's time: then all the others follow.
    assert [record.time for record in read_records(text, clock=clock)] == moments


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-03-02T01:55:48.613937621+08:00", datetime(2024, 3, 2, 1, 55, 48, 613937)),
        ("2024-03-02 01:55:48,5", datetime(2024, 3, 2, 1, 55, 48, 500000)),
        ("2024-13-02T01:55:48Z", None),
        ("Feb 14 19:59:55", None),
    ],
)
def test_iso_times(text: str, moment: datetime | None) -> None:
    expected = None if moment is None else (moment - datetime(1970, 1, 1)) // timedelta(microseconds=1)
    assert parse_iso_time(text) == expected


def test_a_copy_goes_its_own_way() -> None:
    clock = Clock(2025)
    clock.stamp(1231, 0)
    twin = clock.copy()
    twin.stamp(101, 0)
    assert clock.stamp(1231, 5) == Clock(2025).stamp(1231, 5)
