import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.jms.JmsFactoryFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import javax.jms.BytesMessage;
import javax.jms.Connection;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Queue;
import javax.jms.Session;

/** A Java client for benchmarks/clients.py: does the commands of stdin, and answers each with one line. */
class Clients {
    private static final List<Connection> KEPT = new ArrayList<>();
    private static JmsConnectionFactory factory;
    private static byte[] body;

    public static void main(String[] arguments) throws Exception {
        factory = JmsFactoryFactory.getInstance(WMQConstants.WMQ_PROVIDER).createConnectionFactory();
        factory.setStringProperty(WMQConstants.WMQ_HOST_NAME, "127.0.0.1");
        factory.setIntProperty(WMQConstants.WMQ_PORT, Integer.parseInt(arguments[0]));
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, "DEV.APP.SVRCONN");
        factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
        body = new byte[Integer.parseInt(arguments[1])];
        Connection connection = factory.createConnection();
        connection.start();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        Queue queue = session.createQueue("queue:///DEV.QUEUE.1?targetClient=1");
        MessageProducer producer = session.createProducer(queue);
        MessageConsumer consumer = session.createConsumer(queue);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ");
            int count = Integer.parseInt(words[1]);
            long begin = System.nanoTime();
            switch (words[0]) {
                case "persistent", "nonpersistent" -> {
                    producer.setDeliveryMode(words[0].equals("persistent") ? 2 : 1);
                    for (int n = 0; n < count; n++) {
                        producer.send(message(session));
                    }
                    System.out.println(count * 1e9 / (System.nanoTime() - begin));
                }
                case "receive" -> {
                    for (int n = 0; n < count; n++) {
                        consumer.receive();
                    }
                    System.out.println(count * 1e9 / (System.nanoTime() - begin));
                }
                case "conversations" -> System.out.println(conversations(count, Double.parseDouble(words[2])));
                case "listen" -> listen();
                default -> idle(count);
            }
        }
    }

    private static Message message(Session session) throws Exception {
        BytesMessage message = session.createBytesMessage();
        message.writeBytes(body);
        return message;
    }

    /** Have sessions send at the same time; return the numbers of their messages. */
    private static String conversations(int count, double seconds) throws Exception {
        Connection connection = factory.createConnection();
        AtomicIntegerArray sent = new AtomicIntegerArray(count);
        List<Thread> threads = new ArrayList<>();
        long[] end = new long[1];
        for (int n = 0; n < count; n++) {
            int own = n;
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageProducer producer = session.createProducer(session.createQueue("queue:///DEV.QUEUE.2"));
            producer.setDeliveryMode(1);
            threads.add(new Thread(() -> {
                try {
                    while (System.nanoTime() < end[0]) {
                        producer.send(message(session));
                        sent.incrementAndGet(own);
                    }
                } catch (Exception error) {
                    throw new IllegalStateException(error);
                }
            }));
        }
        end[0] = System.nanoTime() + (long) (seconds * 1e9);
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        connection.close();
        return sent.toString();
    }

    /** Print for each message that a listener hears the nanoseconds since the time that its text says. */
    private static void listen() throws Exception {
        Connection connection = factory.createConnection();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        session.createConsumer(session.createQueue("DEV.QUEUE.3")).setMessageListener(message -> {
            try {
                Instant now = Instant.now();
                String text = new String(message.getBody(byte[].class));
                System.out.println(now.getEpochSecond() * 1_000_000_000L + now.getNano() - Long.parseLong(text));
            } catch (Exception error) {
                System.out.println(error);
            }
        });
        connection.start();
        KEPT.add(connection);
        System.out.println("ready");
    }

    /** Keep connections whose listeners wait. */
    private static void idle(int count) throws Exception {
        for (int n = 0; n < count; n++) {
            Connection connection = factory.createConnection();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            session.createConsumer(session.createQueue("DEV.QUEUE.3")).setMessageListener(message -> {});
            connection.start();
            KEPT.add(connection);
        }
        System.out.println("ready");
    }
}
