"""A job: what one process serves. A supervisor sends it to its workers through a pipe."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    App = Callable[..., object]


class Job:
    """What one process serves; plain data, so that it can be sent to a worker through a pipe.

    Example: `Job("shop:app", options={"threads": 4}).options["threads"]` is 4.
    """

    FIELDS = ("target", "factory", "app_dir", "interface", "loop", "lifespan", "listeners", "options", "argv")

    def __init__(
        self,
        target: "str | App",
        factory: bool = False,
        app_dir: str = ".",
        interface: str = "auto",
        loop: str = "auto",
        lifespan: str = "auto",
        listeners: "Sequence[int]" = (),
        options: dict[str, object] | None = None,
        argv: "Sequence[str]" = (),
    ) -> None:
        self.target = target
        self.factory = factory
        self.app_dir = app_dir
        self.interface = interface
        self.loop = loop
        self.lifespan = lifespan
        self.listeners = list(listeners)
        self.options = options or {}
        self.argv = list(argv)

    @property
    def label(self) -> str:
        """The target for messages."""
        if isinstance(self.target, str):
            return self.target
        named = self.target if hasattr(self.target, "__qualname__") else type(self.target)
        return f"{named.__module__}:{named.__qualname__}"
