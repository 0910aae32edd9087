package mqx;

import static com.ibm.mq.constants.CMQC.*;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.ibm.mq.MQAsyncStatus;
import com.ibm.mq.MQDestination;
import com.ibm.mq.MQDistributionListItem;
import com.ibm.mq.MQException;
import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPropertyDescriptor;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.MQSubscription;
import com.ibm.mq.MQTopic;
import com.ibm.mq.constants.CMQCFC;
import com.ibm.mq.headers.pcf.PCFException;
import com.ibm.mq.headers.pcf.PCFMessage;
import com.ibm.mq.headers.pcf.PCFMessageAgent;
import java.util.Hashtable;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** IBM MQ classes for Java, in what the table of cases cannot say. */
class BaseTest {
    private MQQueueManager manager;
    private MQQueue queue;

    @BeforeEach
    void connect() throws Exception {
        Server.clear(Server.QUEUE, Server.OTHER);
        manager = Server.connect();
        queue = manager.accessQueue(Server.QUEUE, MQOO_OUTPUT | MQOO_INPUT_SHARED | MQOO_BROWSE | MQOO_INQUIRE);
    }

    @AfterEach
    void disconnect() throws Exception {
        if (manager.isConnected()) {
            manager.disconnect();
        }
    }

    static MQMessage message(String text) throws Exception {
        MQMessage message = new MQMessage();
        message.format = MQFMT_STRING;
        message.characterSet = 1208;
        message.writeString(text);
        return message;
    }

    static MQGetMessageOptions options(int options, int wait) {
        MQGetMessageOptions gmo = new MQGetMessageOptions();
        gmo.options = options;
        gmo.waitInterval = wait;
        return gmo;
    }

    static String text(MQMessage message) throws Exception {
        return message.readStringOfByteLength(message.getDataLength());
    }

    static String get(MQDestination from, int options, int wait) throws Exception {
        MQMessage message = new MQMessage();
        from.get(message, options(options, wait));
        return text(message);
    }

    @Test
    void theQueueManagerDescribesItself() throws Exception {
        assertEquals(Server.QMGR, manager.getName().trim());
        int[] platform = new int[1];
        manager.inquire(new int[] {MQIA_PLATFORM}, platform, new byte[0]);
        assertEquals(MQPL_UNIX, platform[0]);
        assertTrue(manager.getCommandLevel() >= 900);
        assertTrue(manager.getAttributeString(MQCA_Q_MGR_IDENTIFIER, 48).startsWith(Server.QMGR));
        assertTrue(manager.getMaximumMessageLength() >= 4194304);
    }

    @Test
    void aGetWaitsForAnotherProgram() throws Exception {
        CompletableFuture<String> waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return get(queue, MQGMO_WAIT, MQWI_UNLIMITED);
            } catch (Exception error) {
                return error.toString();
            }
        });
        Thread.sleep(150);
        MQQueueManager another = Server.connect();
        another.put(Server.QUEUE, message("late"));
        assertEquals("late", waiting.get(5, TimeUnit.SECONDS));
        another.disconnect();
        long before = System.nanoTime();
        assertEquals(2033, Server.reason(() -> get(queue, MQGMO_WAIT, 300)));
        long waited = (System.nanoTime() - before) / 1_000_000;
        assertTrue(waited >= 250 && waited < 2000, waited + " ms");
    }

    @Test
    void propertiesOfAMessage() throws Exception {
        MQMessage message = message("x");
        message.setStringProperty("colour", "red");
        message.setIntProperty("usr.n", 7);
        message.setLongProperty("long", 1L << 40);
        message.setBooleanProperty("flag", true);
        message.setBytesProperty("bytes", new byte[] {1, 2});
        message.setDoubleProperty("double", 0.5);
        queue.put(message);
        MQMessage received = new MQMessage();
        queue.get(received, options(MQGMO_PROPERTIES_IN_HANDLE, 0));
        assertEquals("x", text(received));
        assertEquals("red", received.getStringProperty("colour"));
        assertEquals(7, received.getIntProperty("n"));
        assertEquals(1L << 40, received.getLongProperty("long"));
        assertTrue(received.getBooleanProperty("flag"));
        assertArrayEquals(new byte[] {1, 2}, received.getBytesProperty("bytes"));
        assertEquals(0.5, received.getDoubleProperty("double"));
        assertEquals(2471, Server.reason(() -> received.getStringProperty("none", new MQPropertyDescriptor())));
    }

    @Test
    void longMessages() throws Exception {
        for (int length : new int[] {0, 1, 4096, 4097, 32748, 100_000, 4_000_000}) {
            byte[] bytes = new byte[length];
            new Random(length).nextBytes(bytes);
            MQMessage message = new MQMessage();
            message.write(bytes);
            queue.put(message);
            MQMessage received = new MQMessage();
            queue.get(received, options(MQGMO_NO_SYNCPOINT, 0));
            byte[] found = new byte[received.getDataLength()];
            received.readFully(found);
            assertArrayEquals(bytes, found, "length " + length);
        }
    }

    @Test
    void asynchronousPutsAreCounted() throws Exception {
        MQPutMessageOptions pmo = new MQPutMessageOptions();
        pmo.options = MQPMO_ASYNC_RESPONSE | MQPMO_NO_SYNCPOINT;
        MQQueue small = manager.accessQueue("DEV.JAVA.SMALL", MQOO_OUTPUT | MQOO_INPUT_SHARED);
        Server.clear("DEV.JAVA.SMALL");
        for (int n = 0; n < 3; n++) {
            MQMessage message = message("m" + n);
            message.persistence = MQPER_NOT_PERSISTENT;
            small.put(message, pmo);
        }
        MQAsyncStatus status = manager.getAsyncStatus();
        assertEquals(1, status.putSuccessCount);
        assertEquals(2, status.putFailureCount);
        assertEquals(2053, status.reasonCode);
        assertEquals("DEV.JAVA.SMALL", status.objectName.trim());
        assertEquals("m0", get(small, 0, 0));
    }

    @Test
    void aDynamicQueueHasAMadeName() throws Exception {
        MQQueue temporary = manager.accessQueue("DEV.APP.MODEL.QUEUE", MQOO_OUTPUT | MQOO_INPUT_EXCLUSIVE, "", "DEV.T.*", "");
        assertTrue(temporary.getName().startsWith("DEV.T."));
        temporary.put(message("x"));
        assertEquals("x", get(temporary, 0, 0));
        String name = temporary.getName();
        temporary.close();
        assertEquals(2085, Server.reason(() -> manager.accessQueue(name, MQOO_OUTPUT)));
        MQQueue permanent = manager.accessQueue("DEV.JAVA.MODEL", MQOO_OUTPUT | MQOO_INPUT_SHARED, "", "DEV.JAVA.P1", "");
        permanent.put(message("x"));
        permanent.closeOptions = MQCO_DELETE_PURGE;
        permanent.close();
        assertEquals(2085, Server.reason(() -> manager.accessQueue("DEV.JAVA.P1", MQOO_OUTPUT)));
    }

    @Test
    void subscriptions() throws Exception {
        int managed = MQSO_CREATE | MQSO_NON_DURABLE | MQSO_MANAGED;
        MQTopic subscriber = manager.accessTopic("dev/java/base", "", MQTOPIC_OPEN_AS_SUBSCRIPTION, managed);
        manager.put(MQOT_TOPIC, null, null, "dev/java/base", message("a"));
        MQTopic publisher = manager.accessTopic("dev/java/base", "", MQTOPIC_OPEN_AS_PUBLICATION, MQOO_OUTPUT);
        publisher.put(message("b"));
        assertEquals("a", get(subscriber, MQGMO_WAIT, 2000));
        assertEquals("b", get(subscriber, MQGMO_WAIT, 2000));
        assertEquals(2033, Server.reason(() -> get(subscriber, 0, 0)));
        subscriber.close();
        publisher.close();
    }

    @Test
    void aSubscriptionOfAnOwnQueue() throws Exception {
        int options = MQSO_CREATE | MQSO_RESUME | MQSO_DURABLE | MQSO_ANY_USERID;
        MQQueue destination = manager.accessQueue(Server.QUEUE, MQOO_INPUT_SHARED);
        MQTopic subscriber = manager.accessTopic(destination, "dev/java/own", "", options, null, "own queue");
        manager.put(MQOT_TOPIC, null, null, "dev/java/own", message("a"));
        subscriber.close();
        manager.put(MQOT_TOPIC, null, null, "dev/java/own", message("b"));
        assertEquals("a", get(queue, MQGMO_WAIT, 2000));
        assertEquals("b", get(queue, MQGMO_WAIT, 2000));
        int again = MQSO_RESUME | MQSO_DURABLE | MQSO_ANY_USERID;
        MQTopic resumed = manager.accessTopic(
                manager.accessQueue(Server.QUEUE, MQOO_INPUT_SHARED), "dev/java/own", "", again, null, "own queue");
        resumed.getSubscriptionReference().setCloseOptions(MQCO_REMOVE_SUB);
        resumed.close();
        manager.put(MQOT_TOPIC, null, null, "dev/java/own", message("c"));
        assertEquals(2033, Server.reason(() -> get(queue, 0, 0)));
    }

    @Test
    void retainedPublicationsAreRequested() throws Exception {
        MQPutMessageOptions retain = new MQPutMessageOptions();
        retain.options = MQPMO_RETAIN;
        MQTopic publisher = manager.accessTopic("dev/java/kept", "", MQTOPIC_OPEN_AS_PUBLICATION, MQOO_OUTPUT);
        publisher.put(message("kept"), retain);
        int options = MQSO_CREATE | MQSO_NON_DURABLE | MQSO_MANAGED | MQSO_PUBLICATIONS_ON_REQUEST;
        MQTopic subscriber = manager.accessTopic("dev/java/kept", "", MQTOPIC_OPEN_AS_SUBSCRIPTION, options);
        assertEquals(2033, Server.reason(() -> get(subscriber, 0, 0)));
        MQSubscription subscription = subscriber.getSubscriptionReference();
        assertEquals(1, subscription.requestPublicationUpdate(0));
        assertEquals("kept", get(subscriber, MQGMO_WAIT, 2000));
    }

    @Test
    void aConversionFailsOrSucceedsAsWanted() throws Exception {
        MQMessage message = new MQMessage();
        message.format = MQFMT_STRING;
        message.characterSet = 500;
        message.writeString("Grüße");
        queue.put(message);
        MQMessage received = new MQMessage();
        received.characterSet = 1208;
        queue.get(received, options(MQGMO_CONVERT, 0));
        assertEquals(1208, received.characterSet);
        assertEquals("Grüße", text(received));
    }

    @Test
    void administrationByPcf() throws Exception {
        PCFMessageAgent agent = new PCFMessageAgent(manager);
        PCFMessage create = new PCFMessage(CMQCFC.MQCMD_CREATE_Q);
        create.addParameter(MQCA_Q_NAME, "DEV.JAVA.PCF");
        create.addParameter(MQIA_Q_TYPE, MQQT_LOCAL);
        create.addParameter(MQIA_MAX_Q_DEPTH, 77);
        agent.send(create);
        try {
            PCFMessage inquire = new PCFMessage(CMQCFC.MQCMD_INQUIRE_Q);
            inquire.addParameter(MQCA_Q_NAME, "DEV.JAVA.P*");
            inquire.addParameter(MQIA_Q_TYPE, MQQT_LOCAL);
            boolean isThere = false;
            for (PCFMessage answer : agent.send(inquire)) {
                if (answer.getStringParameterValue(MQCA_Q_NAME).trim().equals("DEV.JAVA.PCF")) {
                    isThere = true;
                    assertEquals(77, answer.getIntParameterValue(MQIA_MAX_Q_DEPTH));
                }
            }
            assertTrue(isThere);
        } finally {
            PCFMessage delete = new PCFMessage(CMQCFC.MQCMD_DELETE_Q);
            delete.addParameter(MQCA_Q_NAME, "DEV.JAVA.PCF");
            delete.addParameter(MQIA_Q_TYPE, MQQT_LOCAL);
            agent.send(delete);
        }
        PCFMessage unknown = new PCFMessage(CMQCFC.MQCMD_INQUIRE_Q);
        unknown.addParameter(MQCA_Q_NAME, "DEV.JAVA.PCF");
        try {
            agent.send(unknown);
            throw new AssertionError("a deleted queue was found");
        } catch (PCFException error) {
            assertEquals(2085, error.reasonCode);
        }
        agent.disconnect();
    }

    @Test
    void errorsOfAConnect() throws Exception {
        assertEquals(2058, Server.reason(() -> new MQQueueManager("NO.SUCH.QM", Server.properties())));
        Hashtable<String, Object> properties = Server.properties();
        properties.put(CHANNEL_PROPERTY, "NO.SUCH.CHANNEL");
        assertEquals(2540, Server.reason(() -> new MQQueueManager(Server.QMGR, properties)));
        properties.put(CHANNEL_PROPERTY, "SYSTEM.DEF.SENDER");
        assertEquals(2539, Server.reason(() -> new MQQueueManager(Server.QMGR, properties)));
        properties.put(CHANNEL_PROPERTY, Server.CHANNEL);
        properties.put(PASSWORD_PROPERTY, "wrong");
        assertEquals(2035, Server.reason(() -> new MQQueueManager(Server.QMGR, properties)));
        properties.put(PASSWORD_PROPERTY, Server.PASSWORD);
        properties.put(PORT_PROPERTY, 1);
        assertEquals(2538, Server.reason(() -> new MQQueueManager(Server.QMGR, properties)));
    }

    private static Hashtable<String, Object> propertiesOfOne() {
        Hashtable<String, Object> properties = Server.properties();
        properties.put(CHANNEL_PROPERTY, "JAVA.ONE");
        properties.put(USER_ID_PROPERTY, "app");
        return properties;
    }

    /** Connect to the channel of one instance, once that of a client that has disconnected has ended. */
    private static MQQueueManager connectAsOne(Hashtable<String, Object> properties) throws Exception {
        for (int tries = 50; ; tries--) {
            try {
                return new MQQueueManager(Server.QMGR, properties);
            } catch (MQException error) {
                if (error.reasonCode != 2537 || tries == 0) {
                    throw error;
                }
                Thread.sleep(100);
            }
        }
    }

    @Test
    void aChannelHasSoManyInstancesAtMost() throws Exception {
        Hashtable<String, Object> properties = propertiesOfOne();
        MQQueueManager only = connectAsOne(properties);
        assertEquals(2537, Server.reason(() -> new MQQueueManager(Server.QMGR, properties)));
        only.disconnect();
    }

    private static void send(PCFMessageAgent agent, int command, String channel) throws Exception {
        PCFMessage message = new PCFMessage(command);
        message.addParameter(CMQCFC.MQCACH_CHANNEL_NAME, channel);
        agent.send(message);
    }

    @Test
    void aStoppedChannelEndsItsConnections() throws Exception {
        Hashtable<String, Object> properties = propertiesOfOne();
        MQQueueManager ended = connectAsOne(properties);
        PCFMessageAgent agent = new PCFMessageAgent(manager);
        send(agent, CMQCFC.MQCMD_STOP_CHANNEL, "JAVA.ONE");
        try {
            int reason = Server.reason(() -> ended.accessQueue(Server.QUEUE, MQOO_OUTPUT | MQOO_FAIL_IF_QUIESCING));
            assertTrue(reason == MQRC_CONNECTION_QUIESCING || reason == MQRC_CONNECTION_STOPPING
                    || reason == MQRC_CONNECTION_BROKEN, "reason " + reason);
            Server.reason(ended::disconnect);
            assertEquals(2537, Server.reason(() -> new MQQueueManager(Server.QMGR, properties)));
        } finally {
            send(agent, CMQCFC.MQCMD_START_CHANNEL, "JAVA.ONE");
            agent.disconnect();
        }
        connectAsOne(properties).disconnect();
    }

    @Test
    void aDistributionListIsRefused() throws Exception {
        MQDistributionListItem[] items = {new MQDistributionListItem(), new MQDistributionListItem()};
        items[0].queueName = Server.QUEUE;
        items[1].queueName = Server.OTHER;
        assertEquals(MQRC_RECS_PRESENT_ERROR, Server.reason(() -> manager.accessDistributionList(items, MQOO_OUTPUT)));
        assertEquals(2033, Server.reason(() -> get(queue, 0, 0)));
    }

    @Test
    void aUserMayOnlyDoWhatHisAuthoritiesSay() throws Exception {
        Hashtable<String, Object> properties = Server.properties();
        properties.put(CHANNEL_PROPERTY, Server.APP_CHANNEL);
        properties.put(USER_ID_PROPERTY, "app");
        MQQueueManager app = new MQQueueManager(Server.QMGR, properties);
        app.put(Server.QUEUE, message("x"));
        assertEquals("x", get(queue, 0, 0));
        assertEquals(2035, Server.reason(() -> app.accessQueue("SYSTEM.DEFAULT.LOCAL.QUEUE", MQOO_OUTPUT)));
        assertEquals(2035, Server.reason(() -> app.accessQueue(Server.QUEUE, MQOO_SET)));
        assertEquals(2035, Server.reason(
                () -> app.accessQueue(Server.QUEUE, MQOO_OUTPUT | MQOO_SET_ALL_CONTEXT)));
        assertEquals(2035, Server.reason(
                () -> app.accessQueue(Server.QUEUE, MQOO_OUTPUT | MQOO_ALTERNATE_USER_AUTHORITY, "", "", "admin")));
        app.disconnect();
    }

    @Test
    void aDisconnectCommitsAndABrokenConnectionBacksOut() throws Exception {
        MQPutMessageOptions syncpoint = new MQPutMessageOptions();
        syncpoint.options = MQPMO_SYNCPOINT;
        try (Proxy proxy = new Proxy()) {
            Hashtable<String, Object> properties = Server.properties();
            properties.put(PORT_PROPERTY, proxy.port());
            MQQueueManager broken = new MQQueueManager(Server.QMGR, properties);
            broken.put(Server.QUEUE, message("backed out"), syncpoint);
            proxy.cut();
            assertEquals(2009, Server.reason(broken::commit));
        }
        MQQueueManager another = Server.connect();
        another.put(Server.QUEUE, message("committed"), syncpoint);
        another.disconnect();
        assertEquals("committed", get(queue, MQGMO_WAIT, 2000));
        assertEquals(2033, Server.reason(() -> get(queue, MQGMO_WAIT, 200)));
    }

    @Test
    void aQueueIsOpenForOneReaderAlone() throws Exception {
        MQQueue exclusive = manager.accessQueue(Server.OTHER, MQOO_INPUT_EXCLUSIVE);
        MQQueueManager another = Server.connect();
        assertEquals(2042, Server.reason(() -> another.accessQueue(Server.OTHER, MQOO_INPUT_SHARED)));
        exclusive.close();
        another.accessQueue(Server.OTHER, MQOO_INPUT_SHARED).close();
        another.disconnect();
    }

    @Test
    void aReportIsMadeForItsMessage() throws Exception {
        MQMessage message = message("x");
        message.report = MQRO_COA | MQRO_COD;
        message.replyToQueueName = Server.OTHER;
        queue.put(message);
        get(queue, MQGMO_NO_SYNCPOINT, 0);
        MQQueue reports = manager.accessQueue(Server.OTHER, MQOO_INPUT_SHARED);
        for (int feedback : new int[] {MQFB_COA, MQFB_COD}) {
            MQMessage report = new MQMessage();
            reports.get(report, options(MQGMO_WAIT, 2000));
            assertEquals(feedback, report.feedback);
            assertArrayEquals(message.messageId, report.correlationId);
        }
    }

    @Test
    void callsAfterADisconnect() throws Exception {
        manager.disconnect();
        assertEquals(2018, Server.reason(() -> manager.accessQueue(Server.QUEUE, MQOO_OUTPUT)));
        assertTrue(Server.reason(() -> queue.put(message("x"))) != 0);
        manager = Server.connect();
    }
}
