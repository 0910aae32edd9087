import com.ibm.msg.client.jakarta.jms.JmsConnectionFactory;
import com.ibm.msg.client.jakarta.jms.JmsFactoryFactory;
import com.ibm.msg.client.jakarta.wmq.WMQConstants;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Queue;
import java.util.concurrent.CountDownLatch;

/** Sends, receives or listens for orders on DEV.QUEUE.1. */
public final class Orders {
    private static final long WAIT_MS = 5_000;

    private Orders() {}

    /** Run a command: send ITEM TEXT, receive, or listen COUNT. MQ_CONN_NAME is HOST(PORT). */
    public static void main(String[] arguments) throws Exception {
        try (JMSContext context = connect(System.getenv("MQ_CONN_NAME"))) {
            switch (arguments[0]) {
                case "send" -> send(context, arguments[1], arguments[2]);
                case "receive" -> System.out.println(receive(context, WAIT_MS));
                case "listen" -> listen(context, Integer.parseInt(arguments[1]));
                default -> throw new IllegalArgumentException("send ITEM TEXT, receive, or listen COUNT");
            }
        }
    }

    /** Connect as user app if MQ_APP_PASSWORD is set, else as the user that runs this program. */
    static JMSContext connect(String connectionName) throws JMSException {
        JmsConnectionFactory factory =
                JmsFactoryFactory.getInstance(WMQConstants.JAKARTA_WMQ_PROVIDER).createConnectionFactory();
        factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
        factory.setStringProperty(WMQConstants.WMQ_CONNECTION_NAME_LIST, connectionName);
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, "DEV.APP.SVRCONN");
        factory.setStringProperty(WMQConstants.WMQ_APPLICATIONNAME, "Orders");
        String suite = System.getenv("MQ_CIPHER_SUITE");
        if (suite != null) {
            factory.setStringProperty(WMQConstants.WMQ_SSL_CIPHER_SUITE, suite);
        }
        String password = System.getenv("MQ_APP_PASSWORD");
        return password == null ? factory.createContext() : factory.createContext("app", password);
    }

    static void send(JMSContext context, String item, String text) {
        context.createProducer().setProperty("item", item).send(queue(context), text);
    }

    /** Return the text of the next order, null if there is none in time. */
    static String receive(JMSContext context, long waitMs) {
        try (var consumer = context.createConsumer(queue(context))) {
            return consumer.receiveBody(String.class, waitMs);
        }
    }

    /** Print orders as they arrive. */
    static void listen(JMSContext context, int count) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(count);
        context.createConsumer(queue(context)).setMessageListener(message -> {
            try {
                System.out.println(message.getStringProperty("item") + ": " + message.getBody(String.class));
            } catch (JMSException error) {
                throw new IllegalStateException(error);
            }
            left.countDown();
        });
        left.await();
    }

    private static Queue queue(JMSContext context) {
        return context.createQueue("queue:///DEV.QUEUE.1");
    }
}
