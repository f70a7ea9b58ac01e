"""The cases of tests/vectors/http1/cases.json (which the C++ tests run too), with what the texts permit beside.

The file says what Lanner does. Here: which of its refusals a MUST demands with a status, and for the others the ways in
which a lenient server may serve the input nevertheless.
"""

import base64
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.conformance.case import (
    GET,
    REFUSED,
    SEEN_NEXT,
    WAITS,
    After,
    Answer,
    Level,
    Outcome,
    Seen,
    WireCase,
    must,
    served,
)

FILE = Path(__file__).resolve().parents[2] / "vectors/http1/cases.json"
GROUPS = {"valid": "accept", "cl": "length", "smuggle": "coding", "misc": "line", "ws": "upgrade"}

MUST_400 = must(400)
MUST_400_CLOSE = must(400, after=After.CLOSES)
MUST_400_501_CLOSE = must(400, 501, after=After.CLOSES)
BAD_LENGTH = {f"cl/{name}": MUST_400_CLOSE for name in ("plus", "minus", "minus-zero", "hex", "underscore")}
BAD_LENGTH |= {f"cl/{name}": MUST_400_CLOSE for name in ("space-inside", "empty", "alpha", "float", "list-same")}
BAD_LENGTH |= {f"cl/{name}": MUST_400_CLOSE for name in ("list-diff", "quoted", "unicode-digit", "vtab")}
BAD_LENGTH |= {f"cl/{name}": MUST_400_CLOSE for name in ("dup-different", "dup-same", "dup-empty-first")}
BAD_CODING = {
    f"smuggle/te-{name}": MUST_400_501_CLOSE
    for name in ("dup-identity", "not-final", "xchunked", "prefix", "quoted", "ff-suffix", "nbsp", "nul-suffix")
}
BAD_HOST = {f"host/{name}": MUST_400 for name in ("missing", "dup-different", "dup-same", "path", "userinfo", "space")}
BAD_HOST |= {"host/comma": MUST_400}
BAD_HOST |= {"host/port-junk": MUST_400, "host/bad-bracket": MUST_400}
# What a MUST demands; other refusals may take any form.
DEMANDED = BAD_LENGTH | BAD_CODING | BAD_HOST | {"field/tab-before-colon": MUST_400}

# Not a status, but the end of the connection (RFC 9112, 6.1).
MUST_CLOSE = dict.fromkeys(("smuggle/cl-te", "smuggle/te-cl-zero", "smuggle/te-http10"))
ASKED = ("valid/leading-crlf", "valid/query-odd-bytes", "valid/lowercase-method", "valid/get-with-body")  # no MUST

BODY = Seen(b"hello")
EMPTY_CLOSES = served(GET, after=After.CLOSES)
SERVED = served(GET, after=After.EITHER)
SERVED_BODY = served(BODY, after=After.EITHER)
REFUSED_WAITS = Outcome(error=REFUSED.error, after=After.WAITS)


def without(name: str) -> Outcome:
    """Served, and the field is not there: a trailer that was dropped."""
    return served(Seen(b"hello", fields={name: None}), after=After.EITHER)


# What the texts permit beside a refusal, and where.
LENIENT: dict[str, tuple[Outcome, ...]] = {
    "line/bare-lf": (SERVED,),  # RFC 9112, 2.2: MAY recognize a single LF
    "line/bare-lf-request-line-only": (SERVED,),
    "line/two-spaces": (SERVED,),  # RFC 9112, 3: MAY parse on whitespace-delimited word boundaries
    "line/trailing-space": (SERVED,),
    "line/tab-separator": (SERVED,),
    "line/leading-space": (SERVED,),
    "line/bare-cr-in-request-line": (SERVED,),  # RFC 9112, 2.2: or replaced with SP; and 3 for what follows
    "target/pct-nul": (SERVED,),  # RFC 3986, 2.1: it is a valid triplet
    "host/empty": (SERVED,),  # RFC 9112, 3.3: a default may apply
    "host/port-range": (SERVED,),  # RFC 3986, 3.2.3: port = *DIGIT
    "field/obs-fold-te": (served(Seen(b""), after=After.CLOSES),),  # RFC 9112, 5.2 and 6.1: by Transfer-Encoding
    "field/value-nul": (served(Seen(fields={"x": "a b"}), after=After.EITHER),),  # RFC 9110, 5.5: or replaced with SP
    "field/value-ctl": (SERVED,),  # RFC 9110, 5.5: MAY retain
    "field/dup-content-type": (served(Seen(b"{}"), after=After.EITHER),),
    "field/too-many": (SERVED,),  # limits are the server's own
    "field/value-too-long": (SERVED,),
    "cl/list-same": (SERVED_BODY,),  # RFC 9112, 6.3 (5)
    "cl/dup-same": (SERVED_BODY,),
    "cl/overflow-64": (WAITS,),  # it is a valid length
    "cl/overflow-digits": (WAITS,),
    "smuggle/cl-te": (EMPTY_CLOSES,),  # RFC 9112, 6.1: MAY process by Transfer-Encoding; MUST close
    "smuggle/te-cl-zero": (EMPTY_CLOSES,),
    "smuggle/te-http10": (served(Seen(None), after=After.CLOSES),),  # RFC 9112, 6.1: MUST close afterwards
    "smuggle/te-leading-comma": (EMPTY_CLOSES,),  # RFC 9110, 5.6.1.2: empty elements are ignored
    "smuggle/te-trailing-comma": (SERVED,),
    "smuggle/te-empty": (SERVED_BODY, served(BODY, after=After.CLOSES)),  # an empty list: no coding at all
    "chunk/size-overflow-64": (WAITS,),
    "chunk/size-many-zeros": (SERVED_BODY,),
    "chunk/end-lf": (SERVED_BODY,),
    "chunk/trailer-cl": (without("content-length"),),
    "chunk/trailer-te": (SERVED_BODY,),
    "chunk/trailer-host": (served(Seen(b"hello", fields={"host": "t.example"}), after=After.EITHER),),
    "chunk/trailer-bare-lf": (SERVED_BODY,),
    "chunk/one-byte-flood": (served(Seen(b"z" * 500), after=After.EITHER), served(Seen(None), after=After.EITHER)),
    "ws/bad-key": (SERVED, REFUSED_WAITS),  # RFC 9110, 7.8: an upgrade may be ignored
    "ws/bad-version": (SERVED, REFUSED_WAITS),
    "misc/only-spaces": (WAITS,),  # RFC 9112, 3: preceding whitespace may be ignored
    # The valid ones that a server may refuse, or serve in another way.
    "valid/lowercase-method": (REFUSED,),  # RFC 9110, 9.1: an unknown method
    "valid/cookie-multi": (served(Seen(fields={"cookie": "a=1, b=2"})),),  # RFC 9110, 5.3: joined as any list
    "valid/absolute-form-no-path": (served(Seen(path="")),),  # PEP 3333: PATH_INFO may be empty
    "valid/query-odd-bytes": (REFUSED,),  # no URI characters
    "valid/get-with-body": (REFUSED, served(Seen(None), SEEN_NEXT, after=After.CLOSES)),  # RFC 9110, 9.3.1
}
# What the application must have been given, beyond the body.
LOOKS: dict[str, tuple[Seen, ...]] = {
    "valid/get": (Seen(method="GET", path="/", query=""),),
    "valid/lowercase-method": (Seen(method="get"),),
    "valid/absolute-form": (Seen(path="/a", query="b"),),
    "valid/absolute-form-no-path": (Seen(path="/"),),
    "valid/options-star": (Seen(method="OPTIONS"),),
    "valid/host-ipv6-port": (Seen(fields={"host": "[2001:db8::1]:8443"}),),
    "valid/obs-text-value": (Seen(fields={"x-name": "caf\xe9 \xff\x80"}),),
    "valid/empty-value": (Seen(fields={"x-empty": "", "x-b": ""}),),
    "valid/query-odd-bytes": (Seen(query='x={|}^`\\"<>'),),
    "valid/cookie-multi": (Seen(fields={"cookie": "a=1; b=2"}),),
    "valid/pipeline-two": (GET, SEEN_NEXT),
}


def wanted(case: dict[str, Any]) -> Outcome:
    """What Lanner does, as the file says."""
    after = After.CLOSES if case["close"] else After.STAYS
    bodies = [base64.b64decode(body) for body in case.get("bodies", ())]
    looks = LOOKS.get(case["name"], (GET,) * case["requests"])
    if case["expect"] == "accept":
        return served(*(replace(look, body=body) for look, body in zip(looks, bodies, strict=True)), after=after)
    first = {"smuggle/garbage-after-body": b"hello", "smuggle/short-cl-leftover": b"hel"}.get(case["name"])
    answers = () if first is None else (Answer(seen=Seen(first)),)
    return Outcome(answers, frozenset(case["status"]), After.CLOSES)


def wire_case(case: dict[str, Any]) -> WireCase:
    name = case["name"]
    group, _, rest = name.partition("/")
    want = wanted(case)
    rule = DEMANDED.get(name, REFUSED)
    also = ((replace(rule, answers=want.answers),) if want.error else ()) + LENIENT.get(name, ())
    demanded = name in DEMANDED | MUST_CLOSE or (not want.error and name not in ASKED)
    return WireCase(
        f"{GROUPS.get(group, group)}/{rest}",
        re.sub(r"(RFC \d+|(?<=, )\d{4}|(?<=/ )\d{4}) (?=\d)", r"\1, ", case["spec"]),
        base64.b64decode(case["raw_b64"]),
        want,
        case["why"],
        also,
        Level.MUST if demanded else Level.SHOULD,
    )


CASES = [wire_case(case) for case in json.loads(FILE.read_text())]
