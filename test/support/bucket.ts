import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Test } from 'tap';
import { listen } from './listen.js';

/** An object as it was put. */
export type StoredObject = { body: Buffer; mediaType: string | undefined };

/** `hang` never answers; a status refuses with this text. */
export type BucketReply = { status: number; body?: string } | 'hang' | undefined;

export type TestBucket = {
  /** Origin of the server. */
  endpoint: string;
  /** Settings that the server accepts. */
  settings: {
    endpoint: string;
    region: string;
    bucket: string;
    accessKeyId: string;
    secretAccessKey: string;
  };
  /** Objects by their names in the bucket. */
  objects: Map<string, StoredObject>;
  /** Names in the order in which they were put, each as often as it was. */
  puts: string[];
  /** Headers of the last request. */
  lastHeaders: IncomingMessage['headers'];
  /** Decides about a request whose signature is right, before the object is stored. */
  answer(name: string): BucketReply | Promise<BucketReply>;
};

const region = 'eu-central-1';
const accessKeyId = 'AKIAIOSFODNN7EXAMPLE';
const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const bucket = 'figures';

/** Starts an S3-compatible server with one bucket, which takes objects that are signed with its key only, until the test ends. */
export async function startBucket(t: Test): Promise<TestBucket> {
  const state: TestBucket = {
    endpoint: '',
    settings: { endpoint: '', region, bucket, accessKeyId, secretAccessKey: secret },
    objects: new Map(),
    puts: [],
    lastHeaders: {},
    answer: () => undefined,
  };
  const server = createServer((request, response) => void receive(state, request, response));
  const port = await listen(server);
  t.teardown(() => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    return closed;
  });
  state.endpoint = `http://127.0.0.1:${port}`;
  state.settings.endpoint = state.endpoint;
  return state;
}

async function receive(state: TestBucket, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = Buffer.concat(parts);
  state.lastHeaders = request.headers;
  const name = (request.url ?? '').slice(`/${bucket}/`.length);
  if (!isSigned(request, body)) {
    const text =
      '<Error><Code>SignatureDoesNotMatch</Code><Message>The signature does not match.</Message></Error>';
    response.writeHead(403).end(text);
    return;
  }
  const reply = await state.answer(name);
  if (reply === 'hang') return;
  if (reply === undefined) {
    state.puts.push(name);
    state.objects.set(name, { body, mediaType: request.headers['content-type'] });
  }
  const { status, body: text } = reply ?? { status: 200, body: '' };
  response.writeHead(status).end(text);
}

/** Computes the signature as a server does, from what has arrived; the service has code of its own for it. */
function isSigned({ method, url = '', headers }: IncomingMessage, body: Buffer): boolean {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;
  const [, id, day = '', sentRegion, names = '', signature = ''] =
    form.exec(headers.authorization ?? '') ?? [];
  const sum = createHash('sha256').update(body).digest('hex');
  const time = String(headers['x-amz-date']);
  const isComplete = ['host', 'x-amz-date', 'x-amz-content-sha256'].every((name) =>
    names.split(';').includes(name),
  );
  if (id !== accessKeyId || sentRegion !== region || !isComplete) return false;
  if (headers['x-amz-content-sha256'] !== sum || !time.startsWith(day)) return false;
  const lines = names.split(';').map((name) => `${name}:${String(headers[name])}\n`);
  const canonical = `${method}\n${url}\n\n${lines.join('')}\n${names}\n${sum}`;
  const hashed = createHash('sha256').update(canonical).digest('hex');
  const sign = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const ofDay = sign(`AWS4${secret}`, day);
  const key = sign(sign(sign(ofDay, region), 's3'), 'aws4_request');
  const expected = sign(key, `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/s3/aws4_request\n${hashed}`);
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}
