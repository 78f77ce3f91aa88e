import { MessageChannel } from 'node:worker_threads';

/** Shorter buffers are cheaper to leave to the garbage collector, and many of them share memory with others. */
const bytesMin = 4 * 1024;

/**
 * Creates a function that frees the memory of buffers at once. Left to the garbage collector, 230 MB of bodies a second
 * make V8 mark its whole heap ten times a second, which takes a third of the processor time of an event.
 *
 * Memory that is transferred to a port without another end is dropped
 * (https://html.spec.whatwg.org/multipage/web-messaging.html#message-port-post-message-steps). Node.js has
 * `ArrayBuffer.prototype.transfer` from version 22 on only.
 */
export function createMemoryRelease(): (buffers: readonly Buffer[]) => void {
  const { port1: port, port2: otherEnd } = new MessageChannel();
  otherEnd.close();
  port.unref();
  return (buffers) => {
    for (const { buffer, length } of buffers)
      if (length >= bytesMin && buffer.byteLength === length && buffer instanceof ArrayBuffer)
        port.postMessage(undefined, [buffer]);
  };
}
