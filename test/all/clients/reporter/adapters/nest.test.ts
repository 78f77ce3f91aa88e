import type { MiddlewareConsumer, NestMiddleware, NestModule } from '@nestjs/common';
import t from 'tap';
import { checkAdapter } from '../../../../clients/reporter/adapters/check-adapter.js';
import { createRecorder, listen, send } from '../../../../clients/reporter/adapters/support.js';
import { type Nest, nestApplication, nestVersions, route, startNest } from './applications/nest.js';

function createMore({ Controller, Get, All, Version, Injectable, Module }: Nest['common']) {
  class More {
    one() {
      return 'one';
    }
    two() {
      return 'two';
    }
    any() {
      return 'any';
    }
  }
  Controller({ path: 'more/:more', version: '1' })(More);
  route(More, 'one', [Get('one/:one')]);
  route(More, 'two', [Get('one/:one'), Version('2')]);
  route(More, 'any', [All('any')]);
  class Guard implements NestMiddleware {
    use(req: { originalUrl: string }, res: { statusCode: number; end(): void }, next: () => void) {
      if (!req.originalUrl.includes('closed')) return next();
      res.statusCode = 401;
      res.end();
    }
  }
  Injectable()(Guard);
  class App implements NestModule {
    configure(consumer: MiddlewareConsumer) {
      consumer.apply(Guard).forRoutes(More);
    }
  }
  Module({ controllers: [More] })(App);
  return App;
}

for (const version of nestVersions) {
  t.test(version.name, async (t) => {
    await checkAdapter(t, nestApplication(version));

    const { reporter, take } = createRecorder();
    const server = await startNest(
      version,
      createMore(version.nest.common),
      { reporter, options: {} },
      (app) => app.setGlobalPrefix('api'),
    );
    const url = await listen(t, server);
    const cases: readonly [path: string, endpoint: string, method?: string][] = [
      ['/api/v1/more/one/one/one', '/api/v1/more/:more/one/:one'],
      ['/api/v2/more/v2/one/v1', '/api/v2/more/:more/one/:one'],
      ['/api/v1/more/a%2Fb/any?x=1', '/api/v1/more/:more/any', 'PUT'],
      ['/api/v3/more/1/any', 'unmatched'],
      ['/api/v1/more/1/nothing', 'unmatched'],
      ['/more/1/one/1', 'unmatched'],
    ];
    for (const [path, endpoint, method = 'GET'] of cases) {
      await send(url + path, { method });
      const [event] = await take(1);
      t.equal(event?.endpoint, endpoint, path);
    }
    t.equal(await send(`${url}/api/v1/more/closed/any`), 401, 'a middleware answers');
    t.notMatch((await take(1))[0]?.endpoint, /closed/);
  });
}
