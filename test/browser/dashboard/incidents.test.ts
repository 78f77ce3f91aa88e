import t from 'tap';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, forget, visitDashboard } from '../../support/dashboard-visit.js';
import { fillUpdates, loadKinds, makeMonitors } from '../../support/incidents.js';
import { tabTo } from '../../support/keyboard.js';
import { addConfirmed } from '../../support/mail-setup.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { waitUntil } from '../../support/wait-until.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const { pageId } = service;
const browser = await openBrowser(t);
const responder = { browser, service, as: { slug: 'acme', role: 'responder' } } as const;
const viewer = { browser, service, as: { slug: 'acme', role: 'viewer' } } as const;
const incidents = '/manage/pages/acme/incidents';
await sql`update pages set languages = '{en,de}' where id = ${pageId}`;
await makeMonitors(sql, pageId, ['api', 'web']);
await addConfirmed({ sql, page: { id: pageId } }, ['a@example.com', 'b@example.com'], 'de');
await addConfirmed({ sql, page: { id: pageId } }, ['c@example.com'], 'en');

/** Opens an incident with an update through the API, as somebody else does. Returns its id. */
async function open(visit: Awaited<ReturnType<typeof visitDashboard>>, title: string): Promise<string> {
  const answer = await visit.page.request.post('/api/v1/pages/acme/incidents', {
    headers: { 'sec-fetch-site': 'same-origin' },
    data: { title, summary: 'Orders **fail**.', update: { status: 'identified', body: 'A full disk.' } },
  });
  t.equal(answer.status(), 201);
  return ((await answer.json()) as { id: string }).id;
}

t.test('empty: what it is for, and why a viewer cannot fill it', async (t) => {
  const visit = await visitDashboard(t, viewer);
  const { page } = visit;
  await page.goto(incidents);
  await page.getByRole('heading', { name: 'Nothing has happened yet' }).waitFor();
  const button = page.getByRole('button', { name: 'Open an incident' }).first();
  t.equal(await button.getAttribute('aria-disabled'), 'true');
  await button.click({ force: true });
  t.notMatch(page.url(), /new=/);
  await page.goto(`${incidents}?new=incident`);
  await page.getByText('Only responders, editors, or owners may do this.').waitFor();
  t.equal(await page.getByRole('textbox').count(), 0);
  await page.goto(incidents);
  await page.getByRole('heading', { name: 'Nothing has happened yet' }).waitFor();
  await checkScreen(t, visit, 'no incident');
});

t.test('by keyboard: open, update, translate and resolve an incident', async (t) => {
  const visit = await visitDashboard(t, responder);
  const { page } = visit;
  await page.goto(incidents);
  await page.getByRole('heading', { name: 'Nothing has happened yet' }).waitFor();
  await tabTo(page, /^Open an incident$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Open an incident' }).waitFor();
  await page.getByRole('button', { name: 'Publish and tell 3 people' }).waitFor();
  const audience = page.getByRole('region', { name: 'Who will be told, and by what' });
  await audience.getByText('2 in German, 1 in English').waitFor();
  await tabTo(page, /^Publish and tell/);
  await page.keyboard.press('Enter');
  await page.locator('[aria-invalid="true"]:focus').waitFor();
  t.equal(await page.getByRole('textbox', { name: 'Title', exact: true }).evaluate(isFocused), true);
  await page.keyboard.type('Orders fail');
  await tabTo(page, /^What people should know$/);
  await page.keyboard.type('Some orders end with an **error**.');
  await tabTo(page, /^web/);
  await page.keyboard.press('Space');
  await tabTo(page, /^Publish and tell 3 people$/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/incident=[0-9a-f-]{36}/);
  await page.getByRole('heading', { level: 1, name: 'Orders fail' }).waitFor();
  await page.getByText('No update yet.').waitFor();
  await tabTo(page, /^Investigating$/);
  await page.keyboard.press('ArrowRight');
  t.equal(await page.getByRole('radio', { name: 'Identified' }).isChecked(), true);
  await tabTo(page, /^What people should know now$/);
  await page.keyboard.type('A disk is full.');
  await tabTo(page, /^Post and tell 3 people$/);
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('The update is posted').waitFor();
  await page.getByRole('heading', { level: 3, name: 'Identified' }).waitFor();
  t.equal(await page.getByRole('textbox', { name: 'What people should know now' }).inputValue(), '');

  await tabTo(page, /^German$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Texts in German' }).waitFor();
  await tabTo(page, /^Write in German: Title$/);
  await page.keyboard.press('Enter');
  t.equal(await page.getByRole('textbox', { name: 'Text in German' }).evaluate(isFocused), true);
  await page.keyboard.type('Bestellungen scheitern');
  await tabTo(page, /^Save$/);
  await page.keyboard.press('Enter');
  await page.getByText('by a person').waitFor();
  const correct = page.getByRole('button', { name: 'Correct in German: Title' });
  await waitUntil('the focus is back', () => correct.evaluate(isFocused), 5_000);

  await tabTo(page, /^What people should know now$/);
  await page.keyboard.type('The disk has room again.');
  await page.keyboard.press('Shift+Tab');
  for (let i = 0; i < 6; i += 1) {
    if (await page.getByRole('radio', { name: 'Identified' }).evaluate(isFocused)) break;
    await page.keyboard.press('Shift+Tab');
  }
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  t.equal(await page.getByRole('radio', { name: 'Resolved' }).isChecked(), true);
  await tabTo(page, /^Resolve and tell 3 people$/);
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('The incident is resolved').waitFor();
  await page.getByRole('button', { name: 'Add an update' }).waitFor();
  await page.locator('.opens:focus').waitFor();
  await checkScreen(t, visit, 'an incident that is over');
  await page.goto(incidents);
  await page.getByText('No incident is open.').waitFor();
  await page.getByRole('link', { name: 'Orders fail' }).waitFor();
  await checkScreen(t, visit, 'the list');
});

const isFocused = (element: { ownerDocument: { activeElement: unknown } }) =>
  element === element.ownerDocument.activeElement;

t.test('two people correct one update: the second sees both versions, and nothing is lost', async (t) => {
  const [one, other] = [await visitDashboard(t, responder), await visitDashboard(t, responder)];
  const id = await open(one, 'Two people');
  for (const { page } of [one, other]) {
    await page.goto(`${incidents}?incident=${id}`);
    await page.getByRole('button', { name: /^Correct the update/ }).click();
  }
  const fieldOf = ({ page }: typeof one) => page.getByRole('textbox', { name: 'Update', exact: true });
  await fieldOf(one).fill('A disk was full.');
  await fieldOf(other).fill('Two disks were full.');
  await one.page.getByRole('button', { name: 'Save' }).click();
  await one.page.getByText('A disk was full.').waitFor();
  await one.page.getByText(/^corrected/).waitFor();
  await other.page.getByRole('button', { name: 'Save' }).click();
  const dialog = other.page.getByRole('dialog', { name: 'Somebody else has changed this meanwhile' });
  await dialog.getByText('A disk was full.').waitFor();
  await dialog.getByText('Two disks were full.').waitFor();
  await forget(other, /412/);
  await checkScreen(t, other, 'a conflict');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  t.equal(await fieldOf(other).inputValue(), 'Two disks were full.');
  await other.page.reload();
  t.equal(await fieldOf(other).inputValue(), 'Two disks were full.', 'the draft survives a reload');
  await other.page.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('button', { name: 'Save this choice' }).click();
  await other.page.locator('.update-body', { hasText: 'Two disks were full.' }).waitFor();
  await forget(other, /412/);

  t.equal((await emails(id)).filter((kind) => kind === 'incident.update_posted').length, 0, 'in silence');
  await one.page.reload();
  await one.page.getByRole('button', { name: /^Correct the update/ }).click();
  await fieldOf(one).fill('Three disks were full.');
  await fillUpdates(sql, id, 1, 'Another update.');
  await sql`update incidents set revision = revision + 1 where id = ${id}`;
  await one.page.getByRole('button', { name: 'Save' }).click();
  await one.page.locator('.update-body', { hasText: 'Three disks were full.' }).waitFor();
  await one.page.getByText('Another update.').waitFor();
  await forget(one, /412/);
  t.strictSame([...one.troubles, ...other.troubles], []);
});

async function emails(id: string): Promise<string[]> {
  const rows = await sql<{ kind: string }[]>`select kind from announcements where incident_id = ${id}`;
  return rows.map(({ kind }) => kind);
}

t.test('edit the head, delete an update, delete the incident', async (t) => {
  const visit = await visitDashboard(t, responder);
  const { page } = visit;
  const id = await open(visit, 'A mistake');
  await page.goto(`${incidents}?incident=${id}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  await checkScreen(t, visit, 'the editor of the head');
  await page.getByRole('textbox', { name: 'Title' }).fill('A small mistake');
  await page.getByRole('checkbox', { name: /^api/ }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'A small mistake' }).waitFor();
  t.same(await emails(id), ['incident.created'], 'a correction sends no email');
  await page.getByRole('button', { name: /^Delete the update/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/nothing is announced/).waitFor();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No update yet.').waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByText(/with 0 updates and its texts in 2 languages/).waitFor();
  await checkScreen(t, visit, 'the question before the deletion');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL(/incidents$/);
  await page.getByRole('heading', { level: 1, name: 'Incidents' }).waitFor();
  t.strictSame(visit.troubles, []);
});

t.test('texts have their Markdown, and what a person did has the name of the person', async (t) => {
  const visit = await visitDashboard(t, responder);
  const { page } = visit;
  const id = await open(visit, 'Orders fail again');
  const path = `/api/v1/pages/acme/incidents/${id}`;
  const headers = { 'sec-fetch-site': 'same-origin' };
  const body = '| Region | <b>Lag</b> |\n|---|--:|\n| eu-west-1 | **312 s** |';
  await page.request.post(`${path}/updates`, { headers, data: { status: 'resolved', body } });
  await page.request.put(`${path}/postmortem`, { headers, data: { body: `## Why\n\n${body}` } });
  await page.goto(`${incidents}?incident=${id}`);
  await page.locator('.incident-head strong', { hasText: 'fail' }).waitFor();
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await timeline.getByRole('columnheader', { name: '<b>Lag</b>' }).waitFor();
  await timeline.getByRole('cell', { name: '312 s' }).waitFor();
  await page.getByRole('region', { name: 'Postmortem' }).getByRole('table').waitFor();
  t.equal(await timeline.getByText(visit.email).count(), 0, 'no address');
  await checkScreen(t, visit, 'an incident with tables');
  await page.request.delete(path, { headers });
  t.strictSame(visit.troubles, []);
});

t.test('offline in the middle of the composer: what was entered stays', async (t) => {
  const visit = await visitDashboard(t, responder);
  const { page, context } = visit;
  await page.goto(`${incidents}?new=incident`);
  const title = page.getByRole('textbox', { name: 'Title', exact: true });
  await title.fill('Slow answers');
  await page.getByRole('textbox', { name: 'What people should know', exact: true }).fill('Wait a bit.');
  await page.getByRole('radio', { name: 'Identified' }).check({ force: true });
  await page.getByRole('textbox', { name: 'What is known by now' }).fill('A slow query.');
  await page.locator('.preview-view[aria-busy="false"] iframe').waitFor();
  await checkScreen(t, visit, 'the composer');
  await context.setOffline(true);
  await page.getByRole('button', { name: /^Publish/ }).click();
  await page
    .getByRole('alert')
    .getByText(/What you entered is still here/)
    .waitFor();
  await context.setOffline(false);
  await page.reload();
  t.equal(await title.inputValue(), 'Slow answers');
  visit.troubles.splice(0);
  await page.getByRole('switch', { name: 'Tell people' }).click();
  const audience = page.getByRole('region', { name: 'Who will be told, and by what' });
  await audience.getByText('nothing is sent').first().waitFor();
  await page.getByRole('button', { name: 'Publish without telling anybody' }).click();
  await page.getByRole('heading', { level: 1, name: 'Slow answers' }).waitFor();
  const id = new URL(page.url()).searchParams.get('incident') ?? '';
  t.strictSame(await loadKinds(service, id), []);
  await page.getByText('A slow query.').waitFor();
  await page.goto(`${incidents}?new=incident`);
  t.equal(await title.inputValue(), '', 'the draft is gone once it is published');
  t.strictSame(visit.troubles, []);
});

t.test(
  'an update keeps the status that it was begun with, while somebody else posts another one',
  async (t) => {
    const visit = await visitDashboard(t, responder);
    const { page } = visit;
    const id = await open(visit, 'Begun by two');
    await page.goto(`${incidents}?incident=${id}`);
    await page.getByRole('textbox', { name: 'What people should know now' }).fill('We replace it.');
    const answer = await page.request.post(`/api/v1/pages/acme/incidents/${id}/updates`, {
      headers: { 'sec-fetch-site': 'same-origin' },
      data: { status: 'monitoring', body: 'It looks better.' },
    });
    t.equal(answer.status(), 201);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.getByRole('heading', { level: 3, name: 'Monitoring' }).waitFor();
    t.equal(await page.getByRole('radio', { name: 'Identified' }).isChecked(), true);
  },
);

t.test('plan maintenance: its start and end in the zone of the page', async (t) => {
  await sql`update pages set time_zone = 'Europe/Berlin' where id = ${pageId}`;
  const visit = await visitDashboard(t, responder);
  const { page } = visit;
  await page.goto(`${incidents}?new=maintenance`);
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('New machines');
  await page.getByRole('textbox', { name: 'What people should expect', exact: true }).fill('A short break.');
  await page.getByLabel('Begins at').fill('2099-07-01T02:00');
  await page.getByLabel('Ends at').fill('2099-07-01T01:00');
  await page.getByRole('button', { name: /^Publish/ }).click();
  await page.getByText('The end must come after the start.').waitFor();
  await page.getByLabel('Ends at').fill('2099-07-01T03:00');
  await page.locator('.preview-view[aria-busy="false"] iframe').waitFor();
  await checkScreen(t, visit, 'the composer of maintenance');
  await page.getByRole('button', { name: /^Publish/ }).click();
  await page.getByRole('heading', { level: 1, name: 'New machines' }).waitFor();
  await page.getByText('Wed, 1 Jul 2099, 02:00 (Europe/Berlin)').waitFor();
  const asked = page.waitForRequest(/\/audience\?event=maintenance\.resolved$/);
  await page.getByRole('radio', { name: 'Resolved' }).check({ force: true });
  await asked;
  await page.getByRole('button', { name: 'Resolve and tell 3 people' }).waitFor();
  await page.getByRole('radio', { name: 'Investigating' }).check({ force: true });
  const [row] = await sql<
    { at: Date }[]
  >`select started_at as at from incidents where title = 'New machines'`;
  t.equal(row?.at.toISOString(), '2099-07-01T00:00:00.000Z');
  await page.goto(`${incidents}?state=scheduled`);
  await page.getByRole('link', { name: 'New machines' }).waitFor();
  await page.getByRole('radio', { name: 'Incidents' }).check({ force: true });
  await page.getByText('No maintenance is planned.').waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'New machines' }).waitFor();
  t.strictSame(visit.troubles, []);
});

t.test('a viewer reads everything, changes nothing, and the service refuses as well', async (t) => {
  const writer = await visitDashboard(t, responder);
  const id = await open(writer, 'To be read');
  const visit = await visitDashboard(t, viewer);
  const { page } = visit;
  await page.goto(`${incidents}?incident=${id}&language=de`);
  await page.getByText('Only responders, editors, or owners may do this.').first().waitFor();
  await page.getByRole('heading', { name: 'Texts in German' }).waitFor();
  t.equal(await page.getByRole('textbox').count(), 0);
  for (const name of [/^Edit$/, /^Delete$/, /^Correct the update/, /^Write in German: Title$/]) {
    const button = page.getByRole('button', { name }).first();
    t.equal(await button.getAttribute('aria-disabled'), 'true', String(name));
    t.match(await button.getAttribute('title'), /Only responders/);
    await button.click({ force: true });
  }
  t.equal(await page.getByRole('textbox').count(), 0);
  await checkScreen(t, visit, 'an incident for a viewer');
  const refused = await page.request.patch(`/api/v1/pages/acme/incidents/${id}`, {
    headers: { 'sec-fetch-site': 'same-origin' },
    data: { title: 'Mine' },
  });
  t.equal(refused.status(), 403);
});

t.test('loading, failing in parts, and an incident that there is not', async (t) => {
  const visit = await visitDashboard(t, responder);
  const { page } = visit;
  const answer = await failReads(visit, /incidents\?/, 'hang');
  await page.goto(incidents);
  await page.locator('.skeleton').first().waitFor();
  await checkScreen(t, visit, 'a list that loads');
  await answer();
  const mend = await failReads(visit, /incidents\?state=open/);
  await page.reload();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.getByRole('link', { name: 'Orders fail' }).waitFor();
  await mend();
  await checkScreen(t, visit, 'a list of which a part failed');
  const count = await failReads(visit, /\/audience/);
  await page.goto(`${incidents}?new=incident`);
  await page.getByText('The numbers could not be loaded').waitFor();
  await page.getByRole('button', { name: 'Publish and tell all subscribers' }).waitFor();
  await count();
  await page.goto(`${incidents}?incident=01933b40-0000-7000-8000-000000000001`);
  await page.getByText('This does not exist').waitFor();
  await checkScreen(t, visit, 'no such incident', /404/);
});
