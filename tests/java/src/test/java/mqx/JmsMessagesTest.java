package mqx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.ibm.msg.client.jms.JmsDestination;
import com.ibm.msg.client.wmq.WMQConstants;
import java.util.Arrays;
import java.util.Date;
import java.util.Random;
import javax.jms.BytesMessage;
import javax.jms.DeliveryMode;
import javax.jms.MapMessage;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.ObjectMessage;
import javax.jms.Queue;
import javax.jms.StreamMessage;
import javax.jms.TextMessage;
import org.junit.jupiter.api.Test;

/** Messages arrive as they were sent: bodies, headers, properties, descriptor. */
class JmsMessagesTest extends Jms {
    private Message sent(Message message) throws Exception {
        return sent(message, queue);
    }

    private Message sent(Message message, Queue to) throws Exception {
        session.createProducer(to).send(message);
        MessageConsumer consumer = session.createConsumer(to);
        Message received = consumer.receive(SOON);
        consumer.close();
        assertNotNull(received);
        return received;
    }

    @Test
    void aTextMessage() throws Exception {
        String text = "Grüße, 漢字, €";
        assertEquals(text, assertInstanceOf(TextMessage.class, sent(session.createTextMessage(text))).getText());
        assertEquals("", assertInstanceOf(TextMessage.class, sent(session.createTextMessage(""))).getText());
    }

    @Test
    void aBytesMessage() throws Exception {
        BytesMessage message = session.createBytesMessage();
        byte[] bytes = {0, 1, 2, (byte) 0xFF};
        message.writeInt(-7);
        message.writeDouble(2.5);
        message.writeUTF("é");
        message.writeBytes(bytes);
        BytesMessage received = assertInstanceOf(BytesMessage.class, sent(message));
        assertEquals(-7, received.readInt());
        assertEquals(2.5, received.readDouble());
        assertEquals("é", received.readUTF());
        byte[] rest = new byte[4];
        assertEquals(4, received.readBytes(rest));
        assertArrayEquals(bytes, rest);
    }

    @Test
    void aMapMessage() throws Exception {
        MapMessage message = session.createMapMessage();
        message.setInt("int", 1);
        message.setString("string", "<&>");
        message.setBytes("bytes", new byte[] {1, 2});
        message.setBoolean("boolean", true);
        message.setDouble("double", 0.1);
        MapMessage received = assertInstanceOf(MapMessage.class, sent(message));
        assertEquals(1, received.getInt("int"));
        assertEquals("<&>", received.getString("string"));
        assertArrayEquals(new byte[] {1, 2}, received.getBytes("bytes"));
        assertTrue(received.getBoolean("boolean"));
        assertEquals(0.1, received.getDouble("double"));
        assertFalse(received.itemExists("none"));
    }

    @Test
    void aStreamMessage() throws Exception {
        StreamMessage message = session.createStreamMessage();
        message.writeString("text");
        message.writeLong(1L << 40);
        message.writeChar('x');
        message.writeBytes(new byte[] {9});
        StreamMessage received = assertInstanceOf(StreamMessage.class, sent(message));
        assertEquals("text", received.readString());
        assertEquals(1L << 40, received.readLong());
        assertEquals('x', received.readChar());
        assertEquals(1, received.readBytes(new byte[5]));
    }

    @Test
    void anObjectMessage() throws Exception {
        Message received = sent(session.createObjectMessage(new Date(42)));
        assertEquals(new Date(42), assertInstanceOf(ObjectMessage.class, received).getObject());
    }

    @Test
    void aMessageWithoutBody() throws Exception {
        Message message = session.createMessage();
        message.setIntProperty("n", 1);
        Message received = sent(message);
        assertFalse(received instanceof TextMessage || received instanceof BytesMessage);
        assertEquals(1, received.getIntProperty("n"));
    }

    @Test
    void propertiesOfAllTypes() throws Exception {
        Message message = session.createTextMessage("x");
        message.setBooleanProperty("bool", true);
        message.setByteProperty("byte", (byte) -1);
        message.setShortProperty("short", (short) 300);
        message.setIntProperty("int", 70000);
        message.setLongProperty("long", 1L << 40);
        message.setFloatProperty("float", 1.5f);
        message.setDoubleProperty("double", 2.25);
        message.setStringProperty("string", "a <b> & 'c' €");
        message.setStringProperty("empty", "");
        Message received = sent(message);
        assertEquals(true, received.getObjectProperty("bool"));
        assertEquals((byte) -1, received.getObjectProperty("byte"));
        assertEquals((short) 300, received.getObjectProperty("short"));
        assertEquals(70000, received.getObjectProperty("int"));
        assertEquals(1L << 40, received.getObjectProperty("long"));
        assertEquals(1.5f, received.getObjectProperty("float"));
        assertEquals(2.25, received.getObjectProperty("double"));
        assertEquals("a <b> & 'c' €", received.getObjectProperty("string"));
        assertEquals("", received.getStringProperty("empty"));
        assertNull(received.getObjectProperty("none"));
    }

    @Test
    void headers() throws Exception {
        TextMessage message = session.createTextMessage("x");
        message.setJMSCorrelationID("mine");
        message.setJMSType("kind");
        message.setJMSReplyTo(other);
        long before = System.currentTimeMillis();
        MessageProducer producer = session.createProducer(queue);
        producer.send(message, DeliveryMode.NON_PERSISTENT, 7, 60000);
        Message received = session.createConsumer(queue).receive(SOON);
        assertEquals(message.getJMSMessageID(), received.getJMSMessageID());
        assertTrue(received.getJMSMessageID().startsWith("ID:"));
        assertEquals("mine", received.getJMSCorrelationID());
        assertEquals("kind", received.getJMSType());
        assertTrue(received.getJMSReplyTo().toString().contains(Server.OTHER));
        assertEquals(DeliveryMode.NON_PERSISTENT, received.getJMSDeliveryMode());
        assertEquals(7, received.getJMSPriority());
        assertEquals(message.getJMSExpiration(), received.getJMSExpiration(), 200);
        assertFalse(received.getJMSRedelivered());
        assertEquals(1, received.getIntProperty("JMSXDeliveryCount"));
        assertEquals(before, received.getJMSTimestamp(), 2000);
        assertEquals("mqx-java-tests", received.getStringProperty("JMSXAppID").trim());
        assertEquals("MQSTR", received.getStringProperty("JMS_IBM_Format").trim());
    }

    @Test
    void priorityDecidesTheOrder() throws Exception {
        MessageProducer producer = session.createProducer(queue);
        for (int priority : new int[] {1, 9, 4}) {
            producer.send(session.createTextMessage("p" + priority), DeliveryMode.PERSISTENT, priority, 0);
        }
        assertEquals("p9 p4 p1", browse(queue));
    }

    @Test
    void aMessageExpires() throws Exception {
        MessageProducer producer = session.createProducer(queue);
        producer.setTimeToLive(200);
        producer.send(session.createTextMessage("brief"));
        Thread.sleep(400);
        assertNull(session.createConsumer(queue).receiveNoWait());
    }

    @Test
    void groupPropertiesAreTheDescriptors() throws Exception {
        Message message = session.createTextMessage("x");
        message.setStringProperty("JMSXGroupID", "orders");
        message.setIntProperty("JMSXGroupSeq", 3);
        Message received = sent(message);
        assertEquals("orders", received.getStringProperty("JMSXGroupID"));
        assertEquals(3, received.getIntProperty("JMSXGroupSeq"));
    }

    @Test
    void theDescriptorIsReadAndWritten() throws Exception {
        Queue described = session.createQueue("queue:///" + Server.QUEUE + "?mdReadEnabled=true&mdWriteEnabled=true"
                + "&mdMessageContext=" + WMQConstants.WMQ_MDCTX_SET_ALL_CONTEXT);
        byte[] id = new byte[24];
        Arrays.fill(id, (byte) 7);
        Message message = session.createTextMessage("x");
        message.setObjectProperty(WMQConstants.JMS_IBM_MQMD_MSGID, id);
        message.setObjectProperty(WMQConstants.JMS_IBM_MQMD_CORRELID, id);
        message.setIntProperty(WMQConstants.JMS_IBM_MQMD_FEEDBACK, 65540);
        message.setStringProperty(WMQConstants.JMS_IBM_MQMD_APPLIDENTITYDATA, "identity");
        message.setStringProperty(WMQConstants.JMS_IBM_MQMD_PUTAPPLNAME, "another program");
        message.setStringProperty(WMQConstants.JMS_IBM_MQMD_USERIDENTIFIER, "someone");
        Message received = sent(message, described);
        assertArrayEquals(id, (byte[]) received.getObjectProperty(WMQConstants.JMS_IBM_MQMD_MSGID));
        assertArrayEquals(id, (byte[]) received.getObjectProperty(WMQConstants.JMS_IBM_MQMD_CORRELID));
        assertEquals(65540, received.getIntProperty(WMQConstants.JMS_IBM_MQMD_FEEDBACK));
        assertEquals("identity", received.getStringProperty(WMQConstants.JMS_IBM_MQMD_APPLIDENTITYDATA).trim());
        assertEquals("another program", received.getStringProperty(WMQConstants.JMS_IBM_MQMD_PUTAPPLNAME).trim());
        assertEquals("someone", received.getStringProperty(WMQConstants.JMS_IBM_MQMD_USERIDENTIFIER).trim());
    }

    @Test
    void theDescriptorNamesTheClient() throws Exception {
        Queue described = session.createQueue("queue:///" + Server.QUEUE + "?mdReadEnabled=true");
        Message received = sent(session.createTextMessage("x"), described);
        assertEquals("mqx-java-tests", received.getStringProperty(WMQConstants.JMS_IBM_MQMD_PUTAPPLNAME).trim());
        assertEquals(28, received.getIntProperty(WMQConstants.JMS_IBM_MQMD_PUTAPPLTYPE)); // MQAT_JAVA
        assertEquals(Server.USER, received.getStringProperty(WMQConstants.JMS_IBM_MQMD_USERIDENTIFIER).trim());
    }

    @Test
    void aPlainMessageHasNoJmsHeader() throws Exception {
        Queue plain = session.createQueue("queue:///" + Server.QUEUE + "?targetClient=1");
        assertEquals("x", ((TextMessage) sent(session.createTextMessage("x"), plain)).getText());
    }

    @Test
    void textIsConvertedToTheQueuesCharacterSet() throws Exception {
        Queue ebcdic = session.createQueue("queue:///" + Server.QUEUE + "?CCSID=500&targetClient=1");
        assertEquals("Grüße", ((TextMessage) sent(session.createTextMessage("Grüße"), ebcdic)).getText());
        ((JmsDestination) ebcdic).setIntProperty(
                WMQConstants.WMQ_RECEIVE_CONVERSION, WMQConstants.WMQ_RECEIVE_CONVERSION_QMGR);
        ((JmsDestination) ebcdic).setIntProperty(WMQConstants.WMQ_RECEIVE_CCSID, 1208);
        assertEquals("Grüße", ((TextMessage) sent(session.createTextMessage("Grüße"), ebcdic)).getText());
    }

    @Test
    void longMessagesInBothDirections() throws Exception {
        for (int length : new int[] {4000, 4097, 32400, 32768, 100_000, 4_000_000}) {
            byte[] bytes = new byte[length];
            new Random(length).nextBytes(bytes);
            BytesMessage message = session.createBytesMessage();
            message.writeBytes(bytes);
            BytesMessage received = (BytesMessage) sent(message);
            byte[] found = new byte[(int) received.getBodyLength()];
            received.readBytes(found);
            assertArrayEquals(bytes, found, "length " + length);
        }
    }
}
