"""What an option, a variable and the default mean."""

from pathlib import Path

import pytest

from adapters import settings
from adapters.errors import SettingsRefused


def test_option_goes_before_variable_and_variable_before_default() -> None:
    environment = {"GONGZHU_DATA": "/srv/a", "GONGZHU_DATABASE_URL": "postgresql://a/a"}
    assert settings.read(environment={}).data.name == "gongzhu"
    assert settings.read(environment=environment).data == Path("/srv/a")
    assert settings.read(data=Path("/srv/b"), environment=environment).data == Path("/srv/b")
    assert settings.read(environment=environment).database_url == "postgresql://a/a"
    assert (
        settings.read(database_url="postgresql://b/b", environment=environment).database_url
        == "postgresql://b/b"
    )


def test_empty_variable_is_not_set() -> None:
    chosen = settings.read(
        environment={"GONGZHU_DATABASE_URL": "", "GONGZHU_NATS_URL": "", "GONGZHU_DATA": ""}
    )
    assert (chosen.database_url, chosen.nats_url, chosen.data.name) == (None, None, "gongzhu")


def test_relative_folder_is_meant_from_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert settings.read(data=Path("here"), environment={}).data == tmp_path / "here"


def test_log_is_named_main_unless_set() -> None:
    assert settings.read(environment={}).log_name == "main"
    assert settings.read(environment={"GONGZHU_LOG": "second"}).log_name == "second"


@pytest.mark.parametrize("name", ["Main", "a.b", "-a", "a" * 33, "a b"])
def test_log_name_that_fits_no_subject_is_refused(name: str) -> None:
    with pytest.raises(SettingsRefused, match="the log name"):
        settings.read(log_name=name, environment={})


def test_url_of_something_else_is_refused_without_its_password() -> None:
    with pytest.raises(
        SettingsRefused, match="GONGZHU_DATABASE_URL does not begin with postgresql://"
    ) as refused:
        settings.read(database_url="mysql://u:hush@x", environment={})
    assert "hush" not in str(refused.value)
    with pytest.raises(SettingsRefused, match="GONGZHU_NATS_URL does not begin with nats://"):
        settings.read(nats_url="localhost", environment={})


def test_each_nats_user_has_the_password_that_was_set_for_it() -> None:
    environment = {
        "GONGZHU_NATS_URL": "nats://a:4222,nats://b:4222",
        "GONGZHU_NATS_RELAY_PASSWORD": "sesame",
        "GONGZHU_NATS_READER_PASSWORD": "",
    }
    chosen = settings.read(environment=environment)
    assert chosen.nats_url_as("relay") == "nats://relay:sesame@a:4222,nats://relay:sesame@b:4222"
    assert chosen.nats_url_as("reader") == "nats://a:4222,nats://b:4222"
    one_for_all = settings.read(nats_url="nats://me:mine@a:4222", environment=environment)
    assert one_for_all.nats_url_as("relay") == "nats://me:mine@a:4222"
    assert settings.read(environment={}).nats_url_as("relay") is None


def test_nats_password_that_cannot_stand_in_a_url_is_refused_without_it() -> None:
    with pytest.raises(SettingsRefused, match="GONGZHU_NATS_RELAY_PASSWORD cannot stand in a URL") as refused:
        settings.read(environment={"GONGZHU_NATS_RELAY_PASSWORD": "hush@home"})
    assert "hush" not in str(refused.value)


def test_keys_of_another_token_provider_are_a_file_if_set() -> None:
    assert settings.read(environment={}).token_keys is None
    assert settings.read(environment={"GONGZHU_TOKEN_KEYS": "/srv/jwks.json"}).token_keys == Path(
        "/srv/jwks.json"
    )


def test_connection_records_are_kept_for_ninety_days_unless_set() -> None:
    assert settings.read(environment={}).connection_days == 90
    assert settings.read(environment={"GONGZHU_CONNECTION_DAYS": "7"}).connection_days == 7


@pytest.mark.parametrize("days", ["0", "-1", "4000", "x", "7.5"])
def test_number_of_days_that_cannot_be_meant_is_refused(days: str) -> None:
    with pytest.raises(SettingsRefused, match="GONGZHU_CONNECTION_DAYS"):
        settings.read(environment={"GONGZHU_CONNECTION_DAYS": days})
