import { once } from 'node:events';
import { type Agent, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestEvent } from '@heartline/reporter';
import type { Test } from 'tap';
import { waitUntil } from '../../../support/wait-until.js';

export type Recorder = {
  reporter: { record(event: RequestEvent): void };
  events: RequestEvent[];
  /** Waits until this many requests have been counted since the last call, and returns them. */
  take(count: number): Promise<RequestEvent[]>;
};

/** Stands where the core of the reporter would count. */
export function createRecorder(): Recorder {
  const events: RequestEvent[] = [];
  return {
    reporter: { record: (event) => void events.push(event) },
    events,
    async take(count) {
      await waitUntil(`${count} requests have been counted`, () => events.length >= count, 5_000);
      return events.splice(0);
    },
  };
}

/** State that a test shares with the handlers of its application. */
export type Stage = {
  /** Called by the handler of `/hang` and `/stream` when it has the request. */
  arrive(): void;
  /** Resolves once a handler has called `arrive()`. */
  arrived(): Promise<void>;
  /** Called by the handler of `/stream` between its parts. */
  held(): Promise<void>;
  release(): void;
};

export function createStage(): Stage {
  let arrivals = 0;
  let [open, hold] = gate();
  return {
    arrive: () => {
      arrivals += 1;
    },
    async arrived() {
      await waitUntil('the handler has the request', () => arrivals > 0);
      arrivals -= 1;
    },
    held: () => hold,
    release() {
      open();
      [open, hold] = gate();
    },
  };
}

function gate(): [open: () => void, hold: Promise<void>] {
  let open = () => {};
  const hold = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [open, hold];
}

/** Listens on a free port until the test ends. */
export async function listen(t: Test, server: Server): Promise<string> {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends a request and reads the answer; returns its status. */
export async function send(
  url: string,
  { method = 'GET', agent }: { method?: string; agent?: Agent } = {},
): Promise<number> {
  const sending = request(url, { method, ...(agent && { agent }) }).end();
  const [response] = (await once(sending, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
  response.resume();
  await once(response, 'end');
  return response.statusCode;
}

/** Sends a request, and hangs up once its handler has it. */
export async function sendAndHangUp(url: string, stage: Stage): Promise<void> {
  const sending = request(url).on('error', () => {});
  sending.end();
  await stage.arrived();
  sending.destroy();
}
