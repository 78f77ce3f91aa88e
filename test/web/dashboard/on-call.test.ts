import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import t from 'tap';
import type { ManagedRule } from '../../../contract/manage/rules.js';
import type { OnCall } from '../../../contract/manage/schedules.js';
import {
  makeSpan,
  mondayOf,
  placeIn,
  stepOf,
  timeOfStep,
} from '../../../web/dashboard/screens/on-call/calendar/span.js';
import { findProblems, layersOf, newLayer } from '../../../web/dashboard/screens/on-call/editor/values.js';
import { proposeStretches } from '../../../web/dashboard/screens/on-call/override/propose.js';
import { colourPeople } from '../../../web/dashboard/screens/on-call/person.js';
import { Standing } from '../../../web/dashboard/screens/on-call/standing.js';
import { onCallTexts } from '../../../web/dashboard/screens/on-call/texts.js';
import { makeZoneTimes } from '../../../web/dashboard/screens/on-call/use-zone-times.js';
import { rulesOf } from '../../../web/dashboard/screens/policies/policy-list.js';
import { StepList } from '../../../web/dashboard/screens/policies/step-list.js';
import { type Session, SessionContext } from '../../../web/dashboard/session.js';

const zone = 'Europe/Berlin';
const at = (text: string): number => Date.parse(text);
const iso = (time: number): string => new Date(time).toISOString();

t.test('a week is drawn by the clock on the wall, also when the clock changes', async (t) => {
  t.equal(mondayOf('2026-10-25'), '2026-10-19');
  const week = makeSpan('2026-10-19', 7, zone);
  t.equal((week.to - week.from) / 3_600_000, 169, 'Sunday has 25 hours');
  const nine = (day: string) => ({ from: at(`${day}T09:00`), to: at(`${day}T21:00`) });
  t.same(placeIn(week, { from: at('2026-10-19T07:00Z'), to: at('2026-10-19T19:00Z') }), {
    left: (100 * 9) / 168,
    width: (100 * 12) / 168,
  });
  const sunday = placeIn(week, { from: at('2026-10-25T08:00Z'), to: week.to + 1 });
  t.ok(Math.abs((sunday?.left ?? 0) - (100 * (144 + 9)) / 168) < 1e-9, 'nine is where it is on other days');
  t.ok(Math.abs((sunday?.left ?? 0) + (sunday?.width ?? 0) - 100) < 1e-9, 'a stretch is cut at the end');
  t.equal(placeIn(week, nine('2026-11-20')), undefined);
  for (const step of [0, 18, 100, 290, 335]) t.equal(stepOf(week, timeOfStep(week, step)), step);
  t.equal(iso(timeOfStep(week, 18)), '2026-10-19T07:00:00.000Z');
  t.equal(iso(timeOfStep(week, 336)), iso(week.to));
});

t.test('times that people mean: tonight, tomorrow, the weekend', async (t) => {
  const chosen = { from: 1, to: 2 };
  const seen = (now: string) =>
    proposeStretches(chosen, zone, at(now)).map(({ name, from, to }) => `${name} ${iso(from)} ${iso(to)}`);
  t.strictSame(seen('2026-12-01T12:00:30Z').slice(1), [
    'tonight 2026-12-01T19:00:00.000Z 2026-12-02T07:00:00.000Z',
    'tomorrow 2026-12-02T07:00:00.000Z 2026-12-02T19:00:00.000Z',
    'weekend 2026-12-04T23:00:00.000Z 2026-12-06T23:00:00.000Z',
  ]);
  t.match(seen('2026-12-01T02:00:30Z')[1], 'tonight 2026-12-01T02:00:00.000Z 2026-12-01T07:00:00.000Z');
  t.match(seen('2026-12-06T12:00:30Z')[3], 'weekend 2026-12-06T12:00:00.000Z 2026-12-06T23:00:00.000Z');
});

t.test('what is missing in a schedule is found by layer', async (t) => {
  const layer = { ...newLayer('Weeks', '2026-11-30'), people: ['ada@acme.example'] };
  const find = (...layers: (typeof layer)[]) =>
    Object.keys(findProblems({ name: 'Backend', timeZone: zone, layers }, onCallTexts.en));
  t.strictSame(find(layer), []);
  t.strictSame(find(layer, { ...layer, people: [], count: 0 }), [
    'layers/1/name',
    'layers/1/people',
    'layers/1/count',
  ]);
  const hours = [{ from: '08:00', to: '08:00', days: [] }];
  t.strictSame(find({ ...layer, count: null, handoff: '', hours }), [
    'layers/0/handoff',
    'layers/0/count',
    'layers/0/hours',
  ]);
  t.strictSame(layersOf({ layers: [{ ...layer, hours: [{ from: '20:00', to: '08:00', days: [] }] }] }), [
    {
      ...{ name: 'Weeks', people: ['ada@acme.example'], handoff: '2026-11-30T09:00', every: { weeks: 1 } },
      hours: [{ from: '20:00', to: '08:00' }],
    },
  ]);
});

t.test('who is on call, in words: somebody, the reader, nobody', async (t) => {
  const [ada, bob] = [
    { email: 'ada@acme.example', name: 'Ada' },
    { email: 'bob@acme.example', name: 'Bob' },
  ];
  const session = { me: { caller: { email: ada.email } } } as Session; // Standing reads nothing else.
  const say = (fields: Pick<OnCall, 'now' | 'next'>) => {
    const standing: OnCall = { slug: 'x', name: 'X', at: '2026-12-01T12:00:00.000Z', ...fields };
    const colourOf = colourPeople([ada.email, bob.email]);
    return renderToString(
      h(SessionContext.Provider, { value: session, children: h(Standing, { standing, zone, colourOf }) }),
    ).replaceAll(/<[^>]*>/g, ' ');
  };
  const now = { person: ada, until: '2026-12-01T19:00:00.000Z', layer: 'Weeks', override: null };
  const next = { person: bob, from: '2026-12-01T19:00:00.000Z' };
  t.match(
    say({ now, next }),
    /Ada.*You.*until Tue,? 1 Dec, 20:00 · 7 hours left.*Bob.*from Tue,? 1 Dec, 20:00/,
  );
  t.match(say({ now: { ...now, person: bob, until: null }, next: null }), /Bob.*without an end.*nobody else/);
  t.match(say({ now: null, next: null }), /Nobody.*nobody either/);
  t.match(say({ now: { ...now, override: '0198-1' }, next }), /Override/);
  t.equal(makeZoneTimes(zone, 'de').time(at(next.from)), '20:00');
});

t.test('a policy in words: whom each step tells, how long it waits, and how it ends', async (t) => {
  const steps = [
    { notify: [{ schedule: 'backend' }, { channel: '#ops' }], waitMinutes: 10 },
    { notify: [], waitMinutes: 60 },
    { notify: [{ person: 'ada@acme.example' }], waitMinutes: 5 },
  ];
  const say = (repeat: number) =>
    renderToString(
      h(StepList, {
        policy: { steps, repeat, withoutRole: ['ada@acme.example'] },
        names: {
          ...{ people: [], schedules: [], channels: [] },
          nameOf: ({ person, schedule, channel }) => person ?? schedule ?? channel ?? '',
        },
      }),
    ).replaceAll(/<[^>]*>/g, ' ');
  t.match(
    say(0),
    /on call by.*backend.*#ops.*After 10 minutes.*Nobody.*After 1 hour.*ada.*not told.*it ends/,
  );
  t.match(say(2), /After 5 minutes without an acknowledgement, 2 times more from the top\./);
});

t.test('a policy has the rules that name it, and by their severity those that name none', async (t) => {
  const rule = (slug: string, policy: string | null, severity: 'page' | 'ticket') =>
    ({ slug, policy, severity }) as ManagedRule; // The others of its fields do not count.
  const rules = [
    rule('a', 'backend', 'ticket'),
    rule('b', null, 'page'),
    rule('c', null, 'ticket'),
    rule('d', 'x', 'page'),
  ];
  const used = rulesOf({ slug: 'backend', defaultFor: ['page'] }, rules).map(({ slug }) => slug);
  t.strictSame(used, ['a', 'b']);
});
