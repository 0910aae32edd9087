package mqx;

import com.ibm.mq.MQException;
import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import com.ibm.mq.jms.MQQueueConnectionFactory;
import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.jms.JmsFactoryFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.util.Hashtable;
import javax.jms.JMSException;
import javax.jms.QueueConnection;

/** The server under test, named by system properties, and how its clients connect. */
final class Server {
    static final String HOST = System.getProperty("mqx.host", "127.0.0.1");
    static final int PORT = Integer.getInteger("mqx.port", 1414);
    static final String QMGR = System.getProperty("mqx.qmgr", "QM1");
    static final String CHANNEL = System.getProperty("mqx.channel", "DEV.ADMIN.SVRCONN");
    static final String USER = System.getProperty("mqx.user", "admin");
    static final String PASSWORD = System.getProperty("mqx.password", "passw0rd");
    /** A cipher suite, if connections use TLS. */
    static final String CIPHER = System.getProperty("mqx.cipher");
    static final String APP_CHANNEL = "DEV.APP.SVRCONN";

    /** A queue that each test finds empty. */
    static final String QUEUE = "DEV.JAVA.1";
    static final String OTHER = "DEV.JAVA.2";

    private static MQQueueManager clearing;

    private Server() {}

    static {
        MQException.log = null;
    }

    static JmsConnectionFactory factory() throws JMSException {
        JmsConnectionFactory factory = JmsFactoryFactory.getInstance(WMQConstants.WMQ_PROVIDER).createConnectionFactory();
        factory.setStringProperty(WMQConstants.WMQ_HOST_NAME, HOST);
        factory.setIntProperty(WMQConstants.WMQ_PORT, PORT);
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, CHANNEL);
        factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
        factory.setStringProperty(WMQConstants.WMQ_QUEUE_MANAGER, QMGR);
        factory.setStringProperty(WMQConstants.WMQ_APPLICATIONNAME, "mqx-java-tests");
        factory.setStringProperty(WMQConstants.USERID, USER);
        factory.setStringProperty(WMQConstants.PASSWORD, PASSWORD);
        factory.setBooleanProperty(WMQConstants.USER_AUTHENTICATION_MQCSP, true);
        if (CIPHER != null) {
            factory.setStringProperty(WMQConstants.WMQ_SSL_CIPHER_SUITE, CIPHER);
        }
        return factory;
    }

    /** Return a connection with the interfaces of JMS 1.1, by the client's own class of factories. */
    static QueueConnection queueConnection() throws JMSException {
        MQQueueConnectionFactory factory = new MQQueueConnectionFactory();
        factory.setTransportType(WMQConstants.WMQ_CM_CLIENT);
        factory.setHostName(HOST);
        factory.setPort(PORT);
        factory.setChannel(CHANNEL);
        factory.setQueueManager(QMGR);
        return factory.createQueueConnection(USER, PASSWORD);
    }

    static Hashtable<String, Object> properties() {
        Hashtable<String, Object> properties = new Hashtable<>();
        properties.put(CMQC.HOST_NAME_PROPERTY, HOST);
        properties.put(CMQC.PORT_PROPERTY, PORT);
        properties.put(CMQC.CHANNEL_PROPERTY, CHANNEL);
        properties.put(CMQC.APPNAME_PROPERTY, "mqx-java-tests");
        properties.put(CMQC.USER_ID_PROPERTY, USER);
        properties.put(CMQC.PASSWORD_PROPERTY, PASSWORD);
        properties.put(CMQC.USE_MQCSP_AUTHENTICATION_PROPERTY, true);
        if (CIPHER != null) {
            properties.put(CMQC.SSL_CIPHER_SUITE_PROPERTY, CIPHER);
        }
        return properties;
    }

    static MQQueueManager connect() throws MQException {
        return new MQQueueManager(QMGR, properties());
    }

    /** Remove all messages of queues, by a connection that is kept. */
    static synchronized void clear(String... queues) throws MQException {
        if (clearing == null) {
            clearing = connect();
        }
        for (String name : queues) {
            MQQueue queue = clearing.accessQueue(name, CMQC.MQOO_INPUT_SHARED);
            int reason = 0;
            while (reason == 0) {
                MQGetMessageOptions options = new MQGetMessageOptions();
                options.options = CMQC.MQGMO_NO_SYNCPOINT | CMQC.MQGMO_ACCEPT_TRUNCATED_MSG;
                try {
                    queue.get(new MQMessage(), options, 0);
                } catch (MQException end) {
                    reason = end.reasonCode == CMQC.MQRC_TRUNCATED_MSG_ACCEPTED ? 0 : end.reasonCode;
                }
            }
            queue.close();
            if (reason != CMQC.MQRC_NO_MSG_AVAILABLE) {
                throw new MQException(CMQC.MQCC_FAILED, reason, name);
            }
        }
    }

    /** A call whose reason is wanted. */
    interface Call {
        void run() throws Exception;
    }

    /** Return the MQ reason that a call ends with, 0 if it succeeds; that of JMS is in a linked exception. */
    static int reason(Call call) {
        try {
            call.run();
            return 0;
        } catch (Exception failure) {
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                if (cause instanceof MQException error) {
                    return error.reasonCode;
                }
            }
            throw new AssertionError("no MQ reason", failure);
        }
    }
}
