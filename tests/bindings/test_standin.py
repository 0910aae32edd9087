"""The stand-in for pymqi: what programs written for it count on, its oddities included."""

from __future__ import annotations

import gc
from importlib import import_module

import pytest

from mqtools.constants import reasons


@pytest.fixture
def queue(pymqi, qmgr):
    """A queue, open for everything."""
    options = pymqi.CMQC.MQOO_INPUT_AS_Q_DEF | pymqi.CMQC.MQOO_OUTPUT | pymqi.CMQC.MQOO_INQUIRE
    return pymqi.Queue(qmgr, "DEV.QUEUE.1", options)


# -- the module ---------------------------------------------------------------------------------------------


def test_constants_are_on_the_package_and_in_modules_of_their_own(pymqi):
    for name, number in (("CMQC", 2500), ("CMQCFC", 2200), ("CMQXC", 390), ("CMQZC", 110)):
        module = import_module(f"pymqi.{name}")
        assert module is getattr(pymqi, name)
        names = [one for one in vars(module) if one.startswith("MQ")]
        assert len(names) >= number
    assert pymqi.MQOO_OUTPUT == pymqi.CMQC.MQOO_OUTPUT == 16
    assert pymqi.CMQC.MQFMT_STRING == b"MQSTR   "
    assert bytes(24) == pymqi.CMQC.MQMI_NONE


def test_names_of_the_project_and_of_the_constants_modules_agree(pymqi):
    ours = {name: value for name, value in vars(reasons).items() if name.startswith("MQRC_")}
    theirs = {name: getattr(pymqi.CMQC, name, None) for name in ours}
    assert {name for name in ours if theirs[name] not in (None, ours[name])} == set()
    assert sum(value is None for value in theirs.values()) < 10


def test_old_names_are_the_same_objects(pymqi):
    assert pymqi.md is pymqi.MD
    assert pymqi.makeQDesc is pymqi.make_q_desc
    assert pymqi.QueueManager.connectTCPClient is pymqi.QueueManager.connect_tcp_client
    assert pymqi.PCFExecute.stringifyKeys.__func__ is pymqi.PCFExecute.stringify_keys.__func__
    assert pymqi.pymqe.MQCONN
    assert pymqi.__mqbuild__ == "client"


def test_errors_have_words(pymqi):
    error = pymqi.MQMIError(2, 2033)
    assert str(error) == "MQI Error. Comp: 2, Reason 2033: FAILED: MQRC_NO_MSG_AVAILABLE"
    assert pymqi.MQMIError(1, 4001).errorAsString() == "WARNING: MQRCCF_OBJECT_ALREADY_EXISTS"
    assert pymqi.MQMIError(2, 99999).errorAsString() == "FAILED: Error code 99999 not defined"
    assert pymqi.MQMIError(0, 0).errorAsString() == "OK"
    assert str(pymqi.PYIFError("not open")) == "PYMQI Error: not open"
    assert issubclass(pymqi.MQMIError, pymqi.Error)


def test_headers_travel_with_a_message(pymqi, queue):
    first, second = pymqi.RFH2(), pymqi.RFH2()
    first.CodedCharSetId = second.CodedCharSetId = 1208
    first.Format, first.Encoding = pymqi.CMQC.MQFMT_RF_HEADER_2, 273
    first.add_folder(b"<one/>")
    second.add_folder(b"<two>2</two>")
    md = pymqi.MD(Format=pymqi.CMQC.MQFMT_RF_HEADER_2, Encoding=546)
    queue.put_rfh2(b"body", md, pymqi.PMO(), [first, second])
    found = []
    assert queue.get_rfh2(None, pymqi.MD(), pymqi.GMO(), found) == b"body"
    assert [header.get() for header in found] == [first.get(), second.get()]
    with pytest.raises(TypeError):
        queue.put_rfh2("text", md, pymqi.PMO(), [])


# -- connecting ---------------------------------------------------------------------------------------------


def test_connect_needs_something_to_connect_to(pymqi, fails):
    with pytest.raises(TypeError, match="Invalid arguments: "):
        pymqi.connect(None)
    with pytest.raises(TypeError, match="Invalid arguments: "):
        pymqi.connect(None, conn_info="h(1414)")
    fails(2058, pymqi.connect, "NOWHERE")
    fails(2058, pymqi.connect, "NOWHERE", "CHANNEL", "host(1414)")


def test_channel_and_host_are_taken_and_the_name_counts(pymqi):
    qmgr = pymqi.connect("QM1", "DEV.APP.SVRCONN", "h1(1414),h2(1414)", "app", "secret")
    assert qmgr.inquire(pymqi.CMQC.MQCA_Q_MGR_NAME) == b"QM1".ljust(48)
    assert qmgr.is_connected
    qmgr.disconnect()
    assert not qmgr.is_connected
    with pytest.raises(pymqi.PYIFError, match="not connected"):
        qmgr.disconnect()


def test_user_and_password_go_together(pymqi):
    qmgr = pymqi.QueueManager(None)
    with pytest.raises(ValueError):
        qmgr.connect_with_options("QM1", user="u")
    with pytest.raises(TypeError):
        qmgr.connect_with_options("QM1", 1, 2, 3)
    cd = pymqi.CD(SSLCipherSpec=b"ANY")
    qmgr.connect_with_options("QM1", cd, pymqi.SCO(), opts=pymqi.CMQC.MQCNO_HANDLE_SHARE_BLOCK, user="u", password=b"p")
    assert cd.Version == 7
    qmgr.disconnect()


@pytest.mark.slow
def test_a_connection_that_nobody_holds_is_disconnected_and_committed(pymqi, queue):
    other = pymqi.connect("QM1")
    other.put1("DEV.QUEUE.1", b"x", pymqi.MD(), pymqi.PMO(Options=pymqi.CMQC.MQPMO_SYNCPOINT))
    del other
    gc.collect()
    assert queue.get() == b"x"


# -- queues -------------------------------------------------------------------------------------------------


def test_text_is_encoded_and_bytes_are_not_touched(pymqi, queue):
    md = pymqi.MD()
    queue.put("hällo", md)
    assert (md.Format, md.CodedCharSetId) == (b"MQSTR   ", 1208)
    assert queue.get() == "hällo".encode()
    md = pymqi.MD(Format=b"MINE")
    queue.put(b"\xff", md)
    assert md.Format == b"MINE    "
    with pytest.raises(TypeError, match=r"Convert to bytes\."):
        queue.put(5)


def test_the_first_use_opens_and_stays(pymqi, qmgr, fails):
    putter, getter = pymqi.Queue(qmgr, "DEV.QUEUE.1"), pymqi.Queue(qmgr, "DEV.QUEUE.1")
    putter.put(b"1")
    fails(2037, putter.get)
    assert getter.get() == b"1"
    fails(2039, getter.put, b"2")
    with pytest.raises(pymqi.PYIFError, match="The Queue is already open"):
        putter.open("DEV.QUEUE.2")
    putter.close()
    with pytest.raises(pymqi.PYIFError, match="not open"):
        putter.close()
    with pytest.raises(pymqi.PYIFError, match=r"The Queue Descriptor has not been set\."):
        putter.put(b"3")


def test_a_get_without_a_length_takes_any_message(pymqi, queue):
    queue.put(b"x" * 100_000)
    assert len(queue.get()) == 100_000


def test_truncation_raises_with_what_came(pymqi, queue, fails):
    queue.put(b"0123456789")
    error = fails(2080, queue.get, 4, comp=1)
    assert (error.message, error.original_length) == (b"0123", 10)
    accept = pymqi.GMO(Options=pymqi.CMQC.MQGMO_ACCEPT_TRUNCATED_MSG)
    md = pymqi.MD()
    error = fails(2079, queue.get, None, md, accept, comp=1)
    assert (error.message, error.original_length) == (b"", 10)
    assert md.MsgId != bytes(24)
    fails(2033, queue.get)


def test_a_used_descriptor_matches_only_its_message_again(pymqi, queue, fails):
    queue.put(b"1")
    queue.put(b"2")
    md = pymqi.MD()
    assert queue.get(None, md) == b"1"
    fails(2033, queue.get, None, md)
    md.MsgId, md.CorrelId = pymqi.CMQC.MQMI_NONE, pymqi.CMQC.MQCI_NONE
    assert queue.get(None, md) == b"2"


def test_request_and_reply(pymqi, qmgr, queue):
    od = pymqi.OD(ObjectName=b"SYSTEM.DEFAULT.MODEL.QUEUE", DynamicQName=b"REPLY.*")
    replies = pymqi.Queue(qmgr, od, pymqi.CMQC.MQOO_INPUT_EXCLUSIVE)
    request = pymqi.MD(MsgType=pymqi.CMQC.MQMT_REQUEST, ReplyToQ=od.ObjectName.strip())
    queue.put(b"?", request)
    asked = pymqi.MD()
    queue.get(None, asked)
    answer = pymqi.MD(CorrelId=asked.MsgId)
    qmgr.put1(asked.ReplyToQ, b"!", answer)
    gmo = pymqi.GMO(Options=pymqi.CMQC.MQGMO_WAIT, WaitInterval=5000)
    assert replies.get(None, pymqi.MD(CorrelId=request.MsgId), gmo) == b"!"


def test_properties_travel_in_handles(pymqi, qmgr, queue, fails):
    sent = pymqi.MessageHandle(qmgr)
    sent.properties.set(b"colour", "red")
    sent.properties.set(b"count", 7, pymqi.CMQC.MQTYPE_INT32)
    sent.properties[b"size"] = "large"
    pmo = pymqi.PMO(Version=pymqi.CMQC.MQPMO_VERSION_3, OriginalMsgHandle=sent.msg_handle)
    queue.put(b"x", pymqi.MD(), pmo)
    got = pymqi.MessageHandle(qmgr)
    gmo = pymqi.GMO(Version=pymqi.CMQC.MQGMO_VERSION_4, Options=pymqi.CMQC.MQGMO_PROPERTIES_IN_HANDLE)
    gmo.MsgHandle = got.msg_handle
    assert queue.get(None, pymqi.MD(), gmo) == b"x"
    assert (got.properties[b"colour"], got.properties.get(b"count"), got.properties[b"size"]) == ("red", 7, "large")
    error = fails(2471, got.properties.get, b"missing", "default")
    assert error.value == "default"
    assert fails(2469, got.properties.get, b"size", None, 2).dataLength == 5
    assert got.properties.get(b"size", max_value_length=0) == "large"


def test_a_property_name_that_is_text_is_refused_as_pymqi_does(pymqi, qmgr):
    properties = pymqi.MessageHandle(qmgr).properties
    for call in (properties.get, lambda name: properties.set(name, "red")):
        with pytest.raises(TypeError, match="must be bytes"):
            call("colour")


# -- commands -----------------------------------------------------------------------------------------------


def test_a_parameter_of_a_command_that_is_none_is_not_sent(pymqi, pcf):
    c = pymqi.CMQC
    assert len(pcf.MQCMD_INQUIRE_Q({c.MQCA_Q_NAME: b"DEV.QUEUE.1", c.MQIA_Q_TYPE: None})) == 1


def test_mqai_execute_answers_with_dictionaries_and_the_reason(pymqi, qmgr):
    c, f, h = pymqi.CMQC, pymqi.CMQCFC, qmgr.get_handle()
    asked = {c.MQCA_Q_NAME: b"DEV.QUEUE.2*", f.MQIACF_Q_ATTRS: c.MQIA_MAX_Q_DEPTH}
    only = [pymqi.Filter(c.MQIA_MAX_Q_DEPTH).greater(0)]
    found = {c.MQCA_Q_NAME: b"DEV.QUEUE.2".ljust(48), c.MQIA_Q_TYPE: c.MQQT_LOCAL, c.MQIA_MAX_Q_DEPTH: 5000}
    assert pymqi.pymqe.mqaiExecute(h, f.MQCMD_INQUIRE_Q, asked, only) == ([found], 0, 0)
    assert pymqi.pymqe.mqaiExecute(h, f.MQCMD_PING_Q_MGR) == ([], 0, 0)
    assert pymqi.pymqe.mqaiExecute(h, f.MQCMD_INQUIRE_Q, {c.MQCA_Q_NAME: b"NO.SUCH"}, []) == ([], 2, 2085)


def test_commands_are_methods_and_answers_are_dictionaries(pymqi, qmgr, queue, fails):
    c, f = pymqi.CMQC, pymqi.CMQCFC
    pcf = pymqi.PCFExecute(qmgr, response_wait_interval=60_000)
    assert pcf.MQCMD_PING_Q_MGR() == pcf.CMQCFC.MQCMD_PING_Q_MGR() == [{}]
    assert pcf.MQCMD_CREATE_Q({c.MQCA_Q_NAME: "NEW.Q", c.MQIA_Q_TYPE: c.MQQT_LOCAL, c.MQIA_MAX_Q_DEPTH: 9}) == [{}]
    asked = {c.MQCA_Q_NAME: b"NEW.*", f.MQIACF_Q_ATTRS: c.MQIA_MAX_Q_DEPTH}
    expected = {c.MQCA_Q_NAME: b"NEW.Q".ljust(48), c.MQIA_Q_TYPE: c.MQQT_LOCAL, c.MQIA_MAX_Q_DEPTH: 9}
    assert pcf.MQCMD_INQUIRE_Q(asked) == [expected]
    fails(f.MQRCCF_OBJECT_ALREADY_EXISTS, pcf.MQCMD_CREATE_Q, {c.MQCA_Q_NAME: "NEW.Q", c.MQIA_Q_TYPE: c.MQQT_LOCAL})
    fails(c.MQRC_UNKNOWN_OBJECT_NAME, pcf.MQCMD_INQUIRE_Q, {c.MQCA_Q_NAME: "NO.SUCH"})
    with pytest.raises(KeyError):
        pcf.MQCMD_NO_SUCH_COMMAND()
    pcf.disconnect()
    assert (pcf.reply_queue, pcf.reply_queue_name) == (None, None)
    assert qmgr.is_connected


def test_filters_choose(pymqi, qmgr, queue):
    c = pymqi.CMQC
    queue.put(b"x")
    pcf = pymqi.PCFExecute(qmgr, response_wait_interval=60_000)
    deep = pcf.MQCMD_INQUIRE_Q({c.MQCA_Q_NAME: b"DEV.*"}, [pymqi.Filter(c.MQIA_CURRENT_Q_DEPTH).greater(0)])
    assert [found[c.MQCA_Q_NAME].strip() for found in deep] == [b"DEV.QUEUE.1"]
    with pytest.raises(TypeError):
        pymqi.Filter(c.MQCA_Q_DESC).like("text")
    with pytest.raises(pymqi.Error):
        pymqi.Filter(70000).equal(1)


def test_structures_may_be_given_and_keys_named(pymqi, qmgr):
    c = pymqi.CMQC
    pcf = pymqi.PCFExecute(qmgr, response_wait_interval=60_000)
    (found,) = pcf.MQCMD_INQUIRE_Q([pymqi.CFST(Parameter=c.MQCA_Q_NAME, String=b"DEV.QUEUE.1")])
    named = pymqi.PCFExecute.stringify_keys(found)
    assert named["MQCA_Q_NAME"].strip() == b"DEV.QUEUE.1"
    assert named["MQIA_MAX_Q_DEPTH"] == 5000
    assert pymqi.PCFExecute.stringify_keys({1149: 2}) == {1149: 2}
    with pytest.raises(TypeError):
        pymqi.PCFExecute.stringify_keys({c.MQCA_Q_NAME: "text"})
