import type { Stores } from '../../support/service.js';
import { type Call, type Example, needs, openView } from './example.js';
import type { Site } from './site.js';

type Views = Record<string, readonly Example[]>;

/** A view at its address without a language and in German, whose readers get errors in German. */
function views(path: string, pathOf: (site: Site) => string, stores: Example['needs']): Views {
  const view = { usual: 200, needs: stores, kept: true, view: 'de' } as const;
  // The address of the status page in a language has a slash at the end, which its route is written without.
  const inLanguage = path === '/' ? '/:language' : `/:language${path}`;
  return {
    [`GET ${path}`]: [{ ...view, send: ({ site }) => openView(pathOf(site)) }],
    [`GET ${inLanguage}`]: [{ ...view, send: ({ site }) => openView(`/de${pathOf(site)}`) }],
  };
}

function link(purpose: 'confirm' | 'unsubscribe' | 'manage'): Views {
  const send = ({ site }: Call) => openView(site.links[purpose]);
  const needed = needs.postgres;
  return {
    [`GET /subscribers/${purpose}`]: [{ usual: 200, needs: needed, view: 'de', send }],
    [`POST /subscribers/${purpose}`]: [{ usual: 200, needs: needed, view: 'de', send }],
  };
}

/** Each sign-up comes from a client of its own, because each client may send ten an hour. */
let clients = 0;
const newClient = () => ({
  'x-forwarded-for': `10.${++clients >> 16}.${(clients >> 8) & 255}.${clients & 255}`,
});

const addressOf = ({ mark }: Call) => `${mark}@example.com`;

const emailsTo = async ({ sql }: Pick<Stores, 'sql'>, call: Call) =>
  (
    await sql`select 1 from emails e join subscribers s on s.id = e.subscriber_id where s.email = ${addressOf(call)}`
  ).length;

const statusPage = views('/', () => '/', needs.figures);

/** Requests of people on the host of a page. */
export const peopleExamples: Views = {
  ...statusPage,
  'GET /': [
    ...(statusPage['GET /'] ?? []),
    {
      ...{ variant: 'the start page', usual: 200, needs: needs.both, view: 'de', ownForm: /<html lang="de"/ },
      send: () => openView('/', { host: '127.0.0.1' }),
    },
  ],
  ...views('/status.txt', () => '/status.txt', needs.figures),
  ...views('/card.png', () => '/card.png', needs.figures),
  ...views('/history', () => '/history', needs.page),
  ...views('/history/:month', ({ month }) => `/history/${month}`, needs.page),
  ...views('/incidents/:id', ({ incidentId }) => `/incidents/${incidentId}`, needs.page),
  ...views('/incidents/:id/card.png', ({ incidentId }) => `/incidents/${incidentId}/card.png`, needs.page),
  ...views('/subscribe', () => '/subscribe', needs.page),
  'GET /:language': [
    ...(statusPage['GET /:language'] ?? []),
    { variant: 'without a slash', usual: 308, needs: needs.page, view: 'de', send: () => openView('/de') },
  ],
  // On a page that everybody may read, they lead to it.
  'POST /reader/password': [
    {
      ...{ usual: 303, needs: needs.page, view: 'de' },
      send: () =>
        openView('/reader/password', {
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: 'password=any',
        }),
    },
  ],
  'GET /reader/pass': [{ usual: 303, needs: needs.page, view: 'de', send: () => openView('/reader/pass') }],
  'POST /subscribe': [
    {
      ...{ usual: 200, needs: needs.postgres, view: 'de' },
      send: (call) =>
        openView('/subscribe', {
          headers: { 'content-type': 'application/x-www-form-urlencoded', ...newClient() },
          body: new URLSearchParams({ email: addressOf(call), language: 'de' }).toString(),
        }),
      applied: emailsTo,
    },
  ],
  'POST /api/public/:slug/subscribers': [
    {
      ...{ usual: 202, needs: needs.postgres },
      send: (call) => ({
        path: `/api/public/${call.site.slug}/subscribers`,
        headers: { 'content-type': 'application/json', ...newClient() },
        body: JSON.stringify({ email: addressOf(call) }),
      }),
      applied: emailsTo,
    },
  ],
  ...link('confirm'),
  ...link('unsubscribe'),
  ...link('manage'),
  // A failed sign-in asks for the same as one that succeeds.
  'POST /api/v1/session': [
    {
      ...{ usual: 401, needs: needs.postgres },
      send: (call) => ({
        path: '/api/v1/session',
        headers: { 'content-type': 'application/json', ...newClient() },
        body: JSON.stringify({ email: addressOf(call), password: 'correct horse battery staple' }),
      }),
    },
  ],
};
