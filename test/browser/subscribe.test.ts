import t from 'tap';
import { openBrowser } from '../support/browser.js';
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.js';
import { addService, makeStatusSite, openSiteIncident, startStatusService } from '../support/status-page.js';
import { checkView, startVisit, type Visit } from '../support/visit.js';
import { waitUntil } from '../support/wait-until.js';

const sink = await startSmtpSink(t);
const service = await startStatusService(t, { smtpUrl: sink.url });
const browser = await openBrowser(t);
const site = await makeStatusSite(service, 'acme-mail', { name: 'Acme', languages: ['en', 'de'] });
await addService(service, site, { slug: 'api', name: 'API' });

const heading = ({ page }: Visit) => page.locator('h1').textContent();

/** The first link with this text in its path, in the newest of `count` messages to an address. */
async function followMail(sink: SmtpSink, to: string, count: number, part: string): Promise<string> {
  await waitUntil(`${count} messages came`, () => sink.to(to).length >= count);
  const text = sink.to(to).at(-1)?.text ?? '';
  const link = text.match(/https?:\/\/\S+/g)?.find((url) => new URL(url).pathname.includes(part));
  if (link === undefined) throw new Error(`No such link: ${text}`);
  return link;
}

t.test('a visitor subscribes, confirms, gets an incident by email, and unsubscribes', async (t) => {
  const visit = await startVisit(t, browser, site.origin);
  const { page } = visit;
  await page.goto('/');
  await page.getByRole('link', { name: 'Subscribe' }).click();
  await page.getByLabel('Email address').fill('ann@example.com');
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.locator('h1', { hasText: 'Check your mail' }).waitFor();
  await checkView(t, visit, 'the answer');

  await page.goto(await followMail(sink, 'ann@example.com', 1, 'confirm'));
  t.equal(await heading(visit), 'Confirm your subscription');
  t.match(page.url(), site.origin, 'on the host of the page');
  await checkView(t, visit, 'the question');
  await page.getByRole('button').click();
  await page.locator('h1', { hasText: 'You are subscribed' }).waitFor();
  await checkView(t, visit, 'the confirmation');

  await openSiteIncident(service, site);
  await page.goto(await followMail(sink, 'ann@example.com', 2, 'unsubscribe'));
  t.equal(await heading(visit), 'Unsubscribe?');
  await checkView(t, visit, 'the way out');
  await page.getByRole('button').click();
  await page.locator('h1', { hasText: 'You are unsubscribed' }).waitFor();
  await checkView(t, visit, 'the end');
});

t.test('every step has the language of the first', async (t) => {
  const visit = await startVisit(t, browser, site.origin, { locale: 'de-DE' });
  const { page } = visit;
  await page.goto('/');
  await page.locator('#email').fill('bea@example.com');
  await page.locator('form button').first().click();
  await page.waitForURL('**/subscribe');
  t.equal(await page.locator('html').getAttribute('lang'), 'de');
  t.notMatch(await heading(visit), 'Check your mail');
  await page.goto(await followMail(sink, 'bea@example.com', 1, 'confirm'));
  t.equal(await heading(visit), 'Abonnement bestätigen');
});

t.test('the form works without scripts, and says what is wrong', async (t) => {
  const visit = await startVisit(t, browser, site.origin, { javaScriptEnabled: false });
  const { page } = visit;
  await page.goto('/en/subscribe');
  t.equal(await heading(visit), 'Hear about it first');
  await page.locator('#email').fill('not.an.address@localhost@x');
  await page.locator('form button').first().press('Enter');
  t.match(page.url(), /\/en\/subscribe$/, 'the browser does not send an invalid address');
  await page.locator('#email').fill('nobody@nowhere');
  await page.locator('form button').first().click();
  await page.locator('h1', { hasText: 'That did not work' }).waitFor();
  t.equal(await page.locator('[role=alert]').count(), 1);
  await page.locator('#email').fill('cid@example.com');
  await page.locator('form button').first().click();
  await page.locator('h1', { hasText: 'Check your mail' }).waitFor();
  await page.goto(await followMail(sink, 'cid@example.com', 1, 'confirm'));
  await page.getByRole('button').click();
  await page.locator('h1', { hasText: 'You are subscribed' }).waitFor();
});

t.test('a refusal and an old link have accessible views', async (t) => {
  const visit = await startVisit(t, browser, site.origin);
  const { page } = visit;
  await page.goto('/en/subscribe');
  await checkView(t, visit, 'the form by itself');
  await page.locator('#email').fill('nobody@nowhere');
  await page.locator('form button').first().click();
  await page.locator('h1', { hasText: 'That did not work' }).waitFor();
  // The browser writes the status of the document to the console.
  t.match(visit.troubles.pop(), /status of 400/);
  await checkView(t, visit, 'the refusal');

  const link = await followMail(sink, 'ann@example.com', 2, 'unsubscribe');
  await page.goto(link.slice(0, -3));
  t.equal(await heading(visit), 'This link does not work');
  t.match(visit.troubles.pop(), /status of 40\d/);
  await checkView(t, visit, 'a broken link');
});
