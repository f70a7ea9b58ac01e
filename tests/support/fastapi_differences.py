"""Where lanner.FastAPI answers otherwise than FastAPI, and why. docs/from-fastapi.md has each row in its table."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Difference:
    """parts: of the answer, that are not the same: "status", "body", or the names of fields. Everything else is."""

    parts: frozenset[str]
    what: str
    there: str
    here: str
    why: str

    @property
    def row(self) -> str:
        """As docs/from-fastapi.md has it."""
        return f"| {self.what} | {self.there} | {self.here} | {self.why} |"


def difference(parts: str, what: str, there: str, here: str, why: str) -> Difference:
    return Difference(frozenset(parts.split()), what, there, here, why)


DIFFERENCES = {
    "head": difference(
        "status allow",
        "HEAD on a GET route",
        "405",
        "as GET, without the body",
        "RFC 9110, section 9.3.2",
    ),
    "options": difference(
        "status body allow content-type",
        "OPTIONS on a path without a handler for it",
        "405",
        "204 with Allow",
        "RFC 9110, section 9.3.7",
    ),
    "allow": difference(
        "allow",
        "Allow of a 405",
        "the methods of the first route",
        "all methods of the path",
        "RFC 9110, section 10.2.1",
    ),
    "slash": difference(
        "location",
        "redirect between `/x` and `/x/`",
        "absolute address",
        "relative address",
        "right behind any proxy",
    ),
    "slash-method": difference(
        "status body location content-type",
        "such a redirect with a method that the other path does not take",
        "307, then 405",
        "404",
        "there is nothing to go to",
    ),
    "slashes": difference(
        "status body location content-type",
        "several slashes at the end",
        "all are taken away",
        "404",
        "`/x//` is another path",
    ),
    "escaped-slash": difference(
        "status body",
        "`%2F` in a path",
        "a slash",
        "a part of its segment",
        "RFC 3986, section 2.2",
    ),
    "url": difference(
        "body",
        "`str(request.url)`, `request.url_for()`",
        "decoded",
        "percent-encoded",
        "what is decoded is no URL",
    ),
    "type": difference(
        "status body",
        "a JSON body with another Content-Type",
        "422, the body is text",
        "415",
        "says what is wrong",
    ),
    "no-type": difference(
        "status body",
        "a JSON body without Content-Type",
        "422, the body is text",
        "read as JSON",
        "there is nothing else that it could be",
    ),
    "numbers": difference(
        "status body content-type",
        "NaN, Infinity, `1e400`",
        "read, then `null` or a 500",
        "422",
        "JSON has no such numbers (RFC 8259, section 6)",
    ),
    "surrogate": difference(
        "status body content-type",
        '`"\\ud800"` in JSON',
        "read, then a 500",
        "422",
        "half a character is no text",
    ),
    "several": difference(
        "body",
        "several bodies, and the JSON is no object",
        "each of them is missing",
        "one error: no object",
        "says what is wrong",
    ),
    "reason": difference(
        "body",
        "`ctx` of an error that a validator of your own raised",
        '`{"error": {}}`',
        "the text of the exception",
        "the exception object is lost in JSON",
    ),
    "decimal": difference(
        "body",
        "a Decimal in an answer without a type",
        "a number",
        "text, as with a type",
        "keeps every digit",
    ),
    "timedelta": difference(
        "body",
        "a timedelta in an answer without a type",
        "seconds",
        "ISO 8601, as with a type",
        "one form for one type",
    ),
    "injected": difference(
        "x-a",
        "fields and cookies on the injected Response when a handler returns a Response of its own",
        "lost",
        "added",
        "they were meant",
    ),
    "no-content": difference(
        "content-type",
        "Content-Type of 204, 205 and 304",
        "application/json",
        "none",
        "there is no content",
    ),
    "one-class": difference(
        "body allow content-type",
        "exception handler for HTTPException",
        "does not see the router's 404 and 405, which are Starlette's",
        "sees all",
        "there is one HTTPException",
    ),
}
