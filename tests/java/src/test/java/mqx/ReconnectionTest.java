package mqx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.jms.Connection;
import javax.jms.JMSException;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Queue;
import javax.jms.Session;
import javax.jms.TextMessage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a client sees when its socket breaks, with and without automatic reconnection. */
class ReconnectionTest {
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

    @BeforeEach
    void clear() throws Exception {
        Server.clear(Server.QUEUE);
    }

    private Connection connect(Proxy proxy, int option) throws JMSException {
        JmsConnectionFactory factory = Server.factory();
        factory.setIntProperty(WMQConstants.WMQ_PORT, proxy.port());
        factory.setIntProperty(WMQConstants.WMQ_CLIENT_RECONNECT_OPTIONS, option);
        factory.setIntProperty(WMQConstants.WMQ_CLIENT_RECONNECT_TIMEOUT, 30);
        Connection connection = factory.createConnection();
        connection.start();
        return connection;
    }

    @Test
    void aClientContinuesOnANewSocket() throws Exception {
        try (Proxy proxy = new Proxy();
                Connection connection = connect(proxy, WMQConstants.WMQ_CLIENT_RECONNECT)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue(Server.QUEUE);
            MessageProducer producer = session.createProducer(queue);
            MessageConsumer consumer = session.createConsumer(queue);
            producer.send(session.createTextMessage("before"));
            proxy.cut();
            assertEquals("before", Jms.text(consumer, 20000));
            producer.send(session.createTextMessage("after"));
            assertEquals("after", Jms.text(consumer, 20000));
        }
    }

    @Test
    void aListenerContinues() throws Exception {
        try (Proxy proxy = new Proxy();
                Connection connection = connect(proxy, WMQConstants.WMQ_CLIENT_RECONNECT_Q_MGR)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            session.createConsumer(session.createQueue(Server.QUEUE)).setMessageListener(message -> {
                try {
                    heard.add(((TextMessage) message).getText());
                } catch (JMSException error) {
                    heard.add(error.toString());
                }
            });
            proxy.cut();
            try (Connection another = Server.factory().createConnection()) {
                Session sender = another.createSession(false, Session.AUTO_ACKNOWLEDGE);
                sender.createProducer(sender.createQueue(Server.QUEUE)).send(sender.createTextMessage("again"));
            }
            assertEquals("again", heard.poll(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void aTransactionEndsWithItsSocket() throws Exception {
        try (Proxy proxy = new Proxy();
                Connection connection = connect(proxy, WMQConstants.WMQ_CLIENT_RECONNECT)) {
            Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
            Queue queue = session.createQueue(Server.QUEUE);
            MessageProducer producer = session.createProducer(queue);
            producer.send(session.createTextMessage("lost"));
            proxy.cut();
            assertThrows(JMSException.class, session::commit); // 2549, the caller does it again
            session.rollback();
            producer.send(session.createTextMessage("kept"));
            session.commit();
            MessageConsumer consumer = session.createConsumer(queue);
            assertEquals("kept", Jms.text(consumer, 5000));
            session.commit();
        }
    }

    @Test
    void withoutReconnectionTheConnectionIsBroken() throws Exception {
        try (Proxy proxy = new Proxy()) {
            Connection connection = connect(proxy, WMQConstants.WMQ_CLIENT_RECONNECT_DISABLED);
            connection.setExceptionListener(error -> heard.add(error.getErrorCode()));
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageConsumer consumer = session.createConsumer(session.createQueue(Server.QUEUE));
            proxy.cut();
            assertEquals(2009, Server.reason(consumer::receive));
            assertNotNull(heard.poll(5, TimeUnit.SECONDS));
        }
    }
}
