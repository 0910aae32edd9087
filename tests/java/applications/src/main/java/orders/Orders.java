package orders;

import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import org.apache.camel.builder.RouteBuilder;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.jms.DefaultJmsListenerContainerFactoryConfigurer;
import org.springframework.context.annotation.Bean;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.config.DefaultJmsListenerContainerFactory;
import org.springframework.jms.connection.JmsTransactionManager;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Takes orders from one queue, and puts invoices on another in the same transaction. */
@SpringBootApplication
public class Orders {
    public static void main(String[] arguments) {
        SpringApplication.run(Orders.class, arguments);
    }

    @Bean
    JmsTransactionManager transactionManager(ConnectionFactory factory) {
        return new JmsTransactionManager(factory);
    }

    @Bean
    DefaultJmsListenerContainerFactory transacted(
            ConnectionFactory factory, DefaultJmsListenerContainerFactoryConfigurer configurer) {
        DefaultJmsListenerContainerFactory containers = new DefaultJmsListenerContainerFactory();
        configurer.configure(containers, factory);
        containers.setSessionTransacted(true);
        return containers;
    }

    /** What listens. */
    @Component
    static class Listeners {
        private final JmsTemplate template;

        Listeners(JmsTemplate template) {
            this.template = template;
        }

        /** Invoice an order; one that fails is rolled back with its invoice, and delivered again. */
        @JmsListener(destination = "DEV.QUEUE.1", containerFactory = "transacted")
        void invoice(String order, Message message) throws JMSException {
            int delivery = message.getIntProperty("JMSXDeliveryCount");
            template.convertAndSend("DEV.QUEUE.2", "invoice of " + order + ", delivery " + delivery);
            if (order.startsWith("fails") && delivery == 1) {
                throw new IllegalStateException("the first delivery fails");
            }
        }

        /** Answer a request on the queue that it names. */
        @JmsListener(destination = "DEV.QUEUE.3")
        String price(String article) {
            return article + " costs 7";
        }
    }

    /** Two sends, both or none. */
    @Component
    static class Sender {
        private final JmsTemplate template;

        Sender(JmsTemplate template) {
            this.template = template;
        }

        @Transactional
        public void send(String first, String second) {
            template.convertAndSend("DEV.JAVA.BACKOUT", first);
            if (second == null) {
                throw new IllegalArgumentException("no second message");
            }
            template.convertAndSend("DEV.JAVA.BACKOUT", second);
        }
    }

    /** A route of Camel, with a transaction for each message. */
    @Component
    static class Route extends RouteBuilder {
        @Override
        public void configure() {
            from("jms:queue:DEV.JAVA.1?transacted=true&lazyCreateTransactionManager=false")
                    .transform(body().append(" by Camel"))
                    .setHeader("stage", constant("routed"))
                    .to("jms:queue:DEV.JAVA.2");
        }
    }
}
