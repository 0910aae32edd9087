package mqx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.jms.Connection;
import javax.jms.JMSException;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Session;
import javax.jms.TemporaryTopic;
import javax.jms.TextMessage;
import javax.jms.Topic;
import javax.jms.TopicSubscriber;
import org.junit.jupiter.api.Test;

/** Publications and subscriptions. */
class JmsTopicsTest extends Jms {
    private void publish(String topic, String... texts) throws JMSException {
        MessageProducer producer = session.createProducer(session.createTopic("topic://" + topic));
        for (String text : texts) {
            producer.send(session.createTextMessage(text));
        }
        producer.close();
    }

    private Topic topic(String name) throws JMSException {
        return session.createTopic("topic://" + name);
    }

    @Test
    void eachSubscriberReceivesAPublication() throws Exception {
        MessageConsumer first = session.createConsumer(topic("dev/java/a"));
        MessageConsumer second = session.createConsumer(topic("dev/java/a"));
        publish("dev/java/a", "news");
        publish("dev/java/b", "of another topic");
        assertEquals("news", text(first, SOON));
        assertEquals("news", text(second, SOON));
        assertNull(first.receiveNoWait());
        first.close();
        publish("dev/java/a", "later");
        assertEquals("later", text(second, SOON));
    }

    @Test
    void wildcards() throws Exception {
        MessageConsumer many = session.createConsumer(topic("dev/java/#"));
        MessageConsumer one = session.createConsumer(topic("dev/java/+/x"));
        publish("dev/java/a/x", "1");
        publish("dev/java/a/b/x", "2");
        publish("dev/java", "3");
        assertEquals("1", text(many, SOON));
        assertEquals("2", text(many, SOON));
        assertEquals("3", text(many, SOON));
        assertEquals("1", text(one, SOON));
        assertNull(one.receiveNoWait());
    }

    @Test
    void aListenerOfATopic() throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        session.createConsumer(topic("dev/java/heard")).setMessageListener(message -> {
            try {
                heard.add(((TextMessage) message).getText());
            } catch (JMSException error) {
                heard.add(error.toString());
            }
        });
        Session publisher = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageProducer producer = publisher.createProducer(publisher.createTopic("topic://dev/java/heard"));
        producer.send(publisher.createTextMessage("a"));
        assertEquals("a", heard.poll(SOON, TimeUnit.MILLISECONDS));
    }

    @Test
    void aTransactedPublication() throws Exception {
        MessageConsumer consumer = session.createConsumer(topic("dev/java/t"));
        Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
        MessageProducer producer = transacted.createProducer(topic("dev/java/t"));
        producer.send(transacted.createTextMessage("no"));
        transacted.rollback();
        producer.send(transacted.createTextMessage("yes"));
        assertNull(consumer.receiveNoWait());
        transacted.commit();
        assertEquals("yes", text(consumer, SOON));
    }

    @Test
    void aSubscriberOfItsOwnPublicationsMayRefuseThem() throws Exception {
        MessageConsumer others = session.createConsumer(topic("dev/java/local"), null, true);
        publish("dev/java/local", "mine");
        try (Connection another = factory.createConnection()) {
            Session publisher = another.createSession(false, Session.AUTO_ACKNOWLEDGE);
            publisher.createProducer(topic("dev/java/local")).send(publisher.createTextMessage("theirs"));
        }
        assertEquals("theirs", text(others, SOON));
        assertNull(others.receiveNoWait());
    }

    @Test
    void selectorsOfASubscription() throws Exception {
        MessageConsumer red = session.createConsumer(topic("dev/java/s"), "colour = 'red'");
        MessageProducer producer = session.createProducer(topic("dev/java/s"));
        for (String colour : new String[] {"blue", "red"}) {
            TextMessage message = session.createTextMessage(colour);
            message.setStringProperty("colour", colour);
            producer.send(message);
        }
        assertEquals("red", text(red, SOON));
        assertNull(red.receiveNoWait());
    }

    @Test
    void aDurableSubscriptionKeepsPublications() throws Exception {
        try (Connection durable = factory.createConnection()) {
            durable.setClientID("mqx");
            durable.start();
            Session subscriber = durable.createSession(false, Session.AUTO_ACKNOWLEDGE);
            TopicSubscriber subscription = subscriber.createDurableSubscriber(topic("dev/java/d"), "kept");
            publish("dev/java/d", "a");
            assertEquals("a", text(subscription, SOON));
            subscription.close();
            publish("dev/java/d", "while away");
        }
        try (Connection durable = factory.createConnection()) {
            durable.setClientID("mqx");
            durable.start();
            Session subscriber = durable.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageConsumer subscription = subscriber.createDurableConsumer(topic("dev/java/d"), "kept");
            assertEquals("while away", text(subscription, SOON));
            assertThrows(JMSException.class, () -> subscriber.unsubscribe("kept"));
            subscription.close();
            subscriber.unsubscribe("kept");
            assertThrows(JMSException.class, () -> subscriber.unsubscribe("kept"));
        }
    }

    @Test
    void aTemporaryTopic() throws Exception {
        TemporaryTopic temporary = session.createTemporaryTopic();
        MessageConsumer consumer = session.createConsumer(temporary);
        session.createProducer(temporary).send(session.createTextMessage("x"));
        assertEquals("x", text(consumer, SOON));
        consumer.close();
        temporary.delete();
    }

    @Test
    void aTopicObjectHasItsString() throws Exception {
        MessageConsumer consumer = session.createConsumer(topic("dev/java/object"));
        MessageProducer producer = session.createProducer(topic("dev/java/object"));
        TextMessage message = session.createTextMessage("x");
        message.setIntProperty("n", 5);
        producer.send(message);
        TextMessage received = (TextMessage) consumer.receive(SOON);
        assertEquals("topic://dev/java/object", received.getJMSDestination().toString().replaceAll("\\?.*", ""));
        assertEquals(5, received.getIntProperty("n"));
    }
}
