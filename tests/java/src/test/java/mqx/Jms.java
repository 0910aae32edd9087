package mqx;

import com.ibm.msg.client.jms.JmsConnectionFactory;
import java.util.Enumeration;
import javax.jms.Connection;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Queue;
import javax.jms.QueueBrowser;
import javax.jms.Session;
import javax.jms.TextMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A started connection for each test, with one session that acknowledges automatically, on empty queues. */
abstract class Jms {
    /** Milliseconds in which a message that is there must arrive, and in which none may. */
    static final long SOON = 5000;
    static final long BRIEFLY = 150;

    JmsConnectionFactory factory;
    Connection connection;
    Session session;
    Queue queue;
    Queue other;

    @BeforeEach
    void connect() throws Exception {
        Server.clear(Server.QUEUE, Server.OTHER);
        factory = Server.factory();
        connection = factory.createConnection();
        session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        queue = session.createQueue("queue:///" + Server.QUEUE);
        other = session.createQueue("queue:///" + Server.OTHER);
        connection.start();
    }

    @AfterEach
    void disconnect() throws Exception {
        connection.close();
    }

    void send(Session session, Queue to, String... texts) throws JMSException {
        MessageProducer producer = session.createProducer(to);
        for (String text : texts) {
            producer.send(session.createTextMessage(text));
        }
        producer.close();
    }

    /** Return the text of the next message, null if there is none soon. */
    static String text(MessageConsumer consumer, long wait) throws JMSException {
        Message message = consumer.receive(wait);
        return message == null ? null : ((TextMessage) message).getText();
    }

    /** Return the texts on a queue without removing them. */
    String browse(Queue from) throws JMSException {
        StringBuilder texts = new StringBuilder();
        QueueBrowser browser = session.createBrowser(from);
        for (Enumeration<?> messages = browser.getEnumeration(); messages.hasMoreElements(); ) {
            texts.append(((TextMessage) messages.nextElement()).getText()).append(' ');
        }
        browser.close();
        return texts.toString().trim();
    }
}
