import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** JUnit extension: a new queue manager for the tests of a class, with the DEV objects, on a free port. */
final class TemporaryQueueManager implements BeforeAllCallback, AfterAllCallback {
    private static final Pattern CONN_NAME = Pattern.compile("\"conn_name\":\"([^\"]+)\"");
    private Process server;
    private String connectionName;

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        server = new ProcessBuilder("mqx", "serve", "--dev", "--temporary", "--port", "0", "-o", "json")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String ready = server.inputReader().readLine();
        Matcher found = CONN_NAME.matcher(ready == null ? "" : ready);
        if (!found.find()) {
            throw new IllegalStateException("mqx serve did not start");
        }
        connectionName = found.group(1);
    }

    /** Return the connection name, HOST(PORT). */
    String connectionName() {
        return connectionName;
    }

    @Override
    public void afterAll(ExtensionContext context) {
        server.destroy();
    }
}
