package mqx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.ibm.msg.client.wmq.WMQConstants;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.jms.CompletionListener;
import javax.jms.DeliveryMode;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.JMSProducer;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Queue;
import javax.jms.QueueConnection;
import javax.jms.QueueReceiver;
import javax.jms.QueueRequestor;
import javax.jms.QueueSession;
import javax.jms.Session;
import javax.jms.TemporaryQueue;
import javax.jms.TextMessage;
import org.junit.jupiter.api.Test;

/** Sending to queues, receiving and browsing, with the interfaces of JMS 1.1 and 2.0. */
class JmsQueuesTest extends Jms {
    @Test
    void receivesWithAndWithoutWait() throws Exception {
        MessageConsumer consumer = session.createConsumer(queue);
        assertNull(consumer.receiveNoWait());
        assertNull(consumer.receive(BRIEFLY));
        send(session, queue, "one", "two");
        assertEquals("one", ((TextMessage) consumer.receiveNoWait()).getText());
        assertEquals("two", text(consumer, 0));
        assertNull(consumer.receiveNoWait());
    }

    @Test
    void aWaitEndsWithTheMessageOfAnotherSession() throws Exception {
        MessageConsumer consumer = session.createConsumer(queue);
        CompletableFuture<String> waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return text(consumer, 0);
            } catch (JMSException error) {
                throw new IllegalStateException(error);
            }
        });
        Thread.sleep(BRIEFLY);
        Session sender = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        send(sender, queue, "late");
        assertEquals("late", waiting.get(SOON, TimeUnit.MILLISECONDS));
    }

    @Test
    void closingAConsumerEndsItsWait() throws Exception {
        MessageConsumer consumer = session.createConsumer(queue);
        CompletableFuture<Message> waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return consumer.receive();
            } catch (JMSException error) {
                throw new IllegalStateException(error);
            }
        });
        Thread.sleep(BRIEFLY);
        consumer.close();
        assertNull(waiting.get(SOON, TimeUnit.MILLISECONDS));
        send(session, queue, "still there");
        assertEquals("still there", browse(queue));
    }

    @Test
    void selectors() throws Exception {
        MessageProducer producer = session.createProducer(queue);
        for (int n = 1; n <= 4; n++) {
            TextMessage message = session.createTextMessage("m" + n);
            message.setIntProperty("n", n);
            message.setStringProperty("colour", n % 2 == 0 ? "red" : "blue");
            message.setJMSCorrelationID("c" + n);
            producer.send(message, DeliveryMode.NON_PERSISTENT, n, 0);
        }
        assertEquals("m2", text(session.createConsumer(queue, "colour = 'red' AND n < 3"), SOON));
        assertEquals("m4", text(session.createConsumer(queue, "JMSPriority > 3 AND colour LIKE 'r_d'"), SOON));
        assertEquals("m1", text(session.createConsumer(queue, "JMSCorrelationID = 'c1'"), SOON));
        assertNull(session.createConsumer(queue, "n IN (7, 8) OR absent IS NOT NULL").receiveNoWait());
        assertEquals("m3", text(session.createConsumer(queue, "n BETWEEN 3 AND 5"), SOON));
        assertThrows(JMSException.class, () -> session.createConsumer(queue, "n = = 3"));
    }

    @Test
    void aMessageIdSelectsItsMessage() throws Exception {
        send(session, queue, "first");
        TextMessage second = session.createTextMessage("second");
        session.createProducer(queue).send(second);
        String selector = "JMSMessageID = '" + second.getJMSMessageID() + "'";
        assertEquals("second", text(session.createConsumer(queue, selector), SOON));
        assertEquals("first", browse(queue));
    }

    @Test
    void aBrowserLeavesTheMessages() throws Exception {
        send(session, queue, "a", "b", "c");
        assertEquals("a b c", browse(queue));
        assertEquals("a b c", browse(queue));
        MessageConsumer consumer = session.createConsumer(queue);
        assertEquals("a", text(consumer, SOON));
        assertEquals("b c", browse(queue));
    }

    @Test
    void aRequestIsAnsweredOnATemporaryQueue() throws Exception {
        TemporaryQueue answers = session.createTemporaryQueue();
        TextMessage request = session.createTextMessage("question");
        request.setJMSReplyTo(answers);
        session.createProducer(queue).send(request);

        Session responder = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        Message asked = responder.createConsumer(queue).receive(SOON);
        TextMessage answer = responder.createTextMessage("answer");
        answer.setJMSCorrelationID(asked.getJMSMessageID());
        responder.createProducer(null).send(asked.getJMSReplyTo(), answer);

        MessageConsumer consumer = session.createConsumer(answers);
        Message received = consumer.receive(SOON);
        assertEquals("answer", ((TextMessage) received).getText());
        assertEquals(request.getJMSMessageID(), received.getJMSCorrelationID());
        consumer.close();
        answers.delete();
        assertThrows(JMSException.class, () -> session.createConsumer(answers));
    }

    @Test
    void queueInterfacesOfJms11() throws Exception {
        QueueConnection old = Server.queueConnection();
        old.start();
        QueueSession asking = old.createQueueSession(false, Session.AUTO_ACKNOWLEDGE);
        QueueSession answering = old.createQueueSession(false, Session.AUTO_ACKNOWLEDGE);
        CompletableFuture<Void> answered = CompletableFuture.runAsync(() -> {
            try {
                QueueReceiver receiver = answering.createReceiver(queue);
                TextMessage asked = (TextMessage) receiver.receive(SOON);
                TextMessage answer = answering.createTextMessage(asked.getText() + " 42");
                answer.setJMSCorrelationID(asked.getJMSMessageID());
                answering.createSender((Queue) asked.getJMSReplyTo()).send(answer);
            } catch (JMSException error) {
                throw new IllegalStateException(error);
            }
        });
        QueueRequestor requestor = new QueueRequestor(asking, queue);
        assertEquals("what? 42", ((TextMessage) requestor.request(asking.createTextMessage("what?"))).getText());
        answered.get(SOON, TimeUnit.MILLISECONDS);
        old.close();
    }

    @Test
    void aTemporaryQueueGoesWithItsConnection() throws Exception {
        TemporaryQueue temporary = session.createTemporaryQueue();
        send(session, temporary, "x");
        String name = temporary.getQueueName();
        connection.close();
        connection = factory.createConnection();
        session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        assertEquals(2085, Server.reason(() -> session.createConsumer(session.createQueue(name))));
    }

    @Test
    void aTemporaryQueueOfAnotherModel() throws Exception {
        factory.setStringProperty(WMQConstants.WMQ_TEMPORARY_MODEL, "DEV.APP.MODEL.QUEUE");
        factory.setStringProperty(WMQConstants.WMQ_TEMP_Q_PREFIX, "DEV.JAVA.T.*");
        try (JMSContext context = factory.createContext()) {
            TemporaryQueue temporary = context.createTemporaryQueue();
            assertTrue(temporary.getQueueName().contains("DEV.JAVA.T."));
            context.createProducer().send(temporary, "x");
            assertEquals("x", context.createConsumer(temporary).receiveBody(String.class, SOON));
        }
    }

    @Test
    void contextsAndProducersOfJms20() throws Exception {
        try (JMSContext context = factory.createContext(JMSContext.AUTO_ACKNOWLEDGE)) {
            JMSProducer producer = context.createProducer().setPriority(8).setProperty("n", 3).setJMSType("t");
            producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT).send(queue, new byte[] {1, 2});
            JMSConsumer consumer = context.createConsumer(queue, "n = 3");
            Message received = consumer.receive(SOON);
            assertEquals(2, received.getBody(byte[].class).length);
            assertEquals(8, received.getJMSPriority());
            JMSContext second = context.createContext(JMSContext.SESSION_TRANSACTED);
            second.createProducer().send(queue, "rolled back");
            second.rollback();
            second.createProducer().send(queue, "committed");
            second.commit();
            second.close();
            assertEquals("committed", context.createConsumer(queue).receiveBody(String.class, SOON));
        }
    }

    @Test
    void aCompletionListenerHearsOfEachSend() throws Exception {
        CountDownLatch completed = new CountDownLatch(20);
        List<Exception> failed = new ArrayList<>();
        MessageProducer producer = session.createProducer(queue);
        CompletionListener listener = new CompletionListener() {
            @Override
            public void onCompletion(Message message) {
                completed.countDown();
            }

            @Override
            public void onException(Message message, Exception error) {
                failed.add(error);
            }
        };
        for (int n = 0; n < 20; n++) {
            producer.send(session.createTextMessage("m" + n), listener);
        }
        assertTrue(completed.await(SOON, TimeUnit.MILLISECONDS));
        assertEquals(List.of(), failed);
        assertEquals(20, browse(queue).split(" ").length);
    }

    @Test
    void asynchronousPuts() throws Exception {
        Queue fast = session.createQueue("queue:///" + Server.QUEUE + "?putAsyncAllowed=" + WMQConstants.WMQ_PUT_ASYNC_ALLOWED_ENABLED);
        MessageProducer producer = session.createProducer(fast);
        producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
        for (int n = 0; n < 100; n++) {
            producer.send(session.createTextMessage("m" + n));
        }
        producer.close();
        MessageConsumer consumer = session.createConsumer(queue);
        for (int n = 0; n < 100; n++) {
            assertEquals("m" + n, text(consumer, SOON));
        }
    }

    @Test
    void readAheadKeepsOrderAndLosesNothing() throws Exception {
        for (int mode : new int[] {DeliveryMode.NON_PERSISTENT, DeliveryMode.PERSISTENT}) {
            MessageProducer producer = session.createProducer(queue);
            producer.setDeliveryMode(mode);
            for (int n = 0; n < 200; n++) {
                producer.send(session.createTextMessage("m" + n));
            }
            Queue ahead = session.createQueue("queue:///" + Server.QUEUE + "?readAheadAllowed=" + WMQConstants.WMQ_READ_AHEAD_ALLOWED_ENABLED);
            MessageConsumer consumer = session.createConsumer(ahead);
            for (int n = 0; n < 200; n++) {
                assertEquals("m" + n, text(consumer, SOON), "delivery mode " + mode);
            }
            assertNull(consumer.receiveNoWait());
            consumer.close();
        }
    }

    @Test
    void moreSessionsThanConversationsOfASocket() throws Exception {
        List<MessageConsumer> consumers = new ArrayList<>();
        for (int n = 0; n < 25; n++) {
            consumers.add(connection.createSession(false, Session.AUTO_ACKNOWLEDGE).createConsumer(queue));
        }
        send(session, queue, "one");
        int received = 0;
        for (MessageConsumer consumer : consumers) {
            received += consumer.receiveNoWait() == null ? 0 : 1;
        }
        assertEquals(1, received);
    }

    @Test
    void errorsHaveTheReasonOfTheQueueManager() throws Exception {
        assertEquals(2085, Server.reason(() -> session.createConsumer(session.createQueue("NO.SUCH.QUEUE"))));
        assertEquals(2085, Server.reason(() -> session.createProducer(session.createQueue("NO.SUCH.QUEUE"))));
        Queue inhibited = session.createQueue("DEV.JAVA.INHIBITED");
        assertEquals(2051, Server.reason(() -> send(session, inhibited, "x")));
        assertEquals(2016, Server.reason(() -> session.createConsumer(inhibited).receiveNoWait()));
        Queue small = session.createQueue("DEV.JAVA.SMALL");
        Server.clear("DEV.JAVA.SMALL");
        send(session, small, "x");
        assertEquals(2053, Server.reason(() -> send(session, small, "y")));
        assertEquals(2030, Server.reason(() -> send(session, small, "y".repeat(2000))));
        MessageConsumer consumer = session.createConsumer(small);
        assertNotNull(consumer.receive(SOON));
        assertFalse(session.getTransacted());
    }
}
