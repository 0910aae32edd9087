package mqx;

import static com.ibm.mq.constants.CMQC.*;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.ibm.mq.MQException;
import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.json.JSONArray;
import org.json.JSONObject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of cases, run through the classes for Java; test_cases.py runs it in the process of the queue manager. */
class CasesTest {
    private final Map<String, MQQueueManager> managers = new HashMap<>();
    private final Map<String, MQQueue> queues = new HashMap<>();
    private final Map<String, Object> saved = new HashMap<>();

    static Stream<JSONObject> cases() throws Exception {
        String text = Files.readString(Path.of(System.getProperty("mqx.cases")));
        JSONArray cases = new JSONArray(text);
        return IntStream.range(0, cases.length()).mapToObj(cases::getJSONObject);
    }

    @BeforeEach
    void clear() throws Exception {
        Server.clear(Server.QUEUE, Server.OTHER, "DEV.JAVA.SMALL");
    }

    @AfterEach
    void disconnect() throws Exception {
        for (MQQueueManager manager : managers.values()) {
            manager.disconnect();
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aCase(JSONObject one) throws Exception {
        JSONArray steps = one.getJSONArray("steps");
        for (int at = 0; at < steps.length(); at++) {
            JSONObject step = steps.getJSONObject(at);
            String place = one.getString("name") + ", step " + at + ": ";
            int comp = MQCC_OK;
            int reason = MQRC_NONE;
            MQMessage message = descriptor(step);
            MQGetMessageOptions gmo = new MQGetMessageOptions();
            try {
                run(step, message, gmo, place);
            } catch (MQException error) {
                comp = error.completionCode;
                reason = error.reasonCode;
            }
            int due = number(step.optString("reason", "MQRC_NONE"));
            assertEquals(due, reason, place + "reason");
            assertEquals(number(step.optString("comp", due == 0 ? "MQCC_OK" : "MQCC_FAILED")), comp, place + "completion");
            if (step.has("get") && (step.has("data") || step.has("hex"))) {
                byte[] body = new byte[message.getDataLength()];
                message.readFully(body);
                assertArrayEquals(data(step), body, place + new String(body, StandardCharsets.UTF_8));
            }
            for (String field : step.optJSONObject("expect", new JSONObject()).keySet()) {
                Object wanted = value(step.getJSONObject("expect").get(field));
                Object found = field(message, gmo, field);
                if (found instanceof byte[] bytes) {
                    byte[] padded = wanted instanceof byte[] id ? id : id((String) wanted);
                    assertArrayEquals(padded, bytes, place + field);
                } else {
                    assertEquals(wanted, found, place + field);
                }
            }
            if (step.has("save")) {
                for (String field : new String[] {"MsgId", "CorrelId", "GroupId", "MsgToken"}) {
                    saved.put("$" + step.getString("save") + "." + field, field(message, gmo, field));
                }
            }
        }
    }

    private MQQueueManager manager(JSONObject step) throws MQException {
        String name = step.optString("by", "first");
        if (!managers.containsKey(name)) {
            managers.put(name, Server.connect());
        }
        return managers.get(name);
    }

    private void run(JSONObject step, MQMessage message, MQGetMessageOptions gmo, String place) throws Exception {
        MQQueueManager manager = manager(step);
        if (step.has("open")) {
            MQQueue queue = manager.accessQueue(step.getString("object"), number(step.getString("options")));
            queues.put(step.getString("open"), queue);
        } else if (step.has("close")) {
            MQQueue queue = queues.get(step.getString("close"));
            queue.closeOptions = number(step.optString("options", "MQCO_NONE"));
            queue.close();
        } else if (step.has("put") || step.has("put1")) {
            MQPutMessageOptions pmo = new MQPutMessageOptions();
            pmo.options = number(step.optString("options", "MQPMO_NONE"));
            message.write(data(step));
            if (step.has("put1")) { // after a failure the client repeats its reason on this connection
                manager.put(step.getString("put1"), message, pmo);
                return;
            }
            if (step.has("context")) {
                pmo.contextReference = queues.get(step.getString("context"));
            }
            queues.get(step.getString("put")).put(message, pmo);
        } else if (step.has("get")) {
            gmo.options = number(step.optString("options", "MQGMO_NO_WAIT"));
            gmo.matchOptions = number(step.optString("match", "MQMO_MATCH_MSG_ID | MQMO_MATCH_CORREL_ID"));
            gmo.waitInterval = step.optInt("wait", 0);
            if (step.has("token")) {
                gmo.msgToken = (byte[]) value(step.get("token"));
            }
            if (step.has("length")) {
                queues.get(step.getString("get")).get(message, gmo, step.getInt("length"));
            } else {
                queues.get(step.getString("get")).get(message, gmo);
            }
        } else if (step.has("inq")) {
            inquire(queues.get(step.getString("inq")), step.getJSONArray("selectors"), step.getJSONArray("values"), place);
        } else if (step.has("set")) {
            int[] selectors = {number(step.getJSONArray("selectors").get(0))};
            queues.get(step.getString("set")).set(selectors, new int[] {step.getJSONArray("values").getInt(0)}, new byte[0]);
        } else if (step.has("commit")) {
            manager.commit();
        } else {
            manager.backout();
        }
    }

    private static void inquire(MQQueue queue, JSONArray names, JSONArray values, String place) throws Exception {
        int[] selectors = new int[names.length()];
        for (int n = 0; n < selectors.length; n++) {
            selectors[n] = number(names.get(n));
        }
        int[] integers = new int[selectors.length];
        byte[] characters = new byte[48 * selectors.length];
        try {
            queue.inquire(selectors, integers, characters);
        } catch (MQException error) {
            if (error.completionCode == MQCC_FAILED) {
                throw error;
            }
            compare(selectors, values, integers, characters, place);
            throw error;
        }
        compare(selectors, values, integers, characters, place);
    }

    private static void compare(int[] selectors, JSONArray values, int[] integers, byte[] characters, String place) {
        int integer = 0;
        int at = 0;
        for (int n = 0; n < selectors.length; n++) {
            Object found;
            if (selectors[n] >= MQCA_FIRST) {
                found = new String(characters, at, 48, StandardCharsets.ISO_8859_1).trim();
                at += 48;
            } else {
                found = integers[integer++];
            }
            if (!values.isNull(n)) {
                assertEquals(values.get(n), found, place + "selector " + selectors[n]);
            }
        }
    }

    /** Return the value of names of constants, joined by |. */
    private static int number(Object names) {
        if (names instanceof Integer value) {
            return value;
        }
        int sum = 0;
        for (String name : names.toString().split(" \\| ")) {
            try {
                sum += CMQC.class.getField(name).getInt(null);
            } catch (ReflectiveOperationException error) {
                throw new IllegalArgumentException(name, error);
            }
        }
        return sum;
    }

    private static byte[] data(JSONObject step) {
        if (step.has("hex")) {
            return HexFormat.of().parseHex(step.getString("hex"));
        }
        return step.getString("data").repeat(step.optInt("repeat", 1)).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] id(String text) {
        return Arrays.copyOf(text.getBytes(StandardCharsets.UTF_8), 24);
    }

    private Object value(Object given) {
        return given instanceof String name && name.startsWith("$") ? saved.get(name) : given;
    }

    private MQMessage descriptor(JSONObject step) throws Exception {
        MQMessage message = new MQMessage();
        message.setVersion(MQMD_VERSION_2);
        JSONObject fields = step.optJSONObject("md", new JSONObject());
        for (String field : fields.keySet()) {
            Object value = value(fields.get(field));
            byte[] id = value instanceof byte[] bytes ? bytes : value instanceof String text ? id(text) : null;
            switch (field) {
                case "MsgId" -> message.messageId = id;
                case "CorrelId" -> message.correlationId = id;
                case "GroupId" -> message.groupId = id;
                case "Priority" -> message.priority = (int) value;
                case "Persistence" -> message.persistence = (int) value;
                case "Expiry" -> message.expiry = (int) value;
                case "Report" -> message.report = (int) value;
                case "MsgType" -> message.messageType = (int) value;
                case "MsgFlags" -> message.messageFlags = (int) value;
                case "MsgSeqNumber" -> message.messageSequenceNumber = (int) value;
                case "Offset" -> message.offset = (int) value;
                case "CodedCharSetId" -> message.characterSet = (int) value;
                case "Encoding" -> message.encoding = (int) value;
                case "Format" -> message.format = String.format("%-8s", value);
                case "ReplyToQ" -> message.replyToQueueName = (String) value;
                case "UserIdentifier" -> message.userId = (String) value;
                case "PutApplName" -> message.putApplicationName = (String) value;
                case "PutApplType" -> message.putApplicationType = (int) value;
                case "ApplIdentityData" -> message.applicationIdData = (String) value;
                default -> throw new IllegalArgumentException(field);
            }
        }
        return message;
    }

    private static Object field(MQMessage message, MQGetMessageOptions gmo, String field) throws Exception {
        return switch (field) {
            case "MsgId" -> message.messageId;
            case "CorrelId" -> message.correlationId;
            case "GroupId" -> message.groupId;
            case "MsgToken" -> gmo.msgToken;
            case "GroupStatus" -> String.valueOf(gmo.groupStatus);
            case "SegmentStatus" -> String.valueOf(gmo.segmentStatus);
            case "Priority" -> message.priority;
            case "Persistence" -> message.persistence;
            case "MsgType" -> message.messageType;
            case "Feedback" -> message.feedback;
            case "BackoutCount" -> message.backoutCount;
            case "MsgSeqNumber" -> message.messageSequenceNumber;
            case "Offset" -> message.offset;
            case "CodedCharSetId" -> message.characterSet;
            case "Format" -> message.format.trim();
            case "ReplyToQ" -> message.replyToQueueName.trim();
            case "UserIdentifier" -> message.userId.trim();
            case "PutApplName" -> message.putApplicationName.trim();
            case "PutApplType" -> message.putApplicationType;
            case "ApplIdentityData" -> message.applicationIdData.trim();
            default -> throw new IllegalArgumentException(field);
        };
    }
}
