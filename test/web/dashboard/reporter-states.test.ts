import t from 'tap';
import { choose } from '../../../web/dashboard/screens/reporters/filters.js';
import { troubledInstances } from '../../../web/dashboard/screens/reporters/instances.js';
import { statesOf } from '../../../web/dashboard/screens/reporters/states.js';
import { makeReporter } from '../../support/dashboard-answers.js';

t.test('a reporter that fails and is silent has both states', (t) => {
  t.strictSame(
    [
      statesOf({ errors: 0, reporting: 'clean' }),
      statesOf({ errors: 0, reporting: 'silent' }),
      statesOf({ errors: 3, reporting: 'clean' }),
      statesOf({ errors: 3, reporting: 'silent' }),
    ],
    [['clean'], ['silent'], ['failing'], ['failing', 'silent']],
  );
  t.end();
});

const instance = (id: string, state: 'clean' | 'late' | 'silent') =>
  makeReporter({ ...{ id, state, service: 'search' }, ...{ requests: 0, failureRate: null, thin: true } });

t.test('a service says how many of its instances are in trouble, unless all are', (t) => {
  const troubled = (...states: ('clean' | 'late' | 'silent')[]) =>
    troubledInstances(states.map((state, i) => instance(`search-${i}`, state)));
  t.strictSame(
    [
      troubled('clean', 'silent', 'late', 'silent'),
      troubled('clean', 'late'),
      troubled('clean', 'clean'),
      troubled('silent', 'silent'),
      troubled(),
    ],
    [{ state: 'silent', count: 2 }, { state: 'late', count: 1 }, undefined, undefined, undefined],
  );
  t.end();
});

t.test(
  'a filter finds instances by how they call, services by what failed, and keeps the service above',
  (t) => {
    const reporters = [
      makeReporter({
        id: 'search',
        kind: 'service',
        instances: 2,
        state: 'failing',
        errors: 3,
        region: null,
      }),
      instance('eu', 'clean'),
      { ...instance('us', 'silent'), region: 'us' },
      makeReporter({ id: 'pay', kind: 'service', instances: 1, state: 'silent', thin: true, region: null }),
      { ...instance('pay-1', 'silent'), service: 'pay' },
    ];
    const all = { state: undefined, region: undefined, team: undefined };
    const chosen = (fields: object) => choose(reporters, { ...all, ...fields }).map(({ id }) => id);
    t.strictSame(
      [
        chosen({}),
        chosen({ state: 'failing' }),
        chosen({ state: 'silent' }),
        chosen({ state: 'clean' }),
        chosen({ state: 'thin' }),
        chosen({ state: 'silent', region: 'us' }),
      ],
      [
        ['search', 'eu', 'us', 'pay', 'pay-1'],
        ['search'],
        ['search', 'us', 'pay', 'pay-1'],
        ['search', 'eu'],
        ['pay'],
        ['search', 'us'],
      ],
    );
    t.end();
  },
);
