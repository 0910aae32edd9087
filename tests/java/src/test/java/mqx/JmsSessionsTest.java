package mqx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.Queue;
import javax.jms.Session;
import javax.jms.TextMessage;
import org.junit.jupiter.api.Test;

/** Transacted sessions, acknowledgement, redelivery, and listeners. */
class JmsSessionsTest extends Jms {
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

    private void hear(Message message) {
        try {
            heard.add(((TextMessage) message).getText());
        } catch (JMSException error) {
            throw new IllegalStateException(error);
        }
    }

    private String next() throws InterruptedException {
        return heard.poll(SOON, TimeUnit.MILLISECONDS);
    }

    @Test
    void aRolledBackSendIsNeverSeen() throws Exception {
        Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
        send(transacted, queue, "no");
        assertEquals("", browse(queue));
        transacted.rollback();
        send(transacted, queue, "yes", "yes too");
        transacted.commit();
        assertEquals("yes yes too", browse(queue));
    }

    @Test
    void aRolledBackReceiveIsRedelivered() throws Exception {
        send(session, queue, "a", "b");
        Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
        MessageConsumer consumer = transacted.createConsumer(queue);
        assertEquals("a", text(consumer, SOON));
        assertEquals("b", text(consumer, SOON));
        transacted.rollback();
        Message again = consumer.receive(SOON);
        assertEquals("a", ((TextMessage) again).getText());
        assertTrue(again.getJMSRedelivered());
        assertEquals(2, again.getIntProperty("JMSXDeliveryCount"));
        transacted.commit();
        assertEquals("b", browse(queue));
    }

    @Test
    void closingATransactedSessionRollsBack() throws Exception {
        send(session, queue, "a");
        Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
        assertEquals("a", text(transacted.createConsumer(queue), SOON));
        send(transacted, queue, "b");
        transacted.close();
        assertEquals("a", browse(queue));
    }

    @Test
    void aMessageMovesInOneTransaction() throws Exception {
        send(session, queue, "a");
        Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
        Message message = transacted.createConsumer(queue).receive(SOON);
        transacted.createProducer(other).send(message);
        assertEquals("", browse(other));
        transacted.commit();
        assertEquals("a", browse(other));
        assertEquals("", browse(queue));
    }

    @Test
    void clientAcknowledgeAcknowledgesAllBefore() throws Exception {
        send(session, queue, "a", "b", "c");
        Session client = connection.createSession(false, Session.CLIENT_ACKNOWLEDGE);
        MessageConsumer consumer = client.createConsumer(queue);
        consumer.receive(SOON);
        Message second = consumer.receive(SOON);
        second.acknowledge();
        assertEquals("c", text(consumer, SOON));
        client.recover();
        Message again = consumer.receive(SOON);
        assertEquals("c", ((TextMessage) again).getText());
        assertTrue(again.getJMSRedelivered());
        client.close();
        assertEquals("c", browse(queue));
    }

    @Test
    void duplicatesAreAllowedToASessionThatAsks() throws Exception {
        send(session, queue, "a", "b", "c");
        Session lazy = connection.createSession(false, Session.DUPS_OK_ACKNOWLEDGE);
        MessageConsumer consumer = lazy.createConsumer(queue);
        assertEquals("a", text(consumer, SOON));
        assertEquals("b", text(consumer, SOON));
        assertEquals("c", text(consumer, SOON));
        lazy.close();
        assertEquals("", browse(queue));
    }

    @Test
    void aPoisonMessageGoesToTheBackoutQueue() throws Exception {
        Server.clear("DEV.JAVA.POISON", "DEV.JAVA.BACKOUT");
        Queue poison = session.createQueue("DEV.JAVA.POISON");
        send(session, poison, "poison", "good");
        Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
        MessageConsumer consumer = transacted.createConsumer(poison);
        for (int n = 0; n < 2; n++) {
            assertEquals("poison", text(consumer, SOON));
            transacted.rollback();
        }
        assertEquals("good", text(consumer, SOON));
        transacted.commit();
        assertEquals("poison", browse(session.createQueue("DEV.JAVA.BACKOUT")));
        assertEquals("", browse(poison));
    }

    @Test
    void aListenerHearsMessagesInOrder() throws Exception {
        session.createConsumer(queue).setMessageListener(this::hear);
        Session sender = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        for (int n = 0; n < 50; n++) {
            send(sender, queue, "m" + n);
        }
        for (int n = 0; n < 50; n++) {
            assertEquals("m" + n, next());
        }
        assertNull(heard.poll());
    }

    @Test
    void aStoppedConnectionDeliversNothing() throws Exception {
        session.createConsumer(queue).setMessageListener(this::hear);
        Session sender = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        send(sender, queue, "a");
        assertEquals("a", next());
        connection.stop();
        send(sender, queue, "b");
        assertNull(heard.poll(BRIEFLY, TimeUnit.MILLISECONDS));
        connection.start();
        assertEquals("b", next());
    }

    @Test
    void twoListenersOfASessionHearTheirQueues() throws Exception {
        connection.stop();
        session.createConsumer(queue).setMessageListener(this::hear);
        session.createConsumer(other).setMessageListener(this::hear);
        connection.start();
        Session sender = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        send(sender, queue, "a");
        assertEquals("a", next());
        send(sender, other, "b");
        assertEquals("b", next());
    }

    @Test
    void aListenerThatRollsBackHearsAgain() throws Exception {
        Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
        AtomicInteger calls = new AtomicInteger();
        transacted.createConsumer(queue).setMessageListener(message -> {
            try {
                if (calls.incrementAndGet() == 1) {
                    transacted.rollback();
                } else {
                    hear(message);
                    transacted.commit();
                }
            } catch (JMSException error) {
                heard.add(error.toString());
            }
        });
        Session sender = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        send(sender, queue, "twice");
        assertEquals("twice", next());
        assertEquals(2, calls.get());
        connection.stop();
        connection.close();
        connection = factory.createConnection();
        session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        assertEquals("", browse(queue));
    }

    @Test
    void aListenerThatThrowsHearsAgain() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        session.createConsumer(queue).setMessageListener(message -> {
            if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("first time");
            }
            hear(message);
        });
        Session sender = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        send(sender, queue, "twice");
        assertEquals("twice", next());
    }

    @Test
    void aSelectorOfAListener() throws Exception {
        session.createConsumer(queue, "JMSType = 'wanted'").setMessageListener(this::hear);
        Session sender = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        for (String type : new String[] {"other", "wanted"}) {
            TextMessage message = sender.createTextMessage(type);
            message.setJMSType(type);
            sender.createProducer(queue).send(message);
        }
        assertEquals("wanted", next());
        assertNull(heard.poll(BRIEFLY, TimeUnit.MILLISECONDS));
    }

    @Test
    void anUnacknowledgedMessageComesBack() throws Exception {
        send(session, queue, "a");
        Session client = connection.createSession(false, Session.CLIENT_ACKNOWLEDGE);
        assertNotNull(client.createConsumer(queue).receive(SOON));
        assertEquals("", browse(queue));
        client.close();
        Message again = session.createConsumer(queue).receive(SOON);
        assertFalse(again == null);
    }
}
