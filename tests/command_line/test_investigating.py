"""`gongzhu investigate` and `gongzhu case`: deals scored once, leads with their limits, and cases that stand."""

import json
from pathlib import Path
from random import Random
from uuid import UUID

import msgspec
import psycopg
import pytest
import typer
from typer.testing import CliRunner, Result

from adapters import settings
from adapters.command_line import cases, investigating, people
from adapters.composition import register_of, system_ports
from adapters.investigating import shipped
from adapters.investigating.case_folders import CaseFolderWrong, recompute
from adapters.investigating.exported import ExportFaulty
from adapters.people.connections import Connection
from adapters.postgres.recorder import open_pool
from adapters.serialization import encode_public
from domain.events import Event, HandEnded
from domain.rulesets import RULESETS
from replays.investigation.deal_scores import STATISTICS
from replays.investigation.limits import LIMITS, SIGNS_ARE_NO_EVIDENCE
from replays.investigation.populations import Null, population
from tests.support.services import START
from tests.support.stored_matches import append, played

HONEST = population(
    shipped.EVALUATOR.name,
    [
        Null(statistic=statistic, ruleset="zero_sum-1 revision 1", role=role, mean=0.0, mean_error=0.01, spread=1.0,
             deals=1_000, honest="reader")
        for statistic in STATISTICS
        for role in ("leads", "follows")
    ],
)  # fmt: skip


class Desk:
    """An integrity desk: a database with one match, and commands run on it."""

    def __init__(self, database_url: str, folder: Path, events: list[Event]) -> None:
        self.database_url, self.folder, self.events = database_url, folder, events
        self.match = events[0].match
        self.players = next(event for event in events if isinstance(event, HandEnded)).players
        self.honest = folder / "honest.json"
        self.honest.write_bytes(msgspec.json.encode(HONEST))

    def run(self, *arguments: str) -> Result:
        app = typer.Typer()

        @app.callback()
        def configure(context: typer.Context) -> None:
            context.obj = settings.read(
                data=self.folder / "data",
                database_url=self.database_url,
                nats_url="nats://127.0.0.1:1",
                environment={},
            )

        for commands in (investigating, cases, people):
            commands.add_to(app)
        return CliRunner().invoke(app, list(arguments), catch_exceptions=False)

    def investigate(self, *arguments: str) -> Result:
        return self.run("investigate", *arguments, "--population", str(self.honest), "--jobs", "1")

    def signs(self, *arguments: str) -> Result:
        return self.run("investigate", *arguments)

    def trail(self) -> list[str]:
        return [entry["what"] for entry in json.loads(self.run("trail", "--json").stdout)]


@pytest.fixture
def desk(database_url: str, tmp_path: Path) -> Desk:
    events = played(RULESETS["zero_sum-1"], Random(4), hands=1)
    with psycopg.connect(database_url) as connection:
        append(connection, events)
    return Desk(database_url, tmp_path, events)


def test_deals_are_scored_once_and_a_screening_says_its_limits(desk: Desk) -> None:
    first = desk.investigate("screen")
    assert first.exit_code == 0
    assert "1 matches scored anew" in first.stderr
    assert "leads, not verdicts" in first.stdout
    again = desk.investigate("screen", "--json")
    assert "0 matches scored anew" in again.stderr
    found = json.loads(again.stdout)
    assert found["screening"]["players"] == 4
    assert len(found["screening"]["short"]) == 4
    assert desk.trail().count("screened players") == 2


def test_an_export_says_the_same_as_the_log(desk: Desk) -> None:
    export = desk.folder / "match.jsonl"
    export.write_bytes(b"".join(encode_public(event) + b"\n" for event in desk.events) + b"\n")
    logged = json.loads(desk.investigate("screen", "--json").stdout)
    exported = json.loads(desk.investigate("screen", "--from", str(export), "--json").stdout)
    assert exported == logged
    late = desk.investigate("screen", "--from", str(export), "--since", "2200-01-01")
    assert "no deals to look at" in late.stdout


def test_paces_and_company_are_compared_and_are_no_evidence(desk: Desk) -> None:
    assert "no player with plays enough" in desk.signs("pace").stdout
    assert "no pair has met often enough" in desk.signs("company").stdout
    for sign in ("pace", "company"):
        shown = desk.signs(sign)
        assert SIGNS_ARE_NO_EVIDENCE in " ".join(shown.stdout.split())
        assert SIGNS_ARE_NO_EVIDENCE in json.loads(desk.signs(sign, "--json").stdout)["limits"]
    assert {"screened paces", "screened company"} <= set(desk.trail())
    assert desk.signs("company", "--with", "019").exit_code == 2


def test_people_who_met_often_are_named_beside_what_chance_would_have(desk: Desk) -> None:
    with psycopg.connect(desk.database_url) as connection:
        for seed in range(5, 17):
            append(connection, played(RULESETS["zero_sum-1"], Random(seed), hands=1))
    found = json.loads(desk.signs("company", "--origin", "all", "--json").stdout)["company"]
    assert found
    assert all(5 <= each["together"] <= 13 for each in found)
    some = found[0]["players"][0]
    mine = json.loads(desk.signs("company", "--origin", "all", "--with", some, "--json").stdout)["company"]
    assert all(some in each["players"] for each in mine)
    assert "expected" in desk.signs("company", "--origin", "all").stdout
    assert json.loads(desk.signs("pace", "--origin", "all", "--json").stdout)["paces"] == []


def test_players_with_one_device_are_told_to_who_asks_and_the_trail_hears_of_it(desk: Desk) -> None:
    assert "none of 0 players" in desk.signs("clients").stdout
    with open_pool(desk.database_url) as pool:
        people_ = register_of(pool, desk.folder / "data", system_ports())
        for player, address in zip(desk.players[:3], ("one", "two", "two"), strict=True):
            people_.connections.add(
                player,
                Connection(
                    match=desk.match, opened_at=START, closed_at=None, address=address, device=str(player)
                ),
            )
    found = json.loads(desk.signs("clients", "--case", "4", "--json").stdout)
    assert found["players"] == 3
    assert found["clients"] == [{"players": sorted(map(str, desk.players[1:3])), "digests": 1, "rarest": 2}]
    assert "none of 3 players" in desk.signs("clients", "--with", str(desk.players[0])).stdout
    assert desk.trail().count("compared the clients of players") == 3


def test_a_file_that_is_no_export_is_refused(desk: Desk) -> None:
    wrong = desk.folder / "wrong.jsonl"
    wrong.write_text('{"type": "MatchOpened"}\n')
    with pytest.raises(ExportFaulty, match=r"wrong\.jsonl"):
        desk.investigate("screen", "--from", str(wrong))


def test_no_deals_are_no_evidence_and_say_where_to_look(desk: Desk) -> None:
    assert "try --origin all" in desk.investigate("screen", "--origin", "bots").stdout
    assert desk.investigate("screen", "--origin", "elsewhere").exit_code == 2


def test_a_players_deals_are_measured_towards_everyone(desk: Desk) -> None:
    found = json.loads(desk.investigate("player", str(desk.players[1]), "--case", "3", "--json").stdout)
    assert found["player"]["deals"] == 1
    assert found["player"]["rank"]["deals"] == 1
    assert found["player"]["leaks"] == []  # nobody with enough deals together
    pair = json.loads(desk.run(
        "investigate", "pair", str(desk.players[1]), str(desk.players[2]), "--population", str(desk.honest), "--json"
    ).stdout)  # fmt: skip
    assert pair["pair"]["deals"] == 1
    assert pair["pair"]["leaks"][0]["deals"] == 1
    assert "investigated a player" in desk.trail()


def test_a_match_shows_its_deals_by_seat(desk: Desk) -> None:
    shown = desk.run("investigate", "match", str(desk.match), "--population", str(desk.honest))
    assert shown.exit_code == 0
    assert "leads, not verdicts" in shown.stdout


def test_populations_of_another_evaluator_are_refused(desk: Desk) -> None:
    other = msgspec.structs.replace(HONEST, evaluator="battery 0")
    desk.honest.write_bytes(msgspec.json.encode(other))
    with pytest.raises(shipped.PopulationUnreadable, match="calibrate anew"):
        desk.investigate("screen")


def test_a_case_keeps_what_was_cited_and_is_computed_anew_from_its_folder(desk: Desk) -> None:
    suspect = desk.players[0]
    with open_pool(desk.database_url) as pool:
        people_ = register_of(pool, desk.folder / "data", system_ports())
        people_.names.rename(suspect, "Piggy", START)
        people_.connections.add(
            suspect, Connection(match=desk.match, opened_at=START, closed_at=None, address="aa", device="bb")
        )
    assert "case 1 is open" in desk.run("case", "open", str(suspect), "--why", "Piggy, z 5").stdout
    desk.run("case", "add", "match", "1", str(desk.match))
    desk.run("case", "add", "evidence", "1", "--population", str(desk.honest))
    desk.run("case", "add", "clients", "1")
    desk.run("case", "add", "note", "1", "piggy explains the lead of trick 2")
    folder = desk.folder / "case-1"
    assert "4 items" in desk.run("case", "export", "1", "--to", str(folder)).stdout
    decisions, statistics = recompute(folder)
    assert decisions > 0
    assert statistics == 1
    page = (folder / "case.html").read_text()
    assert LIMITS[0] in page
    assert "What he could know" in page
    assert str(suspect) in page
    assert all("Piggy" not in path.read_text() for path in folder.iterdir())
    assert "is as recorded" not in page
    assert {
        "exported a case",
        "read the connection records of a player",
        "noted in a case",
        "opened a case",
    } <= set(desk.trail())


def test_a_folder_that_was_changed_is_found_out(desk: Desk) -> None:
    desk.run("case", "open", str(desk.players[0]))
    desk.run("case", "add", "match", "1", str(desk.match))
    folder = desk.folder / "case-1"
    desk.run("case", "export", "1", "--to", str(folder))
    data = folder / "decisions.json"
    data.write_text(data.read_text().replace('"rank":', '"rank" :', 1))
    with pytest.raises(CaseFolderWrong, match=r"decisions\.json"):
        recompute(folder)


def test_a_case_starts_from_a_players_report_and_is_about_the_others(desk: Desk) -> None:
    with open_pool(desk.database_url) as pool:
        people_ = register_of(pool, desk.folder / "data", system_ports())
        report = people_.report(
            desk.match, 1, desk.players[0], "they knew", at=START, players=list(desk.players)
        )
    desk.run("case", "open", "--report", str(report.id))
    (case,) = json.loads(desk.run("case", "list", "--json").stdout)
    assert [UUID(player) for player in case["players"]] == list(desk.players[1:])
    assert case["report"] == report.id


def test_what_is_cited_cannot_be_changed(desk: Desk) -> None:
    desk.run("case", "open", str(desk.players[0]))
    desk.run("case", "add", "note", "1", "for")
    with (
        psycopg.connect(desk.database_url) as connection,
        pytest.raises(psycopg.errors.RaiseException, match="only ever"),
    ):
        connection.execute("UPDATE investigation.case_items SET body = 'against'")
