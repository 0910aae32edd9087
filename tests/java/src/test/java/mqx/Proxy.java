package mqx;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Forwards connections to the server until they are cut. */
final class Proxy implements AutoCloseable {
    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    Proxy() throws IOException {
        start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** Close all connections; new ones are forwarded. */
    void cut() throws IOException {
        for (Socket socket : open) {
            open.remove(socket);
            socket.close();
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        cut();
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                Socket server = new Socket(Server.HOST, Server.PORT);
                open.add(client);
                open.add(server);
                start(() -> forward(client, server));
                start(() -> forward(server, client));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private static void forward(Socket from, Socket to) {
        try (from; to) {
            to.setTcpNoDelay(true);
            InputStream input = from.getInputStream();
            OutputStream output = to.getOutputStream();
            input.transferTo(output);
        } catch (IOException cut) {
            // Either side has closed.
        }
    }
}
