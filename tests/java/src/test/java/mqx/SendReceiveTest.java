package mqx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.Queue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The short way through: one program sends and receives as an application does. */
class SendReceiveTest {
    @BeforeEach
    void clear() throws Exception {
        Server.clear(Server.QUEUE);
    }

    @Test
    void aMessageIsSentAndReceived() throws Exception {
        try (JMSContext context = Server.factory().createContext()) {
            Queue queue = context.createQueue("queue:///" + Server.QUEUE);
            context.createProducer().setProperty("colour", "red").send(queue, "hello");
            JMSConsumer consumer = context.createConsumer(queue, "colour = 'red'");
            assertEquals("hello", consumer.receiveBody(String.class, 5000));
            assertNull(consumer.receiveNoWait());
        }
    }
}
