import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { deflateSync } from 'node:zlib';
import inject from 'light-my-request';
import t, { type Test } from 'tap';
import { type BodyLimits, drainBody, receiveBody } from '../../api/read-body.js';
import { ServiceError } from '../../lib/service-error.js';
import { createTimeouts } from '../../lib/timeouts.js';
import { serveUntilEnd } from '../support/listen.js';
import { openConnection, postHead } from '../support/raw-http.js';

const mebibyte = 1024 * 1024;

const newLimits = (timeoutMs = 10_000): BodyLimits => ({
  bytesMax: 2 * mebibyte,
  timeouts: createTimeouts(timeoutMs),
  budget: { bytes: 0, bytesMax: 3 * mebibyte },
});

/** Valid input that gives no output: empty stored blocks (RFC 1950, RFC 1951, section 3.2.4) of 5 bytes. */
function emptyBlocks(count: number): Buffer {
  const blocks = Buffer.alloc(count * 5, Buffer.from([0, 0, 0, 0xff, 0xff]));
  return Buffer.concat([Buffer.from([0x78, 0x9c]), blocks, Buffer.from([1, 0, 0, 0xff, 0xff, 0, 0, 0, 1])]);
}

/** Receives one body, and returns what happens on the request in its order. */
async function receive(t: Test, limits: BodyLimits, body: Buffer): Promise<string[]> {
  const seen: string[] = [];
  const answerSoon = (res: ServerResponse, happened: string): void => {
    seen.push(happened);
    setImmediate(() => res.end());
  };
  const url = await serveUntilEnd(
    t,
    createServer((req, res) => {
      receiveBody({ req, res }, limits, {
        onBody: ([bytes]) => answerSoon(res, `body of ${bytes?.length}`),
        onFault: (error) => answerSoon(res, error instanceof ServiceError ? error.kind : String(error)),
      });
      req.on('end', () => seen.push('end'));
    }),
  );
  await fetch(url, {
    method: 'POST',
    headers: { 'content-encoding': 'deflate' },
    body: new Uint8Array(body),
  });
  return seen;
}

t.test('a body that is short as sent is inflated at once, a longer one beside other work', async (t) => {
  for (const [body, order] of [
    [emptyBlocks(100), ['body of 0', 'end']],
    [deflateSync(Buffer.alloc(2 * mebibyte)), [`body of ${2 * mebibyte}`, 'end']],
    [emptyBlocks(20_000), ['end', 'body of 0']],
    [deflateSync(Buffer.alloc(mebibyte), { level: 0 }), ['end', `body of ${mebibyte}`]],
    [deflateSync(Buffer.alloc(1.8 * mebibyte), { level: 0 }), ['end', 'overloaded']],
    [deflateSync(Buffer.alloc(2 * mebibyte), { level: 0 }).subarray(0, mebibyte), ['end', 'bodyEncoding']],
  ] as const) {
    const limits = newLimits();
    t.strictSame(await receive(t, limits, body), order);
    t.equal(limits.budget.bytes, 0);
  }
});

t.test('a caller that hung up before its body was wanted', async (t) => {
  const gone = new Promise<[IncomingMessage, ServerResponse]>((resolve) => {
    const server = createServer((req, res) =>
      req.once('close', () => resolve([req, res])).on('error', () => {}),
    );
    void serveUntilEnd(t, server).then(async (url) => {
      const connection = await openConnection(t, url);
      connection.send(`${postHead('/', { 'content-length': 10 })}abc`);
      await once(server, 'request');
      connection.socket.destroy();
    });
  });
  const [req, res] = await gone;
  const limits = newLimits(50);
  const fault = await new Promise((onFault) =>
    receiveBody({ req, res }, limits, { onBody: onFault, onFault }),
  );
  t.match(fault, { kind: 'callerGone' });
});

t.test('a body that has been read is not waited for, also without a socket', async (t) => {
  const outcomes: string[] = [];
  await inject(
    (req, res) => {
      req.resume().once('end', async () => {
        const drained = drainBody(req).then(() => 'drained');
        const waits = new Promise<string>((resolve) => setImmediate(resolve, 'waits'));
        outcomes.push(await Promise.race([drained, waits]));
        res.end();
      });
    },
    { method: 'POST', url: '/', payload: '{}' },
  );
  t.strictSame(outcomes, ['drained']);
});
