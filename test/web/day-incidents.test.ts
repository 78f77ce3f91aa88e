import t from 'tap';
import type { DayIncident } from '../../contract/public/status-page.js';
import { encodeIncidents, placeIncidents } from '../../web/state/day-incidents.js';

const days = ['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21'];

const incident = (startedAt: string, endedAt: string | null, services = ['api']): DayIncident => ({
  ...{ id: startedAt, title: { en: 'Slow' }, services },
  ...{ startedAt: `${startedAt}:00.000Z`, endedAt: endedAt && `${endedAt}:00.000Z` },
});

const place = (...incidents: DayIncident[]): string =>
  encodeIncidents(placeIncidents(incidents, 'api', days));

t.test('an incident is on each day that it took some of', async (t) => {
  t.equal(place(incident('2026-11-19T10:00', '2026-11-19T11:00')), '0:1');
  t.equal(place(incident('2026-11-19T10:00', '2026-11-20T00:01')), '0:1-2');
  t.equal(
    place(incident('2026-11-19T10:00', '2026-11-20T00:00')),
    '0:1',
    'nothing of the day after midnight',
  );
  t.equal(place(incident('2026-11-20T00:00', '2026-11-20T00:00')), '0:2', 'a moment');
  t.equal(place(incident('2026-11-20T10:00', null)), '0:2-3', 'up to today while it continues');
  t.equal(place(incident('2026-10-01T10:00', '2026-11-18T00:01')), '0:0', 'from the first day shown');
  t.equal(place(incident('2026-10-01T10:00', '2026-11-17T23:00')), '', 'before the days');
});

t.test('a service has its own incidents, by their place in the list of the page', async (t) => {
  const others = incident('2026-11-19T10:00', '2026-11-19T11:00', ['shop']);
  const both = incident('2026-11-18T10:00', '2026-11-18T11:00', ['shop', 'api']);
  t.equal(place(others, both, incident('2026-11-21T10:00', null)), '1:0,2:3');
});
