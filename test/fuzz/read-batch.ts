import { inspect, parseArgs } from 'node:util';
import { seeded } from '../../bench/support/batches.js';
import type { Version } from '../../ingest/read/raw-event.js';
import { makeBatchReader } from '../support/batches.js';
import { makeBody, mutate, pick } from '../support/event-bodies.js';
import { createTwinReaders, forgetOfTwins, makeTwinPage } from '../support/twin-readers.js';

/**
 * Compares the reader in WebAssembly with JSON.parse over bodies that it changes step by step. A body that was read in a
 * way that is new joins the corpus, from which the next ones are made. Ends with exit code 1 and the body as base64 at
 * the first difference.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    body: { type: 'string' },
  },
});

const corpusMax = 5_000;
const pagesMax = 6;
const reportEveryMs = 60_000;

const random = seeded(Number(values.seed));
const twins = createTwinReaders(makeBatchReader());
const corpus: Buffer[] = Array.from({ length: 200 }, () => Buffer.from(makeBody(random)));
const kinds = new Set<string>();
let pages = Array.from({ length: pagesMax }, () => makeTwinPage(knownNames()));

function knownNames() {
  return { endpoints: ['/a', '/cart/:id', '/é'], services: ['shop', 'é'] };
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Reads a body on one of the pages. Ends the process when the outcomes differ. */
function tryBody(body: Buffer, version: Version): void {
  const page = pick(random, pages);
  const difference = twins.compare(body, page, version, random() < 0.2);
  if (random() < 0.01) forgetOfTwins(page, { endpoints: ['/a'], services: ['shop'] });
  if (difference !== undefined) {
    say(`seed ${values.seed}, v${version}: ${body.toString('base64')}`);
    say(inspect(difference, { depth: 6 }));
    process.exit(1);
  }
}

/** Names pile up, and the dictionary of the reader fills: new pages come from time to time. */
function renewPages(): void {
  pages = pages.map((page) => (random() < 0.5 ? page : makeTwinPage(knownNames())));
}

function keep(body: Buffer, version: Version): void {
  const kind = `${version} ${twins.describeLast()}`;
  if (kinds.has(kind) || body.length > 20_000) return;
  kinds.add(kind);
  if (corpus.length < corpusMax) corpus.push(body);
  else corpus[Math.floor(random() * corpusMax)] = body;
}

function fuzz(): void {
  const endAt = performance.now() + Number(values.minutes) * 60_000;
  let reportAt = 0;
  for (let times = 0; ; times += 1) {
    if (times % 1_000 === 0) {
      const now = performance.now();
      if (now >= reportAt || now >= endAt) {
        say(`${times} bodies, ${kinds.size} kinds, ${corpus.length} in the corpus`);
        reportAt = now + reportEveryMs;
      }
      if (now >= endAt) return;
      renewPages();
    }
    const isNew = random() < 0.3;
    const eventsMax = random() < 0.002 ? 1_005 : 8;
    const body = isNew
      ? Buffer.from(makeBody(random, eventsMax))
      : mutate(random, pick(random, corpus), corpus);
    const version = random() < 0.5 ? 1 : 2;
    tryBody(body, version);
    keep(body, version);
  }
}

if (values.body === undefined) fuzz();
else for (const version of [1, 2] as const) tryBody(Buffer.from(values.body, 'base64'), version);
