package orders;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import jakarta.jms.Message;
import jakarta.jms.TextMessage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@SpringBootTest
@Timeout(60)
class OrdersTest {
    @Autowired private JmsTemplate template;
    @Autowired private Orders.Sender sender;

    @DynamicPropertySource
    static void server(DynamicPropertyRegistry properties) {
        properties.add("ibm.mq.queueManager", () -> "QM1");
        properties.add("ibm.mq.channel", () -> "DEV.ADMIN.SVRCONN");
        properties.add("ibm.mq.connName", () -> "127.0.0.1(" + System.getProperty("mqx.port", "1414") + ")");
        properties.add("ibm.mq.user", () -> "admin");
        properties.add("ibm.mq.password", () -> "passw0rd");
        properties.add("ibm.mq.pool.enabled", () -> "false");
    }

    @BeforeEach
    void empty() {
        template.setReceiveTimeout(JmsTemplate.RECEIVE_TIMEOUT_NO_WAIT);
        for (String queue : new String[] {"DEV.QUEUE.2", "DEV.JAVA.2", "DEV.JAVA.BACKOUT"}) {
            Message message = template.receive(queue);
            while (message != null) {
                message = template.receive(queue);
            }
        }
        template.setReceiveTimeout(10000);
    }

    @Test
    void aListenerSendsInItsTransaction() {
        template.convertAndSend("DEV.QUEUE.1", "books");
        assertEquals("invoice of books, delivery 1", template.receiveAndConvert("DEV.QUEUE.2"));
    }

    @Test
    void aFailedTransactionIsDoneAgain() {
        template.convertAndSend("DEV.QUEUE.1", "fails once");
        assertEquals("invoice of fails once, delivery 2", template.receiveAndConvert("DEV.QUEUE.2"));
        template.setReceiveTimeout(200);
        assertNull(template.receive("DEV.QUEUE.2"));
    }

    @Test
    void aRequestIsAnswered() throws Exception {
        Message answer = template.sendAndReceive("DEV.QUEUE.3", session -> session.createTextMessage("pen"));
        assertNotNull(answer);
        assertEquals("pen costs 7", ((TextMessage) answer).getText());
    }

    @Test
    void aLocalTransactionSendsAllOrNothing() {
        assertThrows(IllegalArgumentException.class, () -> sender.send("lost", null));
        sender.send("one", "two");
        assertEquals("one", template.receiveAndConvert("DEV.JAVA.BACKOUT"));
        assertEquals("two", template.receiveAndConvert("DEV.JAVA.BACKOUT"));
    }

    @Test
    void aRouteOfCamel() throws Exception {
        template.convertAndSend("DEV.JAVA.1", "sent");
        TextMessage routed = (TextMessage) template.receive("DEV.JAVA.2");
        assertEquals("sent by Camel", routed.getText());
        assertEquals("routed", routed.getStringProperty("stage"));
    }
}
