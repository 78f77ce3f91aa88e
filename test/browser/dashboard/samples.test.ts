import t from 'tap';
import { minuteMs } from '../../../lib/times.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, forget, noticed, visitDashboard } from '../../support/dashboard-visit.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const browser = await openBrowser(t);
const editor = { browser, service, as: { slug: 'acme', role: 'editor' } } as const;
const traffic = '/manage/pages/acme/traffic?service=shop';
const traces = '/manage/pages/acme/page?part=traces';
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const pay = { service: 'shop', endpoint: '/pay', method: 'POST', status: 502 };
const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * minuteMs).toISOString();
const sampled = (minutesAgo: number) => ({
  ...pay,
  ...{ at: at(minutesAgo), message: `no price for ${minutesAgo}`, errorType: 'TypeError', traceId },
  ...{ spanId: '00f067aa0ba902b7', attributes: { region: 'eu-west-1', attempt: 2 } },
  stack: `TypeError: no price\n    at pay (/app/${'deep/'.repeat(40)}pay.js:10:5)`,
});

await service.post('/api/v1/events', [
  ...[3, 4, 5, 6, 7, 8].map(sampled),
  { ...pay, endpoint: '/cart', at: at(2), message: 'the cart is gone' },
]);
await service.settle();

t.test('a message shows its newest samples, and the id of their trace', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(traffic);
  await page.getByRole('button', { name: 'Samples: no price for' }).click();
  const samples = page.getByRole('list', { name: 'Samples' }).getByRole('listitem');
  await samples.first().getByText('no price for 3').waitFor();
  t.equal(await samples.filter({ hasText: 'TypeError' }).count(), 5);
  await page.getByText('These are the 5 newest.').waitFor();
  t.match(await samples.first().textContent(), new RegExp(`POST /pay.*${traceId}.*eu-west-1`));
  t.equal(await page.getByRole('link', { name: 'Trace' }).count(), 0, 'no tool is known');
  await samples.first().getByText('Stack').click();
  await samples.first().getByText('at pay').waitFor();
  await checkScreen(t, visit, 'samples');
  await page.getByRole('button', { name: 'Samples: the cart is gone' }).click();
  await page.getByText('No sample is kept of these.').waitFor();
  await page.getByRole('button', { name: 'Hide the samples: no price for' }).click();
  await samples.first().waitFor({ state: 'detached' });
});

t.test('an address of traces is refused without the id, and then leads from a sample', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(traces);
  const address = page.getByLabel('Address of a trace');
  await address.fill('https://tempo.example/trace/');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('needs {traceId} in it').first().waitFor();
  await forget(visit, /400/);
  await checkScreen(t, visit, 'a wrong address of traces');
  await address.fill('https://tempo.example/trace/{traceId}?span={spanId}');
  await page.getByRole('button', { name: 'Save' }).click();
  await noticed(page, 'Saved');
  await page.goto(traffic);
  await page.getByRole('button', { name: 'Samples: no price for' }).click();
  const link = page.getByRole('link', { name: 'Trace' }).first();
  await link.waitFor();
  t.equal(await link.getAttribute('href'), `https://tempo.example/trace/${traceId}?span=00f067aa0ba902b7`);
  t.equal(await link.getAttribute('rel'), 'noreferrer');
  await page.goto(traces);
  await address.fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await noticed(page, 'Saved');
  await page.reload();
  await address.waitFor();
  t.equal(await address.inputValue(), '');
});

t.test('in German, and while samples cannot be read', async (t) => {
  const visit = await visitDashboard(t, editor, { locale: 'de-DE' });
  const { page } = visit;
  await failReads(visit, /analytics\/failures/);
  await page.goto(traffic);
  await page.getByRole('button', { name: 'Beispiele: no price for' }).click();
  await page.locator('.samples [role=alert]').waitFor();
  await checkScreen(t, visit, 'no answer', /503/);
  await page.goto(traces);
  await page.getByLabel('Adresse eines Traces').waitFor();
  await checkScreen(t, visit, 'traces in German');
});
