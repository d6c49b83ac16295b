"""The few pages before the app, plain HTML without scripts: signing in, entering a study, one's account."""

from html import escape

from starlette.responses import HTMLResponse

from relevance.annotation.languages import ENGLISH, Wording

STYLE = """
:root { color-scheme: light dark; font-family: "Source Sans", system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#fff, #171614);
  color: light-dark(#31333f, #fafafa); }
main { box-sizing: border-box; width: min(26rem, 100vw); padding: 1.5rem; }
h1 { font-size: 1.6rem; margin: 0 0 1rem; overflow-wrap: anywhere; }
p { line-height: 1.5; overflow-wrap: anywhere; }
form { display: grid; gap: 0.9rem; margin: 1rem 0; }
label { display: grid; gap: 0.3rem; font-size: 0.95rem; }
input { font: inherit; padding: 0.55rem 0.7rem; border-radius: 0.5rem; border: 1px solid light-dark(#8a8c93, #7c7f88);
  background: light-dark(#fff, #1a1d24); color: inherit; }
button, a.button { font: inherit; font-weight: 600; padding: 0.6rem 1rem; border-radius: 0.5rem; cursor: pointer;
  border: 1px solid #1d4ed8; background: #1d4ed8; color: #fff; text-align: center; text-decoration: none; }
button.quiet, a.button.quiet { background: transparent; color: light-dark(#1d4ed8, #93b4ff); }
:focus-visible { outline: 3px solid light-dark(#1d4ed8, #93b4ff); outline-offset: 2px; }
[role=alert] { border-left: 4px solid #b91c1c; padding: 0.1rem 0.8rem; background: light-dark(#fef2f2, #2b1416); }
"""


def page(title: str, body: str, status: int = 200, wording: Wording = ENGLISH) -> HTMLResponse:
    """Make a page; `body` is HTML, `title` is text."""
    return HTMLResponse(
        f"<!doctype html><html lang={wording.language} dir={wording.direction}><head><meta charset=utf-8>"
        '<meta name=viewport content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)} · Relevance</title><style>{STYLE}</style></head>"
        f"<body><main><h1>{escape(title)}</h1>{body}</main></body></html>",
        status,
    )


def alert(text: str) -> str:
    """Make an alert in HTML; empty without a text."""
    return f"<div role=alert><p>{escape(text)}</p></div>" if text else ""


def sign_in_page(*, notice: str = "", name: str = "", provider: bool = False, status: int = 200) -> HTMLResponse:
    """Make the page that asks for name and password, or leads to the lab's provider."""
    body = (
        f"{alert(notice)}<form method=post action=/sign-in>"
        f'<label>Name<input name=name autocomplete=username required maxlength=200 value="{escape(name)}"></label>'
        "<label>Password<input name=password type=password autocomplete=current-password required></label>"
        "<button>Sign in</button></form>"
    )
    if provider:
        body += "<p><a class='button quiet' href=/oidc/start>Sign in with your institution</a></p>"
    return page("Sign in", body + "<p>Annotators come in by the link that they were sent.</p>", status)


def enter_page(wording: Wording) -> HTMLResponse:
    """Make the page with the button Go on: previews and scanners open links, too, but do not press it."""
    sentence = wording.say(
        "You were asked to compare summaries of documents. Your choices are stored for the study; this browser keeps "
        "a cookie, so that you can leave and come back."
    )
    return page(
        wording.say("Judge summaries"),
        f"<p>{escape(sentence)}</p><form method=post><button>{escape(wording.say('Go on'))}</button></form>",
        wording=wording,  # the form is sent to the address of the page
    )


def refusal_page(title: str, notice: str, status: int, wording: Wording = ENGLISH) -> HTMLResponse:
    """Make the page that refuses a request."""
    home = f"<p><a class='button quiet' href=/>{escape(wording.say('Home'))}</a></p>"
    return page(title, alert(notice) + home, status, wording)


def account_page(name: str, *, has_password: bool, notice: str = "", status: int = 200) -> HTMLResponse:
    """Make the page that shows who is signed in, and has the forms to change the password and to sign out."""
    body = f"{alert(notice)}<p>Signed in as <b>{escape(name)}</b>.</p>"
    if has_password:
        body += (
            "<form method=post action=/account>"
            "<label>Present password<input name=password type=password autocomplete=current-password required></label>"
            "<label>New password<input name=new type=password autocomplete=new-password required minlength=12></label>"
            "<button>Change the password</button></form>"
        )
    return page(
        "Your account",
        body + "<form method=post action=/sign-out><button class=quiet>Sign out</button>"
        "<button class=quiet name=everywhere value=yes>Sign out everywhere</button></form>"
        "<p><a class='button quiet' href=/>Back</a></p>",
        status,
    )
