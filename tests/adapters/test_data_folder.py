"""Which folders are taken, and that nobody else can read what is in them."""

import os
import stat
from pathlib import Path

import pytest

from adapters import data_folder
from adapters.data_folder import DataFolder
from adapters.errors import DataFolderRefused
from adapters.file_lock import FileLock


def _rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_new_folder_gets_our_form_and_is_ours_only(tmp_path: Path) -> None:
    folder = DataFolder.open(tmp_path / "some" / "data")
    assert (folder.path / "form").read_text() == f"{data_folder.FORM}\n"
    assert (_rights(folder.path), _rights(folder.path / "form")) == (0o700, 0o600)


def test_empty_folder_is_taken_and_closed_to_others(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.mkdir(mode=0o755)
    DataFolder.open(path)
    assert _rights(path) == 0o700


def test_folder_is_opened_again(tmp_path: Path) -> None:
    DataFolder.open(tmp_path / "data")
    assert DataFolder.open(tmp_path / "data").path == tmp_path / "data"


@pytest.mark.parametrize(
    ("form", "made_by"), [("0", "an earlier"), ("99", "a later or unknown"), ("x", "a later")]
)
def test_folder_of_another_form_is_refused(tmp_path: Path, form: str, made_by: str) -> None:
    (tmp_path / "form").write_text(form)
    with pytest.raises(DataFolderRefused, match=f"was made by {made_by}.*move it away"):
        DataFolder.open(tmp_path)


def test_folder_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(DataFolderRefused, match="holds files but no mark of ours"):
        DataFolder.open(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_file_in_the_folders_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    with pytest.raises(DataFolderRefused, match="cannot be used"):
        DataFolder.open(tmp_path / "data")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    os.chown(tmp_path, 65534, 65534)
    with pytest.raises(DataFolderRefused, match="belongs to user 65534, this is user 0"):
        DataFolder.open(tmp_path)


def test_file_is_replaced_whole_and_is_its_owners_only(tmp_path: Path) -> None:
    path = tmp_path / "key"
    data_folder.write_private(path, b"first, and longer")
    data_folder.write_private(path, b"second")
    assert path.read_bytes() == b"second"
    assert _rights(path) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_password_is_drawn_once(tmp_path: Path) -> None:
    first = data_folder.password(tmp_path / "password")
    assert len(first) == 32
    assert data_folder.password(tmp_path / "password") == first
    assert data_folder.password(tmp_path / "other") != first


def test_lock_is_held_by_one_alone_or_shared(tmp_path: Path) -> None:
    one, other, third = (FileLock(tmp_path / "lock") for _ in range(3))
    assert one.take()
    assert not other.take()
    assert not other.take(shared=True)
    one.release()
    assert other.take(shared=True)
    assert third.take(shared=True)
    assert not one.take()
    other.release()
    third.release()
    assert one.take()
    one.release()
