"""The open pages of a server, as Streamlit has them: who owns a file, what a browser may send, what files are kept."""

from google.protobuf.message import DecodeError
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import Runtime, get_instance
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.caching.ttl_cache import TTLCache
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.session_manager import SessionInfo, SessionManager
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

MESSAGES = {"rerun_script", "stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request"}
"""Messages that pages need. Others could clear everybody's caches, or ask for the state of the server's files."""
STORAGE = "_session_storage"
"""The attribute with the pages that were closed and can be opened again."""
OPERATIONS = {"deferred_file", "dataframe_chunk"}
"""Downloads, and tables that are loaded while one scrolls. Other operations write to the server's disk."""


def may_say(data: bytes, sign_in: str) -> bool:
    """Tell whether the browser of somebody who is signed in may send a message to a page."""
    try:
        message = BackMsg.FromString(data)
    except DecodeError:
        return True  # Streamlit ends the connection
    if message.WhichOneof("type") != "backend_operation_request":
        return message.WhichOneof("type") in MESSAGES
    request = message.backend_operation_request
    if request.WhichOneof("payload") == "deferred_file":  # made on behalf of the account whose page offered it
        return owns_media(request.deferred_file.file_id, sign_in)
    return request.WhichOneof("payload") in OPERATIONS


def owns_file(path: str, sign_in: str) -> bool:
    """Tell whether an upload or download, given by its path, belongs to a page of somebody who is signed in."""
    _, first, second, *_ = [*path.split("/"), "", ""]
    if first == "media":
        return owns_media(second.rsplit(".", 1)[0], sign_in)
    return is_own(path.removeprefix("/_stcore/upload_file/").split("/")[0], sign_in)


def owns_media(file_id: str, sign_in: str) -> bool:
    """Tell whether a page of somebody who is signed in offers a download, or no page offers it.

    A download that no page offers may just have been made; its name is a hash of its contents.
    """
    offered = list(get_instance().media_file_mgr._files_by_session_and_coord.items())
    owners = [session_id for session_id, files in offered if file_id in list(files.values())]
    return not owners or any(is_own(session_id, sign_in) for session_id in owners)


def is_own(session_id: str, sign_in: str) -> bool:
    """Tell whether an open page, given by its session's id, belongs to somebody who is signed in."""
    info = get_instance()._session_mgr.get_session_info(session_id)
    return info is not None and info.session.matches_user_info({"sign_in": sign_in})


# --- files that were sent to a page -------------------------------------------------------------------------


def count_bytes(session_id: str) -> int:
    """Count the bytes of the files that were sent to an open page."""
    return sum(len(file.data) for file in list(kept_files().file_storage.get(session_id, {}).values()))


def is_open(session_id: str) -> bool:
    """Tell whether a browser has the page open now."""
    return get_instance().is_active_session(session_id)


def forget_files(session_id: str) -> None:
    """Forget the files that were sent to a page."""
    kept_files().remove_session_files(session_id)


def forget_own_files() -> None:
    """Forget the files that were sent to the page that is being drawn: Streamlit keeps them until it is closed."""
    context = get_script_run_ctx()
    if context is not None:
        context.uploaded_file_mgr.remove_session_files(context.session_id)


def kept_files() -> MemoryUploadedFileManager:
    """Return what keeps the files."""
    files = get_instance().uploaded_file_mgr
    assert isinstance(files, MemoryUploadedFileManager)  # noqa: S101  as `is_possible` has found
    return files


def seconds_kept() -> float:
    """Return the seconds for which a page that was closed can be opened again with all that it had."""
    return float(closed_pages().ttl)


def end_closed() -> None:
    """End the pages that were closed so long ago, with their files: Streamlit waits for the next one to be closed."""
    for _, closed in closed_pages().expire():
        closed.session.shutdown()


def closed_pages() -> TTLCache[str, SessionInfo]:
    """Return the pages that can be opened again."""
    pages: TTLCache[str, SessionInfo] = getattr(get_instance()._session_mgr, STORAGE)._cache
    return pages


# --- this version of Streamlit ------------------------------------------------------------------------------


def is_possible() -> bool:
    """Tell whether this version of Streamlit has what this module uses, some of which is private."""
    files = MediaFileManager(MemoryMediaFileStorage("/media"))
    return (
        isinstance(getattr(files, "_files_by_session_and_coord", None), dict)
        and "_session_mgr" in Runtime.__init__.__code__.co_names
        and hasattr(Runtime, "media_file_mgr")
        and hasattr(SessionManager, "get_session_info")
        and hasattr(AppSession, "matches_user_info")
        and isinstance(MemorySessionStorage()._cache, TTLCache)
        and STORAGE in WebsocketSessionManager.__init__.__code__.co_names
        and isinstance(getattr(MemoryUploadedFileManager(""), "file_storage", None), dict)
    )
