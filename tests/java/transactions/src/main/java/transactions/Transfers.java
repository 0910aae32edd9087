package transactions;

import com.arjuna.ats.arjuna.common.CoordinatorEnvironmentBean;
import com.arjuna.ats.arjuna.common.CoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.RecoveryEnvironmentBean;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.internal.arjuna.recovery.AtomicActionRecoveryModule;
import com.arjuna.ats.internal.jta.recovery.arjunacore.JTANodeNameXAResourceOrphanFilter;
import com.arjuna.ats.internal.jta.recovery.arjunacore.JTATransactionLogXAResourceOrphanFilter;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.common.JTAEnvironmentBean;
import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import com.ibm.mq.jms.MQXAConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionManager;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.List;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.XAConnection;
import javax.jms.XASession;
import javax.transaction.xa.XAResource;

/**
 * Moves a message from one queue manager to another in a transaction of Narayana.
 *
 * <p>Arguments: folder of the transaction log, ports of the queue managers. "transfer" on stdin moves a message: before
 * and after each XA call it prints the call and waits for a line, so that a test can kill what it likes. "recover" ends
 * what an earlier process has left in doubt. Both answer with a line that begins with "=".
 */
public final class Transfers {
    private static final BufferedReader COMMANDS = new BufferedReader(new InputStreamReader(System.in));
    private static final String NODE = "1";

    private Transfers() {}

    public static void main(String[] arguments) throws Exception {
        configure(arguments[0]);
        int[] ports = {Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2])};
        for (String line = COMMANDS.readLine(); line != null; line = COMMANDS.readLine()) {
            System.out.println("=" + (line.equals("transfer") ? transfer(ports) : recover(ports)));
        }
        System.exit(0);
    }

    private static void configure(String store) {
        for (String name : new String[] {null, "communicationStore", "stateStore"}) {
            BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, name).setObjectStoreDir(store);
        }
        try {
            BeanPopulator.getDefaultInstance(CoreEnvironmentBean.class).setNodeIdentifier(NODE);
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
        BeanPopulator.getDefaultInstance(CoordinatorEnvironmentBean.class).setTransactionStatusManagerEnable(false);
        RecoveryEnvironmentBean recovery = BeanPopulator.getDefaultInstance(RecoveryEnvironmentBean.class);
        recovery.setRecoveryListener(false);
        recovery.setRecoveryBackoffPeriod(1);
        recovery.setRecoveryModuleClassNames(
                List.of(AtomicActionRecoveryModule.class.getName(), XARecoveryModule.class.getName()));
        JTAEnvironmentBean jta = BeanPopulator.getDefaultInstance(JTAEnvironmentBean.class);
        jta.setXaRecoveryNodes(List.of(NODE));
        jta.setOrphanSafetyInterval(0);
        jta.setXaResourceOrphanFilterClassNames(
                List.of(
                        JTATransactionLogXAResourceOrphanFilter.class.getName(),
                        JTANodeNameXAResourceOrphanFilter.class.getName()));
    }

    private static XAConnection connect(int port) throws JMSException {
        MQXAConnectionFactory factory = new MQXAConnectionFactory();
        factory.setTransportType(WMQConstants.WMQ_CM_CLIENT);
        factory.setHostName("127.0.0.1");
        factory.setPort(port);
        factory.setChannel("DEV.ADMIN.SVRCONN");
        XAConnection connection = factory.createXAConnection("admin", "passw0rd");
        connection.start();
        return connection;
    }

    private static void close(XAConnection connection) {
        try {
            connection.close();
        } catch (JMSException broken) {
            // Its queue manager was killed.
        }
    }

    private static String transfer(int[] ports) throws Exception {
        XAConnection from = connect(ports[0]);
        XAConnection to = connect(ports[1]);
        TransactionManager manager = com.arjuna.ats.jta.TransactionManager.transactionManager();
        manager.setTransactionTimeout(0);
        manager.begin();
        try {
            XASession source = from.createXASession();
            XASession target = to.createXASession();
            manager.getTransaction().enlistResource(new StepwiseResource("from", source.getXAResource(), COMMANDS));
            manager.getTransaction().enlistResource(new StepwiseResource("to", target.getXAResource(), COMMANDS));
            Message message = source.createConsumer(source.createQueue("queue:///DEV.JAVA.1")).receive(5000);
            target.createProducer(target.createQueue("queue:///DEV.JAVA.2")).send(message);
            manager.commit();
            return "committed";
        } catch (Exception error) {
            if (manager.getStatus() != Status.STATUS_NO_TRANSACTION) {
                manager.rollback();
            }
            return error.toString().replace('\n', ' ');
        } finally {
            close(from);
            close(to);
        }
    }

    private static String recover(int[] ports) throws Exception {
        XAConnection[] connections = {connect(ports[0]), connect(ports[1])};
        XAResource[] resources = {
            connections[0].createXASession().getXAResource(), connections[1].createXASession().getXAResource()
        };
        RecoveryManager manager = RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT);
        XAResourceRecoveryHelper helper = new XAResourceRecoveryHelper() {
            @Override
            public boolean initialise(String text) {
                return true;
            }

            @Override
            public XAResource[] getXAResources() {
                return resources;
            }
        };
        XARecoveryModule module = XARecoveryModule.getRegisteredXARecoveryModule();
        module.addXAResourceRecoveryHelper(helper);
        int left = 1;
        for (int scan = 0; scan < 5 && left > 0; scan++) {
            manager.scan();
            left = 0;
            for (XAResource resource : resources) {
                left += resource.recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN).length;
            }
        }
        module.removeXAResourceRecoveryHelper(helper);
        for (XAConnection connection : connections) {
            close(connection);
        }
        return left + " left";
    }
}
