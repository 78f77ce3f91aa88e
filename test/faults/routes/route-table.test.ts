import t from 'tap';
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
