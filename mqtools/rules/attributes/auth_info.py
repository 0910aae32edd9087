"""Attributes of authentication information objects of type IDPWOS: which connections prove a password, and how."""

from __future__ import annotations

from mqtools.constants import cmqc, cmqcfc, objects
from mqtools.rules.attributes.table import INTEGER, NAME, TEXT, WORD, Attribute

_A = ("AUTHINFO",)
_CHECKS = (
    ("NONE", cmqcfc.MQCHK_NONE),
    ("OPTIONAL", cmqcfc.MQCHK_OPTIONAL),
    ("REQUIRED", cmqcfc.MQCHK_REQUIRED),
    ("REQDADM", cmqcfc.MQCHK_REQUIRED_ADMIN),
)

#: One row an attribute; all are kept under their selectors.
ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("AUTHINFO", "authinfo", cmqc.MQCA_AUTH_INFO_NAME, NAME, _A, maximum=48, settable=False),
    Attribute("ALTDATE", "alteration_date", objects.MQCA_ALTERATION_DATE, TEXT, _A, maximum=12, settable=False),
    Attribute("ALTTIME", "alteration_time", objects.MQCA_ALTERATION_TIME, TEXT, _A, maximum=8, settable=False),
    Attribute("ADOPTCTX", "adopt_context", cmqc.MQIA_ADOPT_CONTEXT, WORD, _A,
              words=(("YES", cmqcfc.MQADPCTX_YES), ("NO", cmqcfc.MQADPCTX_NO)), default=cmqcfc.MQADPCTX_YES),
    Attribute("AUTHENMD", "authentication_method", cmqc.MQIA_AUTHENTICATION_METHOD, WORD, _A,
              words=(("OS", cmqcfc.MQAUTHENTICATE_OS), ("PAM", cmqcfc.MQAUTHENTICATE_PAM)), default=0),
    Attribute("AUTHTYPE", "auth_info_type", cmqc.MQIA_AUTH_INFO_TYPE, WORD, _A,
              words=(("IDPWOS", cmqc.MQAIT_IDPW_OS),)),
    Attribute("CHCKCLNT", "check_client_binding", cmqc.MQIA_CHECK_CLIENT_BINDING, WORD, _A, words=_CHECKS,
              default=cmqcfc.MQCHK_REQUIRED_ADMIN),
    Attribute("CHCKLOCL", "check_local_binding", cmqc.MQIA_CHECK_LOCAL_BINDING, WORD, _A, words=_CHECKS, default=0),
    Attribute("DESCR", "auth_info_desc", cmqc.MQCA_AUTH_INFO_DESC, TEXT, _A, maximum=64, default=""),
    # Seconds.
    Attribute("FAILDLAY", "failure_delay", cmqc.MQIA_AUTHENTICATION_FAIL_DELAY, INTEGER, _A, maximum=60, default=1),
)  # fmt: skip

#: Keywords, separated by blanks, that are stored and displayed without any effect: a local program opens the file.
WITHOUT_EFFECT = "AUTHENMD CHCKLOCL DESCR"
