import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { koaBody } from 'koa-body';

// Baseline (b): a plain Koa application that parses a batch and stores nothing.
const app = new Koa();
app.use(koaBody({ jsonLimit: '2mb' }));
app.use((ctx) => {
  const { events } = ctx.request.body as { events: unknown[] };
  ctx.status = 202;
  ctx.body = { accepted: events.length };
});
const server = app.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port, key: 'none' }),
);
process.on('disconnect', () => process.exit());
