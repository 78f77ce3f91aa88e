import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tally } from '../ask.js';
import { type Attack, inParallel, type Target } from './attack.js';

const leavers = 50;
const leavePauseMs = 20;
const slow = 500;
const slowByteEveryMs = 1_000;

/** Callers send half a body and leave, or leave before the answer; others send a byte a second. */
export const hangUps: Attack = {
  title: 'hang-ups',
  async run(target, signal, tally) {
    await Promise.all([
      inParallel(leavers, signal, async (place) => {
        await leave(target, place, tally);
        await sleep(leavePauseMs);
      }),
      inParallel(slow, signal, () => dawdle(target, signal, tally)),
    ]);
  },
};

function leave({ url, tenants }: Target, place: number, tally: Tally): Promise<void> {
  const key = tenants.loud[0]?.ingestKey;
  const host = tenants.loud[place % tenants.loud.length]?.host;
  const request =
    place % 2 === 0
      ? `POST /api/v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: 100000\r\n\r\n{"events":[`
      : `GET /api/public/${tenants.loud[0]?.slug}/incidents?nobody-waits HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('connect', () => socket.write(request, () => socket.resetAndDestroy()));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      tally.add('left');
      resolve();
    });
  });
}

function dawdle({ url, tenants }: Target, signal: AbortSignal, tally: Tally): Promise<void> {
  const head = `POST /api/v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tenants.loud[1]?.ingestKey}\r\ncontent-length: 1000\r\n\r\n`;
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('connect', () => socket.write(head));
    const timer = setInterval(() => socket.write(' '), slowByteEveryMs);
    const end = () => socket.destroy();
    signal.addEventListener('abort', end, { once: true });
    socket.on('data', (bytes: Buffer) => {
      tally.add(`slow ${bytes.toString('latin1', 9, 12)}`);
      socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      signal.removeEventListener('abort', end);
      resolve();
    });
  });
}
