import { randomUUID } from 'node:crypto';
import t from 'tap';
import { type AlarmId, newId } from '../../lib/ids.js';
import { minuteMs } from '../../lib/times.js';
import { migratePostgres } from '../../sql/migrate.js';
import { silentLog } from '../support/silent-log.js';
import { openEmptyPostgres } from '../support/stores.js';

const { sql } = await openEmptyPostgres(t);
const at = new Date();
const [pageId, accountId, monitorId, incidentId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
const alarms = [1, 2, 3, 4].map((minutes) => newId<AlarmId>(at.getTime() - minutes * minuteMs));
const [down, ending, silent, high] = alarms;

t.test('the alert rule and what channels were told of become rules and open alerts', async (t) => {
  await migratePostgres({ sql, log: silentLog, upTo: 80 });
  await sql`insert into accounts (id, name, created_at) values (${accountId}, 'Acme', ${at})`;
  await sql`
    insert into pages (id, account_id, slug, hostname, name, languages, default_language, history_days, created_at)
    values (${pageId}, ${accountId}, 'acme', 'acme.example.com', 'Acme', '{en}', 'en', 90, ${at})`;
  await sql`
    insert into monitors (id, page_id, slug, name, kind, url, created_at, state, state_since)
    values (${monitorId}, ${pageId}, 'api', 'The API', 'http', 'https://api.example.com/', ${at}, 'down', ${at})`;
  await sql`
    insert into incidents (id, page_id, type, title, summary, started_at, published_at)
    values (${incidentId}, ${pageId}, 'incident', 'Elevated error rate', '', ${at}, ${at})`;
  const evidence = { to: at.toISOString(), requests: 200, errors: 50, endpoints: [] };
  await sql`
    insert into alert_rules (page_id, threshold_percent, window_seconds, requests_min, created_at, incident_id, evidence)
    values (${pageId}, 2.5, 300, 100, ${at}, ${incidentId}, ${sql.json(evidence)})`;
  await sql`
    insert into sources (page_id, kind, source, first_seen_at) values (${pageId}, 'reporter', 'eu-1', ${at})`;
  const told = [
    { topic: 'monitor', subject: monitorId, alarm_id: down, name: 'The API' },
    { topic: 'certificate', subject: monitorId, alarm_id: ending, name: 'The API' },
    { topic: 'reporter', subject: 'eu-1', alarm_id: silent, name: 'Frankfurt (eu-1)' },
    { topic: 'failure-rate', subject: 'rule', alarm_id: high, name: 'Failure rate' },
    { topic: 'deliveries', subject: 'emails', alarm_id: randomUUID(), name: 'Emails' },
  ];
  await sql`insert into alarms ${sql(told.map((one) => ({ ...one, page_id: pageId, told_with: 1, since: at })))}`;
  await migratePostgres({ sql, log: silentLog });

  const rules = await sql`
    select slug, kind, condition, severity, opens_incident as opens from rules where page_id = ${pageId} order by slug`;
  t.match(rules, [
    { slug: 'certificates-end', kind: 'monitor', condition: { certificateDays: 14 }, severity: 'ticket' },
    {
      ...{ slug: 'failure-rate', kind: 'failure-rate', severity: 'page', opens: { template: null } },
      condition: { percent: 2.5, windowMinutes: 5, requestsMin: 100 },
    },
    { slug: 'monitors-down', kind: 'monitor', condition: { is: 'down' }, severity: 'page' },
    { slug: 'reporters-silent', kind: 'reporter', condition: { is: 'silent' }, severity: 'ticket' },
  ]);
  const alerts = await sql`
    select a.rule_slug as rule, a.group_key as "group", a.told_batch as batch, a.title, a.incident_id as incident,
      a.told_at as "toldAt", g.state
    from alerts a join rule_groups g on g.alert_id = a.id order by a.rule_slug`;
  t.match(alerts, [
    { rule: 'certificates-end', group: 'api', batch: ending, state: 'firing' },
    {
      rule: 'failure-rate',
      group: '',
      batch: high,
      title: '25.0 % of the requests fail',
      incident: incidentId,
    },
    { rule: 'monitors-down', group: 'api', batch: down, title: 'The API is down', state: 'firing' },
    { rule: 'reporters-silent', group: 'reporter eu-1', batch: silent, title: 'Frankfurt (eu-1) is silent' },
  ]);
  const toldAt = alerts.map((alert) => Math.round((alert['toldAt'].getTime() - at.getTime()) / minuteMs));
  t.strictSame(toldAt, [-2, 0, -1, -3], 'a channel that is newer than its message gets no end of it');
  t.strictSame(
    (await sql`select topic from alarms`).map(({ topic }) => topic),
    ['deliveries'],
  );
  const old = sql`
    insert into alert_rules (page_id, threshold_percent, window_seconds, requests_min, created_at)
    values (${pageId}, 5, 300, 100, ${at})`;
  await t.rejects(
    old,
    { code: '23514' },
    'an instance of the version before cannot write to what nobody reads',
  );
});
