import t from 'tap';
import { createChannel, deleteChannel } from '../../../control/channels/index.js';
import { changePolicy, findPolicy, putPolicy } from '../../../control/policies/index.js';
import {
  addOverride,
  deleteSchedule,
  loadOnCall,
  putSchedule,
  rotateFeed,
} from '../../../control/schedules/index.js';
import { removePageRows } from '../../../sql/remove-page-rows.js';
import { testActor } from '../../support/actor.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { backend, makeTeam, tuesday } from '../../support/on-call.js';
import { makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const deps = { sql, clock: { now: () => tuesday }, by: testActor };
const { id: pageId } = await makePage(sql);
const { id: otherId } = await makePage(sql, { slug: 'other' });
const team = await makeTeam(deps, { ada: 'owner', bob: 'responder' });
const ref = { pageId, slug: 'backend' };
await putSchedule(deps, { ...ref, fields: backend });

t.test('who is on call comes with the end; another page, a gap and nothing have nobody', async (t) => {
  const until = Date.parse('2026-12-07T08:00:00Z');
  t.strictSame(await loadOnCall(sql, ref, tuesday), [{ userId: team.ada.id, until }]);
  t.match(await loadOnCall(sql, ref, until), [{ userId: team.bob.id }]);
  t.strictSame(await loadOnCall(sql, { ...ref, pageId: otherId }, tuesday), []);
  t.strictSame(await loadOnCall(sql, { ...ref, slug: 'none' }, tuesday), []);
  t.strictSame(await loadOnCall(sql, ref, Date.parse('2026-11-29T00:00:00Z')), []);
});

t.test('a policy and the deletion of what it tells follow each other', async (t) => {
  const fields = (target: object) => ({ name: 'x', steps: [{ notify: [target], waitMinutes: 5 }] });
  const outcomes: string[] = [];
  for (let round = 0; round < 8; round += 1) {
    const slug = `round-${round}`;
    await putSchedule(deps, { pageId, slug, fields: { ...backend, layers: [] } });
    const { id, name } = await createChannel(
      { ...deps, secretKey: testSecretKey },
      { pageId, kind: 'webhook', name: slug, settings: { url: 'https://example.com/hook' } },
    );
    const settled = await Promise.allSettled([
      putPolicy(deps, { pageId, slug: `schedule-${round}`, fields: fields({ schedule: slug }) }),
      deleteSchedule(deps, { pageId, slug }),
      putPolicy(deps, { pageId, slug: `channel-${round}`, fields: fields({ channel: name }) }),
      deleteChannel({ ...deps, secretKey: testSecretKey }, { pageId, id }),
    ]);
    const [put, deleted, putToo, deletedToo] = settled.map(({ status }) => status === 'fulfilled');
    outcomes.push(put !== deleted && putToo !== deletedToo ? 'one of two' : JSON.stringify(settled));
    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.kind] : []));
    t.ok(
      refused.every((kind) => kind === 'conflict' || kind === 'invalidBody'),
      refused.join(),
    );
  }
  t.strictSame(new Set(outcomes), new Set(['one of two']));
  t.equal(
    (
      await sql`select 1 from policy_steps s where not exists (
    select from policy_targets g where g.policy_id = s.policy_id and g.step_position = s.position)`
    ).count,
    0,
  );
  await sql`delete from policies`;
});

t.test('a policy gives ids, so that whoever sends needs no names', async (t) => {
  const steps = [{ notify: [{ schedule: 'backend' }, { person: team.bob.email }], waitMinutes: 5 }];
  await putPolicy(deps, { pageId, slug: 'wake', fields: { name: 'Wake', steps } });
  t.match(await findPolicy(sql, { pageId, slug: 'wake' }), {
    steps: [
      {
        notify: [
          { type: 'schedule', slug: 'backend' },
          { type: 'person', userId: team.bob.id, mayBeTold: true },
        ],
      },
    ],
  });
  t.equal(await findPolicy(sql, { pageId: otherId, slug: 'wake' }), undefined);
  await changePolicy(deps, { pageId, slug: 'wake', changes: { defaultFor: ['page'] } });
});

t.test('the rows go with the page, and those of another page stay', async (t) => {
  const tables = ['schedules', 'schedule_layers', 'schedule_people', 'schedule_overrides', 'policies'];
  const all = [...tables, 'policy_defaults', 'policy_steps', 'policy_targets'];
  const count = async (id: string) =>
    Promise.all(
      all.map(async (table) => (await sql`select 1 from ${sql(table)} where page_id = ${id}`).count),
    );
  await sql`
    insert into page_roles (page_id, user_id, role, created_at) values (${otherId}, ${team.ada.id}, 'owner', now())`;
  const layers = backend.layers.map((layer) => ({ ...layer, people: [team.ada.email] }));
  await putSchedule(deps, { pageId: otherId, slug: 'theirs', fields: { ...backend, layers } });
  const times = { from: tuesday, to: tuesday + 3_600_000 };
  await addOverride(deps, { ...ref, person: team.bob.email, ...times });
  await addOverride(deps, { pageId: otherId, slug: 'theirs', person: team.ada.email, ...times });
  const steps = [{ notify: [{ schedule: 'theirs' }], waitMinutes: 5 }];
  await putPolicy(deps, { pageId: otherId, slug: 'x', fields: { name: 'x', steps, defaultFor: ['page'] } });
  await rotateFeed(deps, ref);
  t.notOk((await count(pageId)).includes(0));
  const others = await count(otherId);
  t.notOk(others.includes(0));
  await removePageRows(sql, { pageId, kept: ['audit_log', 'keys'] });
  t.strictSame(
    await count(pageId),
    all.map(() => 0),
  );
  t.strictSame(await count(otherId), others);
});
