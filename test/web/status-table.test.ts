import t from 'tap';
import { renderStatusText } from '../../web/views/status-table.js';
import {
  changeServices,
  makeEntry,
  makeLargeView,
  makeMaintenance,
  makeView,
} from '../support/page-views.js';

t.test('a table of services, and what is announced', async (t) => {
  const view = makeView({
    groups: [
      {
        ...{ id: 'g', createdAt: '2026-11-01T00:00:00.000Z', slug: 'shop', name: 'Shop', names: {} },
        ...{ collapsed: true, services: ['service-2'] },
      },
    ],
    incidents: [
      makeEntry({ services: ['service-1'], impact: 'minor' }),
      makeMaintenance({ maintenanceState: 'scheduled', startedAt: '2026-11-22T10:00:00.000Z' }),
    ],
  });
  t.equal(
    renderStatusText(view),
    `Acme Cloud: We are working on an incident
21 Nov 2026, 16:30 UTC  https://status.example.com/en/

~ Degraded    99.98%  Service 1

+ Up               -  Shop
+ Up          99.98%    Service 2

Happening now
  21 Nov 2026, 15:30 UTC  Slow logins
  https://status.example.com/en/incidents/entry-1

Planned maintenance
  22 Nov 2026, 10:00 UTC  Slow logins
  https://status.example.com/en/incidents/entry-2
`,
  );
});

t.test(
  'times are by the clock of the page, and planned maintenance stands as on the page: the next first',
  async (t) => {
    const view = makeView({
      incidents: [
        makeMaintenance({ maintenanceState: 'scheduled', startedAt: '2026-11-23T23:30:00.000Z' }),
        makeMaintenance({ maintenanceState: 'scheduled', startedAt: '2026-11-22T10:00:00.000Z' }),
      ],
    });
    const text = renderStatusText({ ...view, brand: { ...view.brand, timeZone: 'Europe/Berlin' } });
    t.match(text, '21 Nov 2026, 17:30 CET  https://');
    t.match(text, /22 Nov 2026, 11:00 CET .*24 Nov 2026, 00:30 CET /s);
  },
);

t.test('columns stay in line in every language, also where characters are wide', async (t) => {
  for (const language of ['en', 'de', 'es', 'fr', 'ja']) {
    const lines = renderStatusText({ ...makeLargeView(30, 'mixed'), language }).split('\n');
    const columns = lines
      .filter((line) => /^[+~!x=?-] /.test(line))
      .map((line) => {
        const at = line.search(/(?:Service|Website|Shop|Payments)/);
        return [...line.slice(0, at).trimEnd()].reduce(
          (sum, one) => sum + (/[\u3000-\u9fff]/.test(one) ? 2 : 1),
          0,
        );
      });
    t.equal(new Set(columns).size, 1, `${language}: ${[...new Set(columns)]}`);
  }
});

t.test('what tenants write does not change a terminal', async (t) => {
  const name = '\u001b[31mred\u001b[0m\u0007\u202e\r\nx';
  const text = renderStatusText(changeServices(makeView(), [{ name, names: { en: name } }]));
  t.notMatch(text, /[^\P{C}\n]/u);
});
