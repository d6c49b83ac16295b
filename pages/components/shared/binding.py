"""What the gate of a hosted server asks of Streamlit: whose a file is, and what a browser may say."""

from google.protobuf.message import DecodeError
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import Runtime, get_instance
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.session_manager import SessionManager

MESSAGES = {"rerun_script", "stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request"}
"""What pages need. Any browser could also clear everybody's caches, and ask for the state of the server's files."""
OPERATIONS = {"deferred_file", "dataframe_chunk"}
"""Downloads, and tables that are read as one scrolls. Others write to the server's disk."""


def may_say(data: bytes, sign_in: str) -> bool:
    """Whether a page takes a message from the browser of somebody who is signed in."""
    try:
        message = BackMsg.FromString(data)
    except DecodeError:
        return True  # Streamlit ends the connection
    if message.WhichOneof("type") != "backend_operation_request":
        return message.WhichOneof("type") in MESSAGES
    asked = message.backend_operation_request
    if asked.WhichOneof("payload") == "deferred_file":  # is made on behalf of whose page offered it
        return owns_media(asked.deferred_file.file_id, sign_in)
    return asked.WhichOneof("payload") in OPERATIONS


def owns_file(path: str, sign_in: str) -> bool:
    """Whether an upload or download, by its path, is of a page of somebody who is signed in."""
    _, first, second, *_ = [*path.split("/"), "", ""]
    if first == "media":
        return owns_media(second.rsplit(".", 1)[0], sign_in)
    return is_own(path.removeprefix("/_stcore/upload_file/").split("/")[0], sign_in)


def owns_media(file_id: str, sign_in: str) -> bool:
    """Whether a page of somebody who is signed in offers a download, or no page does any more.

    One that no page offers may have been made at this moment; its name is a hash of what is in it.
    """
    offered = list(get_instance().media_file_mgr._files_by_session_and_coord.items())
    owners = [session_id for session_id, files in offered if file_id in list(files.values())]
    return not owners or any(is_own(session_id, sign_in) for session_id in owners)


def is_own(session_id: str, sign_in: str) -> bool:
    """Whether an open page, by the number of its session, is of somebody who is signed in."""
    found = get_instance()._session_mgr.get_session_info(session_id)
    return found is not None and found.session.matches_user_info({"sign_in": sign_in})


def is_possible() -> bool:
    """Whether this version of Streamlit keeps what is asked of it here, some of which it calls private."""
    files = MediaFileManager(MemoryMediaFileStorage("/media"))
    return (
        isinstance(getattr(files, "_files_by_session_and_coord", None), dict)
        and "_session_mgr" in Runtime.__init__.__code__.co_names
        and hasattr(Runtime, "media_file_mgr")
        and hasattr(SessionManager, "get_session_info")
        and hasattr(AppSession, "matches_user_info")
    )
