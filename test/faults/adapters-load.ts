import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createReporter, type Reporter } from '@heartline/reporter';
import { heartline as heartlineHttp } from '@heartline/reporter/http';
import { heartline as heartlineNext } from '@heartline/reporter/next';
import { heartline as heartlineOutgoing } from '@heartline/reporter/undici';
import { createAdaptorServer } from '@hono/node-server';
import type { Test } from 'tap';
import { express5, expressApplication } from '../clients/reporter/adapters/applications/express.js';
import { fastify5, fastifyApplication } from '../clients/reporter/adapters/applications/fastify.js';
import { createHonoShop, honoApplication } from '../clients/reporter/adapters/applications/hono.js';
import { koa3, koaApplication } from '../clients/reporter/adapters/applications/koa.js';
import type { Application } from '../clients/reporter/adapters/check-adapter.js';
import {
  createStage,
  listen,
  type Stage,
  send,
  sendAndHangUp,
} from '../clients/reporter/adapters/support.js';

/** Requests by what they are counted as: `GET /shops/:shop/items/:item 200`. */
export type Tally = Record<string, number>;

/** An application under load, with a reporter of its own. */
export type Loaded = { name: string; reporter: Reporter; sent: Tally };

export type Load = {
  applications: readonly Loaded[];
  /** Stops sending, and waits for the last answers. */
  end(): Promise<void>;
};

/** Between two requests to an application: 10 of them get about 900 requests a second. */
const pauseMs = 10;

/** Starts the applications and one that sends requests, and sends requests to all of them until `end`. */
export async function startAdaptersLoad(
  t: Test,
  target: { url: string; key: string },
  subjects: readonly Subject[],
): Promise<Load> {
  let isOver = false;
  const loops: Promise<void>[] = [];
  const applications: Loaded[] = [];
  const add = (name: string): Loaded => {
    // One half of them reports by v1 of the API, the other by v2.
    const identity =
      applications.length % 2 === 0
        ? { service: name }
        : { reporter: { reporterId: name, englishName: name, expectedEverySeconds: 15 } };
    const reporter = createReporter({ ...target, ...identity, onError: () => {} });
    t.teardown(() => reporter.stop());
    const loaded = { name, reporter, sent: {} };
    applications.push(loaded);
    return loaded;
  };
  const repeat = (loaded: Loaded, visit: (turn: number) => Promise<string>): void => {
    const loop = async (): Promise<void> => {
      for (let turn = 1; !isOver; turn += 1) {
        const counted = await visit(turn);
        loaded.sent[counted] = (loaded.sent[counted] ?? 0) + 1;
        await sleep(pauseMs);
      }
    };
    loops.push(loop());
  };
  for (const [title, application, visits] of subjects) {
    // Heartline writes names of services in small letters.
    const loaded = add(title.toLowerCase());
    const stage = createStage();
    const url = await listen(t, await application({ reporter: loaded.reporter, stage, options: {} }));
    repeat(loaded, (turn) => visits(url, stage, turn));
  }
  const outgoing = add('outgoing');
  const called = await listen(
    t,
    createServer((_req, res) => res.end('ok')),
  );
  const stop = heartlineOutgoing(outgoing.reporter);
  t.teardown(stop);
  repeat(outgoing, async () => {
    const answer = await fetch(called);
    await answer.text();
    return `GET outgoing ${new URL(called).host} ${answer.status}`;
  });
  return {
    applications,
    async end() {
      isOver = true;
      await Promise.all(loops);
      stop();
    },
  };
}

/** Sends the request whose turn it is; returns as what it is to be counted. */
export type Visits = (url: string, stage: Stage, turn: number) => Promise<string>;

/** An application with its name, and who visits it. */
export type Subject = readonly [name: string, application: Application, visits: Visits];

export const visitShop: Visits = async (url, stage, turn) => {
  const path = `${url}/shops/s${turn}`;
  if (turn % 17 === 0) {
    await sendAndHangUp(`${path}/hang`, stage);
    return 'GET /shops/:shop/hang 499';
  }
  if (turn % 13 === 0) return `GET /shops/:shop/fail ${await send(`${path}/fail`)}`;
  if (turn % 11 === 0) return `GET unmatched ${await send(`${url}/nowhere/n${turn}`)}`;
  if (turn % 7 === 0) return `POST /shops/:shop/items ${await send(`${path}/items`, { method: 'POST' })}`;
  return `GET /shops/:shop/items/:item ${await send(`${path}/items/i${turn}`)}`;
};

const visitHandler: Visits = async (url, _stage, turn) =>
  `GET /items/:item ${await send(`${url}/items/i${turn}`)}`;

const fetchApplication: Application = (under) => {
  const shop = createHonoShop(under);
  return createAdaptorServer({ fetch: (request) => shop.fetch(request) }) as Server;
};

const nextApplication: Application = ({ reporter }) => {
  const handler = heartlineNext(reporter)('/items/:item', (_request: Request) => Response.json({ ok: true }));
  return createAdaptorServer({ fetch: handler }) as Server;
};

const httpApplication: Application = ({ reporter }) => {
  const server = createServer((_req, res) => res.end('ok'));
  heartlineHttp(reporter as Reporter, server, () => '/items/:item');
  return server;
};

/** An application for every adapter but Nest's, with the current version of each framework. */
export const currentSubjects: readonly Subject[] = [
  [express5.name, expressApplication(express5), visitShop],
  [koa3.name, koaApplication(koa3), visitShop],
  [fastify5.name, fastifyApplication(fastify5), visitShop],
  ['Hono', honoApplication, visitShop],
  ['Hono without Node.js', fetchApplication, visitShop],
  ['Next', nextApplication, visitHandler],
  ['http', httpApplication, visitHandler],
];
