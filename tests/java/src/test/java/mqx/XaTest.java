package mqx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.ibm.mq.jms.MQXAConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.XAConnection;
import javax.jms.XASession;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** XA by the resources of the client, without a transaction manager. */
class XaTest extends Jms {
    record Branch(byte[] global, byte[] qualifier) implements Xid {
        Branch(String global) {
            this(global.getBytes(StandardCharsets.UTF_8), new byte[] {1, 2});
        }

        @Override
        public int getFormatId() {
            return 1234;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return global;
        }

        @Override
        public byte[] getBranchQualifier() {
            return qualifier;
        }
    }

    private final Branch one = new Branch("one");
    private final Branch two = new Branch("two");
    private XAConnection xa;
    private XASession sender;
    private XAResource resource;
    private MessageProducer producer;
    private MessageConsumer consumer;

    @BeforeEach
    void begin() throws Exception {
        connectResource();
        consumer = session.createConsumer(queue);
        for (Xid left : resource.recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN)) {
            resource.rollback(left);
        }
    }

    private void connectResource() throws Exception {
        MQXAConnectionFactory factory = new MQXAConnectionFactory();
        factory.setTransportType(WMQConstants.WMQ_CM_CLIENT);
        factory.setHostName(Server.HOST);
        factory.setPort(Server.PORT);
        factory.setChannel(Server.CHANNEL);
        xa = factory.createXAConnection(Server.USER, Server.PASSWORD);
        xa.start();
        sender = xa.createXASession();
        resource = sender.getXAResource();
        producer = sender.createProducer(queue);
    }

    @AfterEach
    void disconnectResource() throws Exception {
        xa.close();
    }

    private void send(Xid branch, String text) throws Exception {
        resource.start(branch, XAResource.TMNOFLAGS);
        producer.send(sender.createTextMessage(text));
        resource.end(branch, XAResource.TMSUCCESS);
    }

    private static void fails(int code, org.junit.jupiter.api.function.Executable call) {
        assertEquals(code, assertThrows(XAException.class, call).errorCode);
    }

    @Test
    void twoPhases() throws Exception {
        send(one, "text");
        assertEquals(XAResource.XA_OK, resource.prepare(one));
        assertNull(consumer.receiveNoWait());
        resource.commit(one, false);
        assertEquals("text", text(consumer, SOON));
        fails(XAException.XAER_NOTA, () -> resource.commit(one, false));
    }

    @Test
    void onePhaseAndRollback() throws Exception {
        send(one, "one");
        send(two, "two");
        resource.rollback(two);
        resource.commit(one, true);
        assertEquals("one", text(consumer, SOON));
        assertNull(consumer.receiveNoWait());
    }

    @Test
    void aReceivedMessageComesBackWithARollback() throws Exception {
        send(session, queue, "text");
        consumer.close();
        MessageConsumer within = sender.createConsumer(queue);
        for (int delivery = 1; delivery <= 2; delivery++) {
            resource.start(one, XAResource.TMNOFLAGS);
            assertEquals("text", text(within, SOON));
            resource.end(one, XAResource.TMSUCCESS);
            assertEquals(XAResource.XA_OK, resource.prepare(one));
            if (delivery == 1) {
                resource.rollback(one);
            } else {
                resource.commit(one, false);
            }
        }
        assertEquals("", browse(queue));
    }

    @Test
    void suspendResumeAndJoin() throws Exception {
        resource.start(one, XAResource.TMNOFLAGS);
        producer.send(sender.createTextMessage("1"));
        resource.end(one, XAResource.TMSUSPEND);
        send(two, "2");
        resource.start(one, XAResource.TMRESUME);
        producer.send(sender.createTextMessage("3"));
        resource.end(one, XAResource.TMSUCCESS);
        XASession other = xa.createXASession();
        other.getXAResource().start(one, XAResource.TMJOIN);
        other.createProducer(queue).send(other.createTextMessage("4"));
        other.getXAResource().end(one, XAResource.TMSUCCESS);
        resource.rollback(two);
        resource.commit(one, true);
        assertEquals("1 3 4", browse(queue));
    }

    @Test
    void statesOfABranch() throws Exception {
        resource.start(one, XAResource.TMNOFLAGS);
        resource.end(one, XAResource.TMSUCCESS);
        assertEquals(XAResource.XA_RDONLY, resource.prepare(one));
        send(one, "text");
        fails(XAException.XAER_DUPID, () -> resource.start(one, XAResource.TMNOFLAGS));
        fails(XAException.XAER_NOTA, () -> resource.start(two, XAResource.TMJOIN));
        fails(XAException.XAER_PROTO, () -> resource.commit(one, false));
        resource.rollback(one);
        resource.start(one, XAResource.TMNOFLAGS);
        resource.end(one, XAResource.TMFAIL);
        fails(XAException.XA_RBROLLBACK, () -> resource.prepare(one));
        fails(XAException.XAER_NOTA, () -> resource.forget(one));
    }

    @Test
    void preparedBranchesOutliveTheConnectionAndAreRecovered() throws Exception {
        List<Branch> branches = new ArrayList<>();
        for (int n = 0; n < 20; n++) {
            branches.add(new Branch(("global " + n).getBytes(StandardCharsets.UTF_8), new byte[3 * n]));
            send(branches.get(n), "text");
            resource.prepare(branches.get(n));
        }
        xa.close();
        connectResource();
        assertEquals("", browse(queue));
        Xid[] found = resource.recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN);
        assertEquals(20, found.length);
        for (int n = 0; n < 20; n++) {
            assertArrayEquals(branches.get(n).global(), found[n].getGlobalTransactionId());
            assertArrayEquals(branches.get(n).qualifier(), found[n].getBranchQualifier());
            if (n == 0) {
                resource.commit(found[n], false);
            } else {
                resource.rollback(found[n]);
            }
        }
        assertEquals("text", browse(queue));
        assertEquals(0, resource.recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN).length);
    }
}
