import { createServer } from 'node:http';
import { heartline } from '@heartline/reporter/express';
import express, { type Express, type Request, type Response, type Router } from 'express';
import type { Application, Under } from '../check-adapter.js';

export type ExpressModule = { (): Express; Router(options?: { mergeParams: boolean }): Router };

export type ExpressVersion = { name: string; express: ExpressModule; Router: ExpressModule['Router'] };

/** The third tier has the others. */
export const express5: ExpressVersion = { name: 'Express 5', express, Router: express.Router };

/** The application of `checkAdapter` for a version of Express. */
export function expressApplication({ express, Router }: ExpressVersion): Application {
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
