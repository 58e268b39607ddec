"""The lobby: who one is, opening a table, the tables of others, boards."""

from playwright.sync_api import expect

from tests.support.chromium import Pages


def test_lobby_says_what_there_is_not(pages: Pages) -> None:
    page = pages.open()
    expect(page.get_by_role("heading", name="Tables", exact=True)).to_be_visible()
    expect(page.locator("#tables")).to_contain_text("No table is open")
    expect(page.locator("#ended")).to_contain_text("No match has ended yet")
