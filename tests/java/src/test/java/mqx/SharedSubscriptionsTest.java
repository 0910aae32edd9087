package mqx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import javax.jms.Connection;
import javax.jms.JMSException;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Session;
import javax.jms.TextMessage;
import javax.jms.Topic;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Shared subscriptions of JMS 2.0: several consumers, on several connections, of one subscription. */
class SharedSubscriptionsTest extends Jms {
    private Connection another;
    private Session second;
    private Topic topic;

    @BeforeEach
    void connectAgain() throws Exception {
        another = factory.createConnection();
        second = another.createSession(false, Session.AUTO_ACKNOWLEDGE);
        another.start();
        topic = session.createTopic("topic://dev/java/shared");
    }

    @AfterEach
    void disconnectAgain() throws Exception {
        another.close();
    }

    private void publish(String... texts) throws JMSException {
        MessageProducer producer = session.createProducer(topic);
        for (String text : texts) {
            producer.send(session.createTextMessage(text));
        }
        producer.close();
    }

    @Test
    void eachPublicationGoesToOneConsumer() throws Exception {
        MessageConsumer one = session.createSharedConsumer(topic, "one");
        MessageConsumer two = second.createSharedConsumer(topic, "one");
        MessageConsumer other = second.createSharedConsumer(topic, "other");
        publish("a", "b", "c");
        assertEquals(Set.of("a", "b", "c"), new TreeSet<>(Set.of(text(one, SOON), text(two, SOON), text(one, SOON))));
        assertNull(one.receiveNoWait());
        assertNull(two.receiveNoWait());
        assertEquals("a", text(other, SOON));
        one.close();
        publish("d");
        assertEquals("d", text(two, SOON));
    }

    @Test
    void anotherTopicIsRefusedWhileThereAreConsumers() throws Exception {
        Topic elsewhere = session.createTopic("topic://dev/java/elsewhere");
        MessageConsumer one = session.createSharedConsumer(topic, "one");
        assertThrows(JMSException.class, () -> second.createSharedConsumer(elsewhere, "one"));
        one.close();
        second.createSharedConsumer(elsewhere, "one").close();
    }

    @Test
    void aDurableOneKeepsPublicationsUntilItIsUnsubscribed() throws Exception {
        MessageConsumer one = session.createSharedDurableConsumer(topic, "durable");
        MessageConsumer two = second.createSharedDurableConsumer(topic, "durable");
        assertThrows(JMSException.class, () -> session.unsubscribe("durable"));
        one.close();
        two.close();
        publish("kept");
        one = second.createSharedDurableConsumer(topic, "durable");
        assertEquals("kept", text(one, SOON));
        one.close();
        session.unsubscribe("durable");
        assertThrows(JMSException.class, () -> session.unsubscribe("durable"));
    }

    @Test
    void consumersThatComeAndGoMissNothing() throws Exception {
        MessageConsumer stays = session.createSharedDurableConsumer(topic, "busy");
        Set<String> seen = new TreeSet<>();
        for (int n = 0; n < 30; n++) {
            MessageConsumer comes = second.createSharedDurableConsumer(topic, "busy");
            publish(n + "a", n + "b");
            seen.add(text(n % 2 == 0 ? comes : stays, SOON));
            seen.add(text(n % 3 == 0 ? comes : stays, SOON));
            comes.close();
        }
        assertEquals(60, seen.size());
        assertNull(stays.receiveNoWait());
        stays.close();
        session.unsubscribe("busy");
    }

    @Test
    void aDelayedMessageIsReceivedAtItsTime() throws Exception {
        MessageConsumer consumer = session.createConsumer(queue);
        MessageProducer producer = session.createProducer(queue);
        producer.setDeliveryDelay(400);
        long before = System.currentTimeMillis();
        TextMessage sent = session.createTextMessage("later");
        producer.send(sent);
        assertNull(consumer.receiveNoWait());
        TextMessage received = (TextMessage) consumer.receive(SOON);
        assertNotNull(received);
        assertEquals(true, TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis() - before) < 3);
        assertEquals(true, System.currentTimeMillis() >= before + 400);
        assertEquals(sent.getJMSDeliveryTime(), received.getJMSDeliveryTime());
    }

    @Test
    void aDelayedPublicationIsReceivedAtItsTime() throws Exception {
        MessageConsumer consumer = session.createSharedConsumer(topic, "delayed");
        MessageProducer producer = second.createProducer(topic);
        producer.setDeliveryDelay(400);
        producer.send(second.createTextMessage("news"));
        assertNull(text(consumer, BRIEFLY));
        assertEquals("news", text(consumer, SOON));
    }

    @Test
    void aDelayBeginsWithTheSendAndNotWithTheCommit() throws Exception {
        Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
        MessageProducer producer = transacted.createProducer(queue);
        producer.setDeliveryDelay(300);
        producer.send(transacted.createTextMessage("x"));
        Thread.sleep(350);
        MessageConsumer consumer = session.createConsumer(queue);
        assertNull(consumer.receiveNoWait());
        transacted.commit();
        assertEquals("x", text(consumer, SOON));
    }
}
