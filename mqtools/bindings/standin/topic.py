"""Classes ``Topic`` and ``Subscription``."""

from __future__ import annotations

from typing import Any

from mqtools.bindings import pymqe
from mqtools.bindings.standin.errors import PYIFError, check, ensure_bytes
from mqtools.bindings.standin.opened import Opened
from mqtools.bindings.standin.queue import Queue, prepend_headers
from mqtools.bindings.standin.queue_manager import QueueManager
from mqtools.bindings.standin.structures import OD, PMO, SD, complete_args
from mqtools.constants import cmqc


class Topic(Opened):
    """Topic, by the name of an object, by a string, by both, or by a descriptor."""

    _not_open, _no_descriptor = "Topic not open.", "The Topic Descriptor has not been set."

    def __init__(
        self,
        queue_manager: QueueManager,
        topic_name: Any = None,
        topic_string: Any = None,
        topic_desc: Any = None,
        open_opts: int | None = None,
    ) -> None:
        super().__init__(queue_manager)
        self.topic_name = ensure_bytes(topic_name)
        self.topic_string = ensure_bytes(topic_string)
        if topic_desc is not None or topic_name is not None or topic_string is not None:
            self._descriptor = self._describe(topic_desc)
        if open_opts is not None:
            self._open(open_opts)

    def _describe(self, given: Any) -> Any:
        if given is not None:
            if given["ObjectType"] != cmqc.MQOT_TOPIC or given["Version"] != cmqc.MQOD_VERSION_4:
                raise PYIFError("The Topic Descriptor must be of type MQOT_TOPIC and version MQOD_VERSION_4.")
            return given
        od = OD(ObjectType=cmqc.MQOT_TOPIC, Version=cmqc.MQOD_VERSION_4, ObjectName=self.topic_name or b"")
        if self.topic_string:
            od.set_vs("ObjectString", self.topic_string)
        return od

    def open(
        self, topic_name: Any = None, topic_string: Any = None, topic_desc: Any = None, open_opts: int | None = None
    ) -> None:
        """Open the topic. Raises PYIFError when it is open already."""
        if self._handle:
            raise PYIFError("The Topic is already open.")
        self.topic_name = ensure_bytes(topic_name) if topic_name is not None else self.topic_name
        self.topic_string = ensure_bytes(topic_string) if topic_string is not None else self.topic_string
        self._descriptor = self._describe(topic_desc)
        if open_opts is not None:
            self._open(open_opts)

    def pub(self, msg: bytes, *opts: Any) -> None:
        """Publish a message."""
        self.__pub(msg, *complete_args(PMO, *opts))

    def __pub(self, msg: Any, md: Any, pmo: Any) -> None:
        if not isinstance(msg, bytes):
            raise TypeError("A publication is bytes.")
        self._put(msg, md, pmo)

    def pub_rfh2(self, msg: bytes, *opts: Any) -> None:
        """Publish a message behind the headers of a list."""
        md, pmo = complete_args(PMO, *opts[:2])
        self.__pub(prepend_headers(msg, md, opts[2]) if len(opts) > 2 else msg, md, pmo)

    def sub(self, *opts: Any) -> Subscription:
        """Subscribe. Arguments: descriptor and queue, both optional."""
        desc, queue = (*opts, None, None)[:2]
        sub = Subscription(self._qmgr)
        sub.sub(sub_desc=desc, sub_queue=queue, topic_name=self.topic_name, topic_string=self.topic_string)
        return sub


class Subscription(Opened):
    """Subscription, and the queue of its publications."""

    _not_open = "Subscription not open."

    def __init__(
        self,
        queue_manager: QueueManager,
        sub_desc: Any = None,
        sub_name: Any = None,
        sub_queue: Any = None,
        sub_opts: int | None = None,
        topic_name: Any = None,
        topic_string: Any = None,
    ) -> None:
        super().__init__(queue_manager)
        self.sub_desc = sub_desc
        self.sub_queue = sub_queue
        self.sub_name = ensure_bytes(sub_name)
        self.sub_opts = sub_opts
        self.topic_name = ensure_bytes(topic_name)
        self.topic_string = ensure_bytes(topic_string)
        if sub_desc is not None:
            self.sub(sub_desc=sub_desc)

    def get_sub_queue(self) -> Any:
        """Return the queue of the publications."""
        return self.sub_queue

    def get(self, max_length: int | None = None, *opts: Any) -> Any:
        """Get a publication."""
        return self.sub_queue.get(max_length, *opts)

    def get_rfh2(self, max_length: int | None = None, *opts: Any) -> Any:
        """Get a publication: append its headers to the list, return the rest."""
        return self.sub_queue.get_rfh2(max_length, *opts)

    def sub(
        self,
        sub_desc: Any = None,
        sub_queue: Any = None,
        sub_name: Any = None,
        sub_opts: int | None = None,
        topic_name: Any = None,
        topic_string: Any = None,
    ) -> None:
        """Subscribe. Raises TypeError for an invalid descriptor."""
        for name, value in (("sub_queue", sub_queue), ("sub_opts", sub_opts)):
            if value is not None:
                setattr(self, name, value)
        for name, value in (("sub_name", sub_name), ("topic_name", topic_name), ("topic_string", topic_string)):
            if value is not None:
                setattr(self, name, ensure_bytes(value))
        if sub_desc is not None and not isinstance(sub_desc, SD):
            raise TypeError("sub_desc must be a SD(sub descriptor) object.")
        self.sub_desc = sub_desc or self._describe()
        queue = self.sub_queue
        handle = queue.get_handle() if isinstance(queue, Queue) else queue
        sd, ho, hsub, comp, reason = pymqe.MQSUB(
            self._qmgr.get_handle(), self.sub_desc.pack(), handle or cmqc.MQHO_NONE
        )
        check(comp, reason)
        self.sub_desc.unpack(sd)
        self._handle = hsub
        if not isinstance(queue, Queue):
            self.sub_queue = Queue(self._qmgr)
            self.sub_queue.set_handle(ho)

    def _describe(self) -> Any:
        options = cmqc.MQSO_CREATE | cmqc.MQSO_NON_DURABLE | cmqc.MQSO_MANAGED
        sd = SD(Options=options if self.sub_opts is None else self.sub_opts)
        if self.sub_name:
            sd.set_vs("SubName", self.sub_name)
        if self.topic_name:
            sd["ObjectName"] = self.topic_name
        if self.topic_string:
            sd.set_vs("ObjectString", self.topic_string)
        return sd

    def close(
        self,
        sub_close_options: int = cmqc.MQCO_NONE,
        close_sub_queue: bool = False,
        close_sub_queue_options: int = cmqc.MQCO_NONE,
    ) -> None:
        """Close the subscription, and on request its queue. Raises PYIFError when it is not open."""
        super().close(sub_close_options)
        if close_sub_queue:
            self.sub_queue.close(close_sub_queue_options)
