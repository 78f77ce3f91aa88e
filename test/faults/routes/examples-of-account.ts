import { type Call, type Example, needs, openView } from './example.js';

/** The pages on which people sign in are on the host of the service. */
const host = '127.0.0.1';

function page(path: string, usual: number, stores: Example['needs'] = needs.nothing): readonly Example[] {
  return [{ ...{ usual, needs: stores, view: 'de' }, send: () => openView(path, { host }) }];
}

/** Each form comes from a client and for an email of its own, because failures are counted by both. */
let clients = 0;

function form(
  path: string,
  usual: number,
  stores: Example['needs'],
  fields: (call: Call) => Record<string, string>,
): readonly Example[] {
  const send = (call: Call) => openView(path, { host, ...sent(fields(call)) });
  return [{ ...{ usual, needs: stores, view: 'de' }, send }];
}

const sent = (fields: Record<string, string>) => ({
  headers: {
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
    'x-forwarded-for': `10.99.${++clients >> 8}.${clients & 255}`,
  },
  body: new URLSearchParams(fields).toString(),
});

const token = 'A'.repeat(43);
const emailOf = ({ mark }: Call) => `${mark}@example.com`;

/** Signing in, the links that let people in, and what they find. Nobody has an account. */
export const accountExamples: Record<string, readonly Example[]> = {
  'GET /manage': page('/manage', 303),
  'GET /manage/account': page('/manage/account', 303),
  'GET /manage/visit': page('/manage/visit?page=acme', 303),
  'GET /manage/installation': page('/manage/installation', 303),
  'GET /manage/preview': page('/manage/preview', 200),
  'GET /manage/pages/:page': page('/manage/pages/acme', 303),
  'GET /manage/pages/:page/:screen': page('/manage/pages/acme/traffic', 303),
  'GET /manage/pages/:page/reports/:every': [
    {
      ...{ usual: 303, needs: needs.nothing, view: 'de' },
      send: ({ site }) => openView(`/manage/pages/${site.slug}/reports/week`, { host }),
    },
  ],
  'GET /boards/:board': page('/boards/brd_none', 200),
  'GET /docs': page('/docs', 200),
  'GET /docs/:doc': page('/docs/monitors', 200),
  'GET /manage/sign-in': page('/manage/sign-in', 200),
  'POST /manage/sign-in': form('/manage/sign-in', 401, needs.postgres, (call) => ({
    email: emailOf(call),
    password: 'wrong',
  })),
  'POST /manage/sign-in/code': form('/manage/sign-in/code', 400, needs.nothing, () => ({
    pending: 'x',
    code: '1',
  })),
  'POST /manage/sign-out': form('/manage/sign-out', 303, needs.nothing, () => ({})),
  // No identity provider is configured.
  'GET /manage/sign-in/provider': page('/manage/sign-in/provider', 404),
  'GET /manage/sign-in/answer': page('/manage/sign-in/answer', 404),
  'GET /manage/forgot': page('/manage/forgot', 200),
  'POST /manage/forgot': form('/manage/forgot', 200, needs.postgres, (call) => ({ email: emailOf(call) })),
  'GET /manage/setup': page('/manage/setup', 200, needs.postgres),
  'POST /manage/setup': form('/manage/setup', 400, needs.postgres, (call) => ({
    ...{ token, name: 'Ann', email: emailOf(call), password: 'violet harbour tin lamp' },
  })),
  'GET /manage/reset': page('/manage/reset', 200),
  'POST /manage/reset': form('/manage/reset', 400, needs.postgres, () => ({
    ...{ token, password: 'violet harbour tin lamp' },
  })),
  'GET /manage/alert': [
    {
      ...{ usual: 200, needs: needs.postgres, view: 'de' },
      send: ({ site }) => openView(site.alertLink, { host }),
    },
  ],
  // An answer that is none changes nothing, so that the same alert is there for the next request.
  'POST /manage/alert': [
    {
      ...{ usual: 400, needs: needs.postgres, view: 'de' },
      send: ({ site }) => openView(site.alertLink, { host, ...sent({ answer: 'none' }) }),
    },
  ],
  'GET /manage/invitation': page('/manage/invitation', 200),
  'POST /manage/invitation': form('/manage/invitation', 400, needs.postgres, () => ({ token })),
  'POST /manage/invitation/accept': form('/manage/invitation/accept', 400, needs.postgres, () => ({ token })),
};
