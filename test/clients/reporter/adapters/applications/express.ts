import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { heartline } from '@heartline/reporter/express';
import type { Express, Request, Response, Router } from 'express';
import type { Application, Under } from '../check-adapter.js';

export type ExpressModule = { (): Express; Router(options?: { mergeParams: boolean }): Router };

const require = createRequire(import.meta.url);
// The other major versions have other types, and the same methods as far as these tests use them.
const load = (name: string) => require(name) as ExpressModule;
const [express4, express5] = [load('express4'), load('express')];
// Until version 2.3 the router of Express 5 kept no path of what is mounted.
const router22 = require('router22') as ExpressModule['Router'];

export const expressVersions = [
  { name: 'Express 4', express: express4, Router: express4.Router },
  { name: 'Express 5', express: express5, Router: express5.Router },
  { name: 'Express 5 with routers of version 2.2', express: express5, Router: router22 },
];

/** The application of `checkAdapter` for a version of Express. */
export function expressApplication({ express, Router }: (typeof expressVersions)[number]): Application {
  return (under) => {
    const app = express().set('env', 'test');
    app.use(heartline(under.reporter, under.options));
    app.use(heartline(under.reporter, under.options));
    app.use('/shops/:shop', shopRouter(Router, under));
    return createServer(app);
  };
}

const ok = (_req: Request, res: Response) => void res.send('ok');

function shopRouter(Router: ExpressModule['Router'], { stage }: Under): Router {
  const router = Router({ mergeParams: true });
  router.get('/items/:item', ok);
  router.post('/items', (_req, res) => void res.status(201).end());
  router.get('/fail', () => {
    throw new Error('The till is stuck.');
  });
  router.get('/hang', () => stage.arrive());
  router.get('/stream', async (_req, res) => {
    res.write('one');
    stage.arrive();
    await stage.held();
    res.end('two');
  });
  return router;
}
