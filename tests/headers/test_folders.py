"""Properties in folders: names, types, escapes, descriptors, and text that is no folder."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.constants import properties as p
from mqtools.constants.reasons import MQRC_PROPERTY_NAME_ERROR, MQRC_PROPERTY_TYPE_ERROR, MQRC_RFH_FORMAT_ERROR
from mqtools.errors import MQError
from mqtools.headers.folders import build_folders, parse_folders
from mqtools.headers.mqrfh2 import MQRFH2, pack_mqrfh2, unpack_mqrfh2
from mqtools.message import Property

from ..errors import fails

#: Type, value, and the element that stands for it.
ELEMENTS = [
    (p.MQTYPE_STRING, "red", "<p>red</p>"),
    (p.MQTYPE_STRING, "", "<p></p>"),
    (p.MQTYPE_STRING, " a<b>&\"c' ", "<p> a&lt;b&gt;&amp;&quot;c&apos; </p>"),
    (p.MQTYPE_BOOLEAN, True, "<p dt='boolean'>1</p>"),
    (p.MQTYPE_BOOLEAN, False, "<p dt='boolean'>0</p>"),
    (p.MQTYPE_INT8, -128, "<p dt='i1'>-128</p>"),
    (p.MQTYPE_INT16, 32767, "<p dt='i2'>32767</p>"),
    (p.MQTYPE_INT32, -7, "<p dt='i4'>-7</p>"),
    (p.MQTYPE_INT64, 2**63 - 1, "<p dt='i8'>9223372036854775807</p>"),
    (p.MQTYPE_FLOAT32, 1.5, "<p dt='r4'>1.5</p>"),
    (p.MQTYPE_FLOAT64, -1e300, "<p dt='r8'>-1e+300</p>"),
    (p.MQTYPE_BYTE_STRING, b"\x00\xab", "<p dt='bin.hex'>00AB</p>"),
    (p.MQTYPE_NULL, None, "<p xsi:nil='true'/>"),
]


@pytest.mark.parametrize(("kind", "value", "element"), ELEMENTS)
def test_each_type_has_its_element_both_ways(kind: int, value: Any, element: str) -> None:
    properties = {"p": Property(kind, value)}
    assert build_folders(properties) == [f"<usr>{element}</usr>"]
    assert parse_folders([f"<usr>{element}</usr>"]) == properties


@pytest.mark.parametrize(
    ("element", "kind", "value"),
    [
        ('<p dt="int"> 5 </p>', p.MQTYPE_INT64, 5),
        ("<p dt = 'string'>x</p>", p.MQTYPE_STRING, "x"),
        ("<p dt='boolean'>TRUE</p>", p.MQTYPE_BOOLEAN, True),
        ('<p xsi:nil="true"></p>', p.MQTYPE_NULL, None),
        ("<p>&#65;&#x42;</p>", p.MQTYPE_STRING, "AB"),
        ("<p/>", p.MQTYPE_STRING, ""),
        ("<p other='x' >y</p >", p.MQTYPE_STRING, "y"),
        ("<p dt='bin.hex'>0a0B</p>", p.MQTYPE_BYTE_STRING, b"\x0a\x0b"),
    ],
)
def test_what_other_writers_write_is_read_too(element: str, kind: int, value: Any) -> None:
    assert parse_folders([f"<usr>{element}</usr>"]) == {"p": Property(kind, value)}


def test_names_are_paths_and_a_name_without_a_dot_is_in_usr() -> None:
    properties = {
        "b": Property(p.MQTYPE_STRING, "1"),
        "mine.x": Property(p.MQTYPE_STRING, "2"),
        "mq_usr.g.h.x": Property(p.MQTYPE_STRING, "3"),
        "mq_usr.g.y": Property(p.MQTYPE_STRING, "4"),
        "jms.Dst": Property(p.MQTYPE_STRING, "queue:///Q"),
        "mcd.Msd": Property(p.MQTYPE_STRING, "jms_text"),
        "mqext.Arm": Property(p.MQTYPE_STRING, "5"),
    }
    folders = build_folders(properties)
    assert folders == [
        "<mcd><Msd>jms_text</Msd></mcd>",
        "<jms><Dst>queue:///Q</Dst></jms>",
        "<usr><b>1</b></usr>",
        "<mqext><Arm>5</Arm></mqext>",
        "<mine content='properties'><x>2</x></mine>",
        "<mq_usr><g><h><x>3</x></h><y>4</y></g></mq_usr>",
    ]
    assert parse_folders(folders) == properties


def test_usr_in_front_of_a_name_is_the_same_property() -> None:
    assert build_folders({"usr.a": Property(p.MQTYPE_STRING, "1")}) == ["<usr><a>1</a></usr>"]
    assert list(parse_folders(["<usr><a>1</a><g><b>2</b></g></usr>"])) == ["a", "usr.g.b"]


@pytest.mark.parametrize(
    "folder",
    ["<psc><Command>Publish</Command></psc>", "<mine><x>2</x></mine>", "<mine><!-- & --></mine>", "no folder", "", "<"],
)
def test_folders_without_properties_are_not_looked_into(folder: str) -> None:
    assert parse_folders([folder]) == {}


def test_of_a_name_that_comes_twice_the_first_counts() -> None:
    folders = ["<usr><a>1</a><a>2</a></usr>", "<usr><a>3</a></usr>"]
    assert parse_folders(folders) == {"a": Property(p.MQTYPE_STRING, "1")}


def test_blanks_and_lines_between_elements_do_not_count() -> None:
    assert list(parse_folders(["\n<usr>\n  <a>1</a>\n  <b>2</b>\n</usr>\n\0"])) == ["a", "b"]


@pytest.mark.parametrize(
    "folder",
    [
        "<usr><a>1</a>",
        "<usr><a>1</usr></a>",
        "<usr><a>1</b></usr>",
        "<usr>text</usr>",
        "<usr>text<a>1</a></usr>",
        "<usr><a>1</a>text</usr>",
        "<usr><a>1</a></usr>text",
        "<usr></usr><usr></usr>",
        "<usr></usr></usr>",
        "<usr><a dt='i4'>1</usr>",
        "<usr><a dt='i4'>x</a></usr>",
        "<usr><a dt='i4'></a></usr>",
        "<usr><a dt='i4'>1_0</a></usr>",
        "<usr><a dt='i1'>128</a></usr>",
        "<usr><a dt='boolean'>2</a></usr>",
        "<usr><a dt='bin.hex'>0</a></usr>",
        "<usr><a dt='r8'>one</a></usr>",
        "<usr><a dt='date'>1</a></usr>",
        "<usr><a dt=i4>1</a></usr>",
        "<usr><a copy='some'>1</a></usr>",
        "<usr><a context='some'>1</a></usr>",
        "<usr><a>&nbsp;</a></usr>",
        "<usr><a>A & B</a></usr>",
        "<usr><a>&#xD800;</a></usr>",
        "<usr><a>&#99999999;</a></usr>",
        "<usr><!-- x --></usr>",
        "<usr",
    ],
)
def test_malformed_property_folder_is_refused(folder: str) -> None:
    if folder == "<usr":
        folder = "<usr><"
    with fails(MQRC_RFH_FORMAT_ERROR):
        parse_folders([folder])


@pytest.mark.parametrize("name", ["", ".", "a.", ".a", "a..b", "a b", "a<b", "a/b", "a=b", "a&b", "a'b", "a\tb"])
def test_name_that_is_no_path_is_refused(name: str) -> None:
    with fails(MQRC_PROPERTY_NAME_ERROR):
        build_folders({name: Property(p.MQTYPE_STRING, "")})


@pytest.mark.parametrize("names", [("m.a", "m.a.b"), ("m.a.b", "m.a"), ("a", "usr.a")])
def test_name_that_is_there_already_or_a_group_is_refused(names: tuple[str, str]) -> None:
    with fails(MQRC_PROPERTY_NAME_ERROR):
        build_folders({name: Property(p.MQTYPE_STRING, "") for name in names})


def test_value_that_is_not_of_its_type_is_refused() -> None:
    with fails(MQRC_PROPERTY_TYPE_ERROR):
        build_folders({"a": Property(p.MQTYPE_INT32, "1")})


_PARTS = st.text("abcXYZ_09é-", min_size=1, max_size=6).filter(lambda part: part != "usr")
_NAMES = st.lists(_PARTS, min_size=1, max_size=4).map(".".join)
_VALUES = st.one_of(
    st.tuples(st.just(p.MQTYPE_STRING), st.text(st.characters(exclude_categories=["Cs"]))),
    st.tuples(st.just(p.MQTYPE_BOOLEAN), st.booleans()),
    st.tuples(st.just(p.MQTYPE_BYTE_STRING), st.binary()),
    st.tuples(st.just(p.MQTYPE_INT8), st.integers(-(2**7), 2**7 - 1)),
    st.tuples(st.just(p.MQTYPE_INT16), st.integers(-(2**15), 2**15 - 1)),
    st.tuples(st.just(p.MQTYPE_INT32), st.integers(-(2**31), 2**31 - 1)),
    st.tuples(st.just(p.MQTYPE_INT64), st.integers(-(2**63), 2**63 - 1)),
    st.tuples(st.sampled_from([p.MQTYPE_FLOAT32, p.MQTYPE_FLOAT64]), st.floats(allow_nan=False)),
    st.tuples(st.just(p.MQTYPE_NULL), st.none()),
)


@st.composite
def properties(draw: st.DrawFn) -> dict[str, Property]:
    names = draw(st.lists(_NAMES, unique=True, max_size=6))
    # A name must not be a group of another one.
    kept = [name for name in names if not any(other.startswith(name + ".") for other in names)]
    return {
        name: Property(
            *draw(_VALUES),
            draw(st.sampled_from([p.MQPD_SUPPORT_OPTIONAL, p.MQPD_SUPPORT_REQUIRED, p.MQPD_SUPPORT_REQUIRED_IF_LOCAL])),
            draw(st.sampled_from([0, p.MQPD_USER_CONTEXT])),
            draw(
                st.sampled_from(
                    [
                        p.MQCOPY_NONE,
                        p.MQCOPY_ALL,
                        p.MQCOPY_FORWARD | p.MQCOPY_REPLY,
                        p.MQCOPY_FORWARD | p.MQCOPY_PUBLISH | p.MQCOPY_REPORT,
                    ]
                )
            ),
        )
        for name in kept
    }


@settings(deadline=None)
@given(expected=properties(), ccsid=st.sampled_from([1208, 1200]), encoding=st.sampled_from([546, 273]))
def test_properties_survive_the_way_through_an_rfh2(expected: dict[str, Property], ccsid: int, encoding: int) -> None:
    record = MQRFH2(folders=build_folders(expected), name_value_ccsid=ccsid)
    read = unpack_mqrfh2(pack_mqrfh2(record, encoding, 500), encoding, 500)
    assert parse_folders(read.folders) == expected


_PIECES = st.sampled_from(
    ["<usr>", "</usr>", "<a>", "</a>", "<a dt='i4'>", "<a/>", "1", " ", "&amp;", "&", "<", ">", "'", "=", "xsi:nil"]
)


@settings(deadline=None)
@given(text=st.one_of(st.text(), st.lists(_PIECES, max_size=12).map("".join)))
def test_any_text_gives_properties_or_an_mqerror(text: str) -> None:
    for folder in (text, "<usr>" + text, "<usr>" + text + "</usr>"):
        assert _reason_of_parsing(folder) in (0, MQRC_RFH_FORMAT_ERROR)


def _reason_of_parsing(folder: str) -> int:
    try:
        parse_folders([folder])
    except MQError as error:
        return error.reason
    return 0


def test_deep_groups_and_long_attributes_are_no_burden() -> None:
    name = ".".join(["g"] * 5000)
    assert list(parse_folders(build_folders({name: Property(p.MQTYPE_STRING, "x")}))) == [name]
    with pytest.raises(MQError):
        parse_folders(["<usr><a" + " " * 100_000 + "b" * 100_000])
