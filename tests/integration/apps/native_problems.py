"""A native application that answers errors as RFC 9457 says."""

from dataclasses import dataclass

from lanner import App, BackgroundTasks, HTTPException, Response

app = App(problem_details=True)
done: list[str] = []


@dataclass
class Card:
    name: str


@app.get("/cards/{card_id}")
def card(card_id: int) -> str:
    if card_id == 1:
        raise HTTPException(404)
    if card_id == 2:
        raise HTTPException(409, "taken", headers={"X-Taken": "yes"})
    return str(1 // (card_id - 3))


@app.post("/cards", body_limit=100)
def add(card: Card) -> Card:
    return card


@app.post("/later")
def later(tasks: BackgroundTasks, response: Response) -> Response:
    tasks.add_task(done.append, "task")
    response.defer(done.append, "deferred")
    return Response(b"", background=lambda: done.append("own"))


@app.get("/done")
def what_is_done() -> list[str]:
    return done
