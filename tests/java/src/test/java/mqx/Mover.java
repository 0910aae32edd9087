package mqx;

import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import javax.jms.Connection;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Queue;
import javax.jms.Session;

/**
 * Works on the commands of stdin, for tests that break it off.
 *
 * <p>"connect PORT" answers "connected"; then "send TEXT", "put TEXT" (outside of a transaction), "get" and "move" are
 * done on that connection, and answer "done", "unknown" (the last call failed) or "failed". "forever PORT" moves
 * messages and prints each that is committed.
 */
final class Mover {
    private Mover() {}

    private static Connection connection;

    public static void main(String[] arguments) throws Exception {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "connect" -> {
                    connect(Integer.parseInt(words[1]));
                    System.out.println("connected");
                }
                case "forever" -> {
                    connect(Integer.parseInt(words[1]));
                    moveForever();
                }
                default -> {
                    System.out.println(work(words));
                    close();
                }
            }
        }
    }

    private static void connect(int port) throws JMSException {
        JmsConnectionFactory factory = Server.factory();
        factory.setIntProperty(WMQConstants.WMQ_PORT, port);
        factory.setIntProperty(WMQConstants.WMQ_CLIENT_RECONNECT_OPTIONS, WMQConstants.WMQ_CLIENT_RECONNECT_DISABLED);
        connection = factory.createConnection();
        connection.start();
    }

    private static void close() {
        try {
            connection.close();
        } catch (JMSException broken) {
            // The socket was cut.
        }
    }

    private static String work(String[] words) {
        String outcome = "failed";
        try {
            boolean transacted = !words[0].equals("put");
            Session session = connection.createSession(transacted, Session.AUTO_ACKNOWLEDGE);
            Queue from = session.createQueue("queue:///" + Server.QUEUE + "?targetClient=1");
            Queue to = session.createQueue("queue:///" + Server.OTHER + "?targetClient=1");
            if (words.length > 1) {
                MessageProducer producer = session.createProducer(from);
                outcome = transacted ? "failed" : "unknown";
                producer.send(session.createTextMessage(words[1]));
            } else {
                Message message = session.createConsumer(from).receive(5000);
                if (message != null && words[0].equals("move")) {
                    session.createProducer(to).send(message);
                }
            }
            if (transacted) {
                outcome = "unknown";
                session.commit();
            }
            return "done";
        } catch (JMSException error) {
            return outcome;
        }
    }

    private static void moveForever() throws JMSException {
        Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
        MessageConsumer consumer = session.createConsumer(session.createQueue("queue:///" + Server.QUEUE));
        MessageProducer producer =
                session.createProducer(session.createQueue("queue:///" + Server.OTHER + "?targetClient=1"));
        while (true) {
            Message message = consumer.receive();
            producer.send(message);
            session.commit();
            System.out.println(message.getBody(String.class));
        }
    }
}
