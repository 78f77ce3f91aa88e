/**
 * Errors with which servers say that the client has left, by the last part of their name in lower case. A server sends the
 * status 500 with them, which no client has received.
 */
const ofClients: ReadonlySet<string> = new Set([
  'clientabortexception', // Tomcat
  'asyncrequestnotusableexception', // Spring, since 5.3.33
  'cancelledserverwebexchangeexception', // Spring WebFlux
  'abortedexception', // Reactor Netty
  'clientdisconnect', // Starlette
  'context_canceled', // Go
  'context canceled',
  'canceled',
  'client_disconnected',
]);

/**
 * Errors of connections. With a status, a handler may have met them on its own way to another server; without one, they
 * ended the connection of the client.
 */
const ofConnections: ReadonlySet<string> = new Set([
  ...['econnreset', 'epipe', 'econnaborted', 'err_stream_premature_close', 'aborted'], // Node.js, Ruby
  ...['closedchannelexception', 'eofexception', 'broken pipe', 'connection reset by peer'], // Netty, Undertow, Jetty
  ...['connectionresetexception', 'connectionabortedexception'], // Kestrel
  ...['brokenpipeerror', 'connectionreseterror', 'connectionabortederror', 'cancellederror'], // Python
  ...['client disconnected', 'client closed connection'],
]);

/** Whether one of these types or messages of errors says that the client has left, also where a status was set. */
export function saysClientLeft(errors: readonly string[]): boolean {
  return errors.some((error) => ofClients.has(lastPartOf(error)));
}

/** Whether one of these types or messages of errors ended a request whose status is not known because the client left. */
export function endsConnection(errors: readonly string[]): boolean {
  return errors.some((error) => {
    const name = lastPartOf(error);
    return ofClients.has(name) || ofConnections.has(name);
  });
}

/**
 * The name of a class without its package, as in `java.io.EOFException`, `Errno::EPIPE` and `*net.OpError`, or the cause at
 * the end of a message of Go.
 */
function lastPartOf(error: string): string {
  const text = error.trim().toLowerCase();
  if (text.includes(' ')) return text.slice(text.lastIndexOf(':') + 1).trim();
  return text.slice(Math.max(text.lastIndexOf('.'), text.lastIndexOf(':'), text.lastIndexOf('*')) + 1);
}
