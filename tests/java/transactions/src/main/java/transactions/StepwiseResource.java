package transactions;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** A resource that prints each step of a transaction, before and after it, and waits for a line then. */
record StepwiseResource(String name, XAResource resource, BufferedReader commands) implements XAResource {
    private interface Call {
        void run() throws XAException;
    }

    private void step(String call, Call made) throws XAException {
        pause("before " + call);
        try {
            made.run();
        } finally {
            pause("after " + call);
        }
    }

    private void pause(String text) {
        System.out.println(text + " " + name);
        try {
            commands.readLine();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    @Override
    public void start(Xid xid, int flags) throws XAException {
        step("start", () -> resource.start(xid, flags));
    }

    @Override
    public void end(Xid xid, int flags) throws XAException {
        step("end", () -> resource.end(xid, flags));
    }

    @Override
    public int prepare(Xid xid) throws XAException {
        int[] vote = new int[1];
        step("prepare", () -> vote[0] = resource.prepare(xid));
        return vote[0];
    }

    @Override
    public void commit(Xid xid, boolean isOnePhase) throws XAException {
        step("commit", () -> resource.commit(xid, isOnePhase));
    }

    @Override
    public void rollback(Xid xid) throws XAException {
        step("rollback", () -> resource.rollback(xid));
    }

    @Override
    public void forget(Xid xid) throws XAException {
        resource.forget(xid);
    }

    @Override
    public Xid[] recover(int flags) throws XAException {
        return resource.recover(flags);
    }

    @Override
    public boolean isSameRM(XAResource other) throws XAException {
        return this == other;
    }

    @Override
    public int getTransactionTimeout() throws XAException {
        return resource.getTransactionTimeout();
    }

    @Override
    public boolean setTransactionTimeout(int seconds) throws XAException {
        return resource.setTransactionTimeout(seconds);
    }
}
