import t from 'tap';
import { analyticsPath } from '../../../api/page-read.js';
import { makeRouteTable } from '../../support/route-table.js';
import { examples } from './examples.js';

t.test('every route has an example, and every example a route', async (t) => {
  const routes = makeRouteTable().routes.map(({ method, path }) => `${method} ${path}`);
  t.ok(routes.length > 50, `${routes.length} routes`);
  const missing = routes.filter((route) => examples[route] === undefined);
  t.strictSame(
    missing.map((route) => `${route} needs an example request in test/faults/routes/examples.ts`),
    [],
  );
  const known = Object.keys(examples).filter((route) => route !== 'no route');
  t.strictSame(
    known.filter((route) => !routes.includes(route)),
    [],
    'no example is left over',
  );
});

t.test(
  'a read of figures says whether it asks PostgreSQL, so that it holds no turn while that is down',
  async (t) => {
    const reads = makeRouteTable().routes.filter(
      ({ method, path }) => method === 'GET' && path.startsWith(`${analyticsPath}/`),
    );
    const asking = reads.filter(({ method, path }) =>
      examples[`${method} ${path}`]?.some(({ needs }) => needs.warm.includes('PostgreSQL')),
    );
    t.ok(asking.length > 5, `${asking.length} reads ask PostgreSQL`);
    t.strictSame(
      reads.flatMap((route) => ('asksPostgres' in route ? [route.path] : [])),
      asking.map(({ path }) => path),
    );
  },
);
