"""The engine as a selector, as asyncio and the selectors module expect one."""

import contextlib
import selectors
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NoReturn

from lanner import _core

if TYPE_CHECKING:
    from lanner.loop.engine_loop import EngineLoop


class EngineSelector(selectors.BaseSelector):
    """The engine as a selector. Example: `EngineSelector(_core.Poller()).select(0)` is `[]`."""

    __module__ = "lanner.loop"  # where its users find it

    def __init__(self, poller: _core.Poller) -> None:
        self.poller = poller
        self._keys: dict[int, selectors.SelectorKey] = {}

    def register(self, fileobj: object, events: int, data: object = None) -> selectors.SelectorKey:
        fd = descriptor_of(fileobj)
        if fd in self._keys:
            raise KeyError(f"{fileobj!r} (FD {fd}) is already registered")
        self.poller.register(fd, events)
        key = selectors.SelectorKey(fileobj, fd, events, data)  # type: ignore[arg-type]
        self._keys[fd] = key
        return key

    def unregister(self, fileobj: object) -> selectors.SelectorKey:
        fd = self._known(fileobj)
        key = self._keys.pop(fd)
        with contextlib.suppress(OSError):  # closed already
            self.poller.unregister(fd)
        return key

    def modify(self, fileobj: object, events: int, data: object = None) -> selectors.SelectorKey:
        fd = self._known(fileobj)
        key = self._keys[fd]
        if events != key.events:
            self.poller.modify(fd, events)
        key = self._keys[fd] = key._replace(events=events, data=data)
        return key

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = self.poller.select(timeout)
        if not ready:
            return []
        keys = self._keys
        return [(keys[fd], events) for fd, events in ready if fd in keys]

    def get_key(self, fileobj: object) -> selectors.SelectorKey:
        return self._keys[self._known(fileobj)]

    def get_map(self) -> Mapping[object, selectors.SelectorKey]:  # type: ignore[override]
        return KeyMap(self._keys)

    def close(self) -> None:
        for fd in list(self._keys):
            self.unregister(fd)

    def _known(self, fileobj: object) -> int:
        fd = descriptor_of(fileobj, self._keys)
        if fd not in self._keys:
            raise KeyError(f"{fileobj!r} is not registered")
        return fd


class KeyMap(Mapping[object, selectors.SelectorKey]):
    """The registered keys, found by descriptor or file object, as in the selectors module.

    Example: `loop._selector.get_map().get(sock)` is the key of a socket that add_reader() got, or None.
    """

    def __init__(self, keys: dict[int, selectors.SelectorKey]) -> None:
        self._keys = keys

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[object]:
        return iter(self._keys)

    def __getitem__(self, fileobj: object) -> selectors.SelectorKey:
        try:
            return self._keys[descriptor_of(fileobj, self._keys)]
        except ValueError:
            raise KeyError(fileobj) from None


def descriptor_of(fileobj: object, keys: Mapping[int, selectors.SelectorKey] | None = None) -> int:
    """A descriptor, or that of a file object; one that was closed is found among the keys."""
    fd = fileobj if isinstance(fileobj, int) else -1
    if fd < 0:
        try:
            fd = int(fileobj.fileno())  # type: ignore[attr-defined]
        except (AttributeError, TypeError, ValueError):
            raise ValueError(f"Invalid file object: {fileobj!r}") from None
    if fd < 0:
        for key in (keys or {}).values():
            if key.fileobj is fileobj:
                return key.fd
        raise ValueError(f"Invalid file descriptor: {fd}")
    return fd


class WatchedDescriptors(EngineSelector):
    """The watched descriptors of EngineLoop as a selector; the loop itself uses the engine.

    Example: `loop._selector.get_map()` holds the readers and writers of add_reader() and add_writer().
    """

    def __init__(self, loop: "EngineLoop") -> None:
        super().__init__(loop.poller)
        self._loop = loop

    def _refuse(self, *args: object) -> NoReturn:
        raise RuntimeError("this selector only tells what is watched: use add_reader() and add_writer() of the loop")

    register = unregister = modify = select = _refuse  # type: ignore[assignment]

    def get_key(self, fileobj: object) -> selectors.SelectorKey:
        return self.get_map()[fileobj]

    def get_map(self) -> Mapping[object, selectors.SelectorKey]:  # type: ignore[override]
        keys = {}
        for fd, (file, reader, writer) in self._loop._watches().items():
            events = ((reader and selectors.EVENT_READ) or 0) | ((writer and selectors.EVENT_WRITE) or 0)
            keys[fd] = selectors.SelectorKey(file, fd, events, (reader, writer))  # type: ignore[arg-type]
        return KeyMap(keys)

    def close(self) -> None:
        """Nothing of its own is open."""
