package mqx;

import static com.ibm.mq.constants.CMQC.*;

import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;

/** Makes the calls of a test that compares segments: connect, put, commit, browse, get, inquire, close, disconnect. */
final class Exchange {
    private Exchange() {}

    public static void main(String[] arguments) throws Exception {
        MQQueueManager manager = Server.connect();
        MQQueue queue = manager.accessQueue(Server.QUEUE, MQOO_OUTPUT | MQOO_INPUT_SHARED | MQOO_BROWSE | MQOO_INQUIRE);
        MQMessage message = BaseTest.message("hello");
        MQPutMessageOptions pmo = new MQPutMessageOptions();
        pmo.options = MQPMO_SYNCPOINT;
        queue.put(message, pmo);
        manager.commit();
        queue.inquire(new int[] {MQIA_CURRENT_Q_DEPTH}, new int[1], new byte[0]);
        queue.get(new MQMessage(), BaseTest.options(MQGMO_BROWSE_FIRST | MQGMO_NO_SYNCPOINT, 0));
        queue.get(new MQMessage(), BaseTest.options(MQGMO_WAIT | MQGMO_SYNCPOINT, 5000));
        manager.backout();
        queue.close();
        manager.disconnect();
    }
}
