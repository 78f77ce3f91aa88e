import { Socket } from 'node:net';
import { publicReceivers } from './public-receivers.js';

const connect = Socket.prototype.connect;

/*
 * Loaded into the service before it starts: connections to the receivers of readers end at the loopback address, as if
 * the network led there. The service checks addresses, connects and waits as always; no packet leaves the machine.
 */
Object.defineProperty(Socket.prototype, 'connect', {
  value(this: Socket, ...args: unknown[]): unknown {
    const [target, ...rest] = args;
    return Reflect.apply(
      connect,
      this,
      isDiverted(target) ? [{ ...target, host: '127.0.0.1' }, ...rest] : args,
    );
  },
});

function isDiverted(target: unknown): target is { host: string } {
  return (
    typeof target === 'object' &&
    target !== null &&
    'host' in target &&
    typeof target.host === 'string' &&
    publicReceivers.includes(target.host)
  );
}
