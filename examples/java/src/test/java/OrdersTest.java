import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OrdersTest {
    @RegisterExtension
    static final TemporaryQueueManager QUEUE_MANAGER = new TemporaryQueueManager();

    @Test
    void anOrderIsReceivedOnce() throws JMSException {
        try (JMSContext context = Orders.connect(QUEUE_MANAGER.connectionName())) {
            Orders.send(context, "sledge", "two sledges");
            assertEquals("two sledges", Orders.receive(context, 5_000));
            assertNull(Orders.receive(context, 1));
        }
    }
}
