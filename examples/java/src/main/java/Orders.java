import com.ibm.msg.client.jakarta.jms.JmsConnectionFactory;
import com.ibm.msg.client.jakarta.jms.JmsFactoryFactory;
import com.ibm.msg.client.jakarta.wmq.WMQConstants;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Queue;
import java.util.concurrent.CountDownLatch;

/** Sends, receives or listens for orders on DEV.QUEUE.1. MQ_CONN_NAME is HOST(PORT); MQ_APP_PASSWORD is of user app. */
public final class Orders {
    private static final int WAIT_MS = 5_000;

    private Orders() {}

    public static void main(String[] arguments) throws Exception {
        try (JMSContext context = connect()) {
            Queue queue = context.createQueue("queue:///DEV.QUEUE.1");
            switch (arguments[0]) {
                case "send" -> context.createProducer().setProperty("item", arguments[1]).send(queue, arguments[2]);
                case "receive" -> System.out.println(context.createConsumer(queue).receiveBody(String.class, WAIT_MS));
                case "listen" -> listen(context, queue, Integer.parseInt(arguments[1]));
                default -> throw new IllegalArgumentException("send ITEM TEXT, receive, or listen COUNT");
            }
        }
    }

    private static void listen(JMSContext context, Queue queue, int count) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(count);
        context.createConsumer(queue).setMessageListener(message -> {
            try {
                System.out.println(message.getStringProperty("item") + ": " + message.getBody(String.class));
            } catch (JMSException error) {
                throw new IllegalStateException(error);
            }
            left.countDown();
        });
        left.await();
    }

    private static JMSContext connect() throws JMSException {
        JmsConnectionFactory factory = JmsFactoryFactory.getInstance(WMQConstants.JAKARTA_WMQ_PROVIDER)
                .createConnectionFactory();
        factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
        factory.setStringProperty(WMQConstants.WMQ_CONNECTION_NAME_LIST, System.getenv("MQ_CONN_NAME"));
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, "DEV.APP.SVRCONN");
        factory.setStringProperty(WMQConstants.WMQ_APPLICATIONNAME, "Orders");
        String suite = System.getenv("MQ_CIPHER_SUITE");
        if (suite != null) {
            factory.setStringProperty(WMQConstants.WMQ_SSL_CIPHER_SUITE, suite);
        }
        String password = System.getenv("MQ_APP_PASSWORD");
        return password == null ? factory.createContext() : factory.createContext("app", password);
    }
}
