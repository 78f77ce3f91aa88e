import t from 'tap';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, visitDashboard } from '../../support/dashboard-visit.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const browser = await openBrowser(t);
const incidents = '/manage/pages/acme/incidents';
const visitAs = () => visitDashboard(t, { browser, service, as: { slug: 'acme', role: 'responder' } });
type Visit = Awaited<ReturnType<typeof visitAs>>;

/** The service gets the next POST to such a path, and its answer is lost. */
async function loseAnswer({ page }: Visit, path: RegExp): Promise<void> {
  let isLost = false;
  await page.route(path, async (route) => {
    if (isLost || route.request().method() !== 'POST') return route.fallback();
    isLost = true;
    await route.fetch();
    await route.abort('connectionreset');
  });
}

const countOf = async (table: string) => {
  const [row] = await sql<{ count: number }[]>`select count(*)::integer as count from ${sql(table)}`;
  return row?.count;
};

const stillHere = ({ page }: Visit) =>
  page
    .getByRole('alert')
    .getByText(/What you entered is still here/)
    .waitFor();

t.test('an incident whose answer is lost is published once, after a reload as well', async (t) => {
  const visit = await visitAs();
  const { page } = visit;
  await loseAnswer(visit, /\/incidents$/);
  await page.goto(`${incidents}?new=incident`);
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Orders fail');
  await page.getByRole('textbox', { name: 'What people should know', exact: true }).fill('We look.');
  await page.getByRole('button', { name: /^Publish/ }).click();
  await stillHere(visit);
  await page.reload();
  await page.getByRole('button', { name: /^Publish/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Orders fail' }).waitFor();
  t.equal(await countOf('incidents'), 1);
  t.equal(await countOf('announcements'), 1);
});

t.test('an update whose answer is lost is posted once; another text is another update', async (t) => {
  const visit = await visitAs();
  const { page } = visit;
  await page.goto(incidents);
  await page.getByRole('link', { name: 'Orders fail' }).click();
  await loseAnswer(visit, /\/updates$/);
  const message = page.getByRole('textbox', { name: 'What people should know now' });
  const post = page.getByRole('button', { name: /^Post/ });
  await message.fill('A disk is full.');
  await post.click();
  await stillHere(visit);
  await post.click();
  await page.getByRole('status').getByText('The update is posted').waitFor();
  t.equal(await countOf('incident_updates'), 1);

  await page.unroute(/\/updates$/);
  await loseAnswer(visit, /\/updates$/);
  await message.fill('It has room.');
  await post.click();
  await stillHere(visit);
  await message.fill('It has room again.');
  await post.click();
  await page
    .getByRole('alert')
    .getByText(/The first attempt was published after all/)
    .waitFor();
  t.equal(await countOf('incident_updates'), 2);
  await post.click();
  await page.getByText('It has room again.').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[role=alert]') === null);
  t.equal(await countOf('incident_updates'), 3, 'the person meant it');
});

t.test('a series is planned from the composer, once; what is wrong stands beside its field', async (t) => {
  const visit = await visitAs();
  const { page } = visit;
  await page.goto(`${incidents}?new=maintenance`);
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Database updates');
  await page.getByRole('textbox', { name: 'What people should expect', exact: true }).fill('Read-only.');
  await page.getByLabel('Begins at').fill('2027-07-07T02:00');
  await page.getByLabel('Ends at').fill('2027-07-15T03:00');
  await page.getByLabel('Repeats').selectOption('weekly');
  const plan = page.getByRole('button', { name: 'Plan the series' });
  await plan.click();
  const end = page.getByLabel('Ends at');
  await page.locator('[aria-invalid="true"]:focus').waitFor();
  t.equal(await end.getAttribute('aria-invalid'), 'true');
  const described = (await end.getAttribute('aria-describedby')) ?? '';
  const said = await Promise.all(
    described.split(' ').map((id) => page.locator(`[id="${id}"]`).textContent()),
  );
  t.match(said.join(' '), 'Each maintenance must end before the next one begins.');
  await checkScreen(t, visit, 'a series that overlaps', /400/);
  await end.fill('2027-07-07T03:00');
  await page.getByLabel('Repeats').selectOption('own');
  await page.getByLabel('Rule', { exact: true }).fill('FREQ=HOURLY');
  await plan.click();
  await page.locator('[aria-invalid="true"]:focus').waitFor();
  t.equal(await page.getByLabel('Rule', { exact: true }).getAttribute('aria-invalid'), 'true');
  await page.getByLabel('Rule', { exact: true }).fill('FREQ=WEEKLY;BYDAY=WE');
  await loseAnswer(visit, /\/maintenance-series$/);
  await plan.click();
  await stillHere(visit);
  await plan.click();
  await page.getByRole('status').getByText('The maintenance recurs from now on').waitFor();
  t.match(page.url(), /view=calendar&month=2027-07/);
  await page
    .getByRole('link', { name: /02:00.*Database updates/ })
    .first()
    .waitFor();
  const rows = await sql`select title, rule, duration_minutes from maintenance_series`;
  t.same([...rows], [{ title: 'Database updates', rule: 'FREQ=WEEKLY;BYDAY=WE', duration_minutes: 60 }]);
});

t.test('a start that is emptied is not now, and a refusal that no field shows is shown', async (t) => {
  const visit = await visitAs();
  const { page } = visit;
  await page.goto(`${incidents}?new=incident`);
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Emails are late');
  await page.getByRole('textbox', { name: 'What people should know', exact: true }).fill('We look.');
  await page.getByRole('radio', { name: 'At another time' }).check({ force: true });
  const start = page.getByLabel('Began at');
  await start.fill('');
  const publish = page.getByRole('button', { name: /^Publish/ });
  await publish.click();
  await page.getByText('Required, or choose “Now” above.').waitFor();
  t.equal(await start.getAttribute('aria-invalid'), 'true');
  await page.getByRole('radio', { name: 'Now', exact: true }).check({ force: true });
  await page.route(/\/incidents$/, (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    return route.fulfill({
      status: 400,
      json: { error: '/scheduledEndAt must be absent', code: 'body.invalid', field: '/scheduledEndAt' },
    });
  });
  await publish.click();
  await page.getByRole('alert').getByText('/scheduledEndAt must be absent').waitFor();
});
