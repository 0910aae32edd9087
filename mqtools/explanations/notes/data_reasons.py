"""Notes on the reason codes of conversion, units of work, headers, properties, attributes and subscriptions."""

from __future__ import annotations

from mqtools.explanations.notes.note import Note, failed, warning, warning_or_failed

DATA_REASON_NOTES: dict[str, Note] = {
    # Conversion on get
    "MQRC_FORMAT_ERROR": warning(
        "The message's format is unknown here or does not fit its data, so it was returned unconverted.",
        "Get it without conversion, or correct Format where the message is put (mqx put --format).",
    ),
    "MQRC_SOURCE_CCSID_ERROR": warning(
        "The message was returned unconverted: its character set is unknown, or IBM MQ has it and mqx lacks it.",
        "mqx browse -o json shows coded_char_set_id; mqx explain ccsid-N says which it is. A message in a set that is "
        "missing here stays as it is: convert it where it is read. Correct a wrong number with mqx edit, or put with "
        "--ccsid.",
    ),
    "MQRC_SOURCE_INTEGER_ENC_ERROR": warning(
        "The message claims an unknown encoding of integers, so it was returned unconverted.",
        "Correct its encoding with mqx edit, or put with --encoding.",
    ),
    "MQRC_SOURCE_DECIMAL_ENC_ERROR": warning(
        "The message claims an unknown encoding of packed decimals, so it was returned unconverted.",
        "Correct its encoding with mqx edit, or put with --encoding.",
    ),
    "MQRC_SOURCE_FLOAT_ENC_ERROR": warning(
        "The message claims an unknown encoding of floating-point numbers, so it was returned unconverted.",
        "Correct its encoding with mqx edit, or put with --encoding.",
    ),
    "MQRC_TARGET_CCSID_ERROR": warning(
        "The message was returned unconverted: the character set asked for is unknown, or mqx lacks it.",
        "Ask for another: --convert 1208 gives UTF-8.",
    ),
    "MQRC_TARGET_INTEGER_ENC_ERROR": warning(
        "The encoding of integers asked for is unknown, so the message was returned unconverted.",
        "Ask for the native encoding, 546 on most machines.",
    ),
    "MQRC_TARGET_DECIMAL_ENC_ERROR": warning(
        "The encoding of packed decimals asked for is unknown, so the message was returned unconverted.",
        "Ask for the native encoding, 546 on most machines.",
    ),
    "MQRC_TARGET_FLOAT_ENC_ERROR": warning(
        "The encoding of floating-point numbers asked for is unknown, so the message was returned unconverted.",
        "Ask for the native encoding, 546 on most machines.",
    ),
    "MQRC_NOT_CONVERTED": warning(
        "Conversion was needed and did not succeed; the data was returned as it was put.",
        "Check format, character set and the bytes themselves with mqx browse -o hex.",
    ),
    "MQRC_CONVERTED_MSG_TOO_BIG": warning(
        "Converted, the message would be longer than the buffer; it was returned unconverted.",
        "Use a larger buffer.",
    ),
    "MQRC_CONVERTED_STRING_TOO_BIG": warning(
        "A text of fixed length grew past its field when it was converted.",
        "Ask for a single-byte character set, or get it without conversion.",
    ),
    "MQRC_PARTIALLY_CONVERTED": warning(
        "Some headers or parts of the message were converted and others were not.",
        "Look at the character set and encoding of each header with mqx browse -o json.",
    ),
    # Units of work
    "MQRC_SYNCPOINT_NOT_AVAILABLE": failed(
        "A unit of work was requested where there can be none.",
        "Leave the syncpoint option out.",
    ),
    "MQRC_NO_EXTERNAL_PARTICIPANTS": warning("A unit of work began in which only this queue manager takes part."),
    "MQRC_PARTICIPANT_NOT_AVAILABLE": warning(
        "A unit of work began, but a resource manager that should take part is missing.",
        "Check that database before committing.",
    ),
    "MQRC_OUTCOME_MIXED": warning(
        "Of the participants in a unit of work some committed and some backed out.",
        "Put it right by hand: compare what each participant holds.",
    ),
    "MQRC_OUTCOME_PENDING": warning(
        "The outcome of the unit of work is not known yet for a participant.",
        "Wait; do not repeat the unit of work.",
    ),
    "MQRC_UOW_IN_PROGRESS": failed(
        "A unit of work is open on this connection already.",
        "Commit or back it out first.",
    ),
    # Headers
    "MQRC_DH_ERROR": failed(
        "The distribution header in the message is not valid.",
        "Look at the bytes with mqx browse -o hex; correct the program that builds it.",
    ),
    "MQRC_DLH_ERROR": failed(
        "The dead-letter header is not valid: wrong identifier, version or length.",
        "Look at it with mqx browse -o hex. mqx dlq-handle leaves such messages where they are.",
    ),
    "MQRC_HEADER_ERROR": failed(
        "An MQ header in the data is cut short or contradicts itself.",
        "mqx browse -o listing shows the readable headers; correct Format or the data with mqx edit.",
    ),
    "MQRC_IIH_ERROR": failed(
        "The IMS header in the message is not valid.",
        "Correct the program that builds it.",
    ),
    "MQRC_RMH_ERROR": failed(
        "The header of a reference message is not valid.",
        "Make it with mqx put --reference, which builds the header.",
    ),
    "MQRC_MDE_ERROR": failed(
        "The message descriptor extension at the front of the data is not valid.",
        "Use a descriptor of version 2 instead, which needs no extension.",
    ),
    "MQRC_XQH_ERROR": failed(
        "A message on a transmission queue lacks a valid transmission header.",
        "Put to the remote queue, not directly on its transmission queue.",
    ),
    "MQRC_RFH_ERROR": failed(
        "The MQRFH or MQRFH2 header is not valid: identifier, version, length or character set.",
        "Look at it with mqx browse -o hex; correct the program that builds it.",
    ),
    "MQRC_RFH_FORMAT_ERROR": failed(
        "A folder in the MQRFH2 is not well formed.",
        "Look at the folder with mqx browse -o raw; correct the program that builds it.",
    ),
    "MQRC_RFH_RESTRICTED_FORMAT_ERR": failed(
        "A folder of the MQRFH2 that MQ keeps for itself has content it may not have.",
        "Put own properties into the usr folder.",
    ),
    "MQRC_RFH_HEADER_FIELD_ERROR": failed(
        "A field of an MQRFH2 cannot be used where properties are read from it.",
        "Correct the program that builds it.",
    ),
    # Message handles and properties
    "MQRC_PROPERTY_NAME_ERROR": failed(
        "The property name breaks the naming rules, for example a reserved word or an illegal character.",
        "Use letters, digits, underscores and dots, not beginning with a digit or with MQ.",
    ),
    "MQRC_HMSG_ERROR": failed(
        "The message handle is not valid or was deleted.",
        "Create it before use, and once.",
    ),
    "MQRC_CMHO_ERROR": failed(
        "The options for creating a message handle are not valid.",
        "Correct the program's MQCMHO.",
    ),
    "MQRC_DMHO_ERROR": failed(
        "The options for deleting a message handle are not valid.",
        "Correct the program's MQDMHO.",
    ),
    "MQRC_SMPO_ERROR": failed(
        "The options for setting a property are not valid.",
        "Correct the program's MQSMPO.",
    ),
    "MQRC_IMPO_ERROR": failed(
        "The options for inquiring a property are not valid.",
        "Correct the program's MQIMPO.",
    ),
    "MQRC_PROPERTY_NAME_TOO_BIG": failed(
        "The name of the property found does not fit the buffer given for it.",
        "Give a buffer of the length that was returned.",
    ),
    "MQRC_PROP_VALUE_NOT_CONVERTED": failed(
        "The value of the property could not be converted and was returned as it is stored.",
        "Ask for it without conversion, or for another character set.",
    ),
    "MQRC_PROP_TYPE_NOT_SUPPORTED": warning(
        "The property has a type that is unknown here; its value was returned as text.",
        "Read the type's name from TypeString.",
    ),
    "MQRC_PROPERTY_VALUE_TOO_BIG": warning_or_failed(
        "The value of the property is longer than the buffer.",
        "Give a buffer of the length that was returned.",
    ),
    "MQRC_PROP_CONV_NOT_SUPPORTED": failed(
        "There is no conversion from the property's type to the one asked for.",
        "Ask for its own type, or for a string.",
    ),
    "MQRC_PROPERTY_NOT_AVAILABLE": failed(
        "The message has no property of this name, or no further one.",
        "mqx browse -o json lists the properties; names are case-sensitive.",
    ),
    "MQRC_PROP_NUMBER_FORMAT_ERROR": failed(
        "The property's text is not a number and cannot be given as one.",
        "Ask for it as a string.",
    ),
    "MQRC_PROPERTY_TYPE_ERROR": failed(
        "The type is unknown, or not the one that the descriptor or JMS field of this name has.",
        "Use the field's own type; mqx put --property NAME:TYPE=VALUE sets one.",
    ),
    "MQRC_PROPERTIES_TOO_BIG": failed(
        "The properties together are longer than allowed.",
        "Move bulk into the data, or raise MAXPROPL of the queue manager.",
    ),
    "MQRC_DMPO_ERROR": failed(
        "The options for deleting a property are not valid.",
        "Correct the program's MQDMPO.",
    ),
    "MQRC_PD_ERROR": failed(
        "The property descriptor is not valid.",
        "Correct the program's MQPD.",
    ),
    "MQRC_BMHO_ERROR": failed(
        "The options for reading properties from a buffer are not valid.",
        "Correct the program's MQBMHO.",
    ),
    "MQRC_UNSUPPORTED_PROPERTY": failed(
        "The message has a property that its sender wants understood, and it is not.",
        "Set the property without required support, or remove it with mqx edit.",
    ),
    "MQRC_PROP_NAME_NOT_CONVERTED": warning(
        "The name of the property could not be converted and was returned as it is stored.",
        "Ask for names in UTF-8.",
    ),
    "MQRC_MIXED_CONTENT_NOT_ALLOWED": failed(
        "A property folder has text and elements side by side.",
        "Correct the program that builds the MQRFH2.",
    ),
    "MQRC_MSG_HANDLE_IN_USE": failed(
        "Another call is using the message handle.",
        "Use one handle per thread.",
    ),
    "MQRC_MHBO_ERROR": failed(
        "The options for writing properties to a buffer are not valid.",
        "Correct the program's MQMHBO.",
    ),
    "MQRC_PROPERTY_NAME_LENGTH_ERR": failed(
        "The property name is empty or longer than 4095 characters.",
        "Give a shorter name.",
    ),
    "MQRC_PROPERTIES_DISABLED": failed(
        "Message properties are switched off.",
        "Put without properties.",
    ),
    # Attributes
    "MQRC_CHAR_ATTRS_TOO_SHORT": warning(
        "The buffer for character attributes is too short; it was filled with as much as fits.",
        "Give the summed length of the attributes that are requested.",
    ),
    "MQRC_INHIBIT_VALUE_ERROR": failed(
        "A value for inhibiting puts or gets is neither 0 nor 1.",
        'Use ENABLED or DISABLED: mqx mqsc "ALTER QLOCAL(name) PUT(ENABLED)".',
    ),
    "MQRC_INT_ATTR_COUNT_ERROR": failed(
        "The number of integer attributes is not usable.",
        "Correct the count in the program.",
    ),
    "MQRC_INT_ATTR_COUNT_TOO_SMALL": warning_or_failed(
        "There are fewer places for integer attributes than selectors that need one.",
        "Give one place for each integer selector.",
    ),
    "MQRC_INT_ATTRS_ARRAY_ERROR": failed(
        "The array given for integer attributes is not usable.",
        "Correct the program.",
    ),
    "MQRC_SELECTOR_COUNT_ERROR": failed(
        "The number of selectors is negative or too large.",
        "Correct the count in the program.",
    ),
    "MQRC_SELECTOR_LIMIT_EXCEEDED": failed(
        "More selectors were given than a call accepts.",
        "Ask for fewer attributes at a time.",
    ),
    "MQRC_SELECTOR_ERROR": failed(
        "A selector is not an attribute that can be inquired or set.",
        "Use the MQIA and MQCA values.",
    ),
    "MQRC_SELECTOR_NOT_FOR_TYPE": warning_or_failed(
        "An attribute does not exist for this type of queue; its value was returned as not applicable.",
        "Ask for the type first, then for what it has.",
    ),
    # Subscriptions
    "MQRC_NO_SUBSCRIPTION": failed(
        "There is no subscription of this name, or it has expired.",
        "Create it, or correct its name.",
    ),
    "MQRC_SUB_INHIBITED": failed(
        "The topic does not allow subscriptions: SUB(DISABLED) of a topic object at or above it.",
        'Subscribe to another topic, or mqx mqsc "ALTER TOPIC(NAME) SUB(ENABLED)".',
    ),
    "MQRC_DURABILITY_NOT_ALLOWED": failed(
        "The topic does not allow durable subscriptions: DURSUB(NO) of a topic object at or above it.",
        'Make the subscription nondurable, or mqx mqsc "ALTER TOPIC(NAME) DURSUB(YES)".',
    ),
    "MQRC_PUBLICATION_FAILURE": failed(
        "A subscription that PMSGDLV or NPMSGDLV of the topic requires could not get the publication. No subscription "
        "got it.",
        "Make room on the queue of the subscription, or define a dead-letter queue and let the topic use it: "
        "USEDLQ(YES).",
    ),
    "MQRC_RETAINED_NOT_DELIVERED": failed(
        "The queue of the subscription refuses a retained publication that it must get. There is no subscription.",
        "Make room on the queue, or correct it.",
    ),
    "MQRC_SUBSCRIPTION_IN_USE": failed(
        "Another program is using the subscription.",
        "Wait until it is closed there.",
    ),
    "MQRC_SUB_ALREADY_EXISTS": failed(
        "A subscription of this name exists already.",
        "Resume it instead of creating it, or choose another name.",
    ),
}
