import type { Context } from 'koa';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { AcknowledgeAlert } from '../../../contract/manage/alerts.js';
import {
  answerTogether,
  listNotices,
  type Notice,
  type OpenedLink,
  openAlertLink,
} from '../../../control/alerts/index.js';
import { ServiceError } from '../../../lib/service-error.js';
import { minuteMs } from '../../../lib/times.js';
import { createWindowCounter, networkOf } from '../../../lib/window-counter.js';
import { addressIn } from '../../../web/account/account-document.js';
import {
  type AlertLinkInput,
  renderAlertLink,
  renderNoAlertLink,
} from '../../../web/account/alert-link-view.js';
import { accountPaths } from '../../../web/account/manage-paths.js';
import type { FormRoute, OpenRoute } from '../../route.js';
import { type AccountDeps, type AccountRequest, accountForm, accountPage } from './account-page.js';
import { answerHtml, answerRedirect } from './answers.js';

/** Thirty people of one office open a message within a minute, each with the requests of a mail scanner before. */
const requestsPerMinute = 120;
/** Networks in memory; beyond that the one that was silent longest is forgotten. */
const networksMax = 20_000;

const html = { mediaTypes: ['text/html; charset=utf-8'] };
const Token = Type.Object({ token: Type.String({ description: 'As in the link of the message.' }) });
const AnswerForm = Type.Object({
  answer: Type.Enum(['acknowledge', 'resolve']),
  note: Type.Optional(Type.String()),
});
const checkNote = Compile(AcknowledgeAlert);

/**
 * The links in messages about alerts, which work without a session. Scanners of mail open links, so a GET changes nothing; the
 * form does, and only what its receiver may.
 */
export function alertLinkRoutes(deps: AccountDeps): (OpenRoute | FormRoute)[] {
  const networks = createWindowCounter<string>({
    ...{ clock: deps.clock, windowMs: minuteMs, keysMax: networksMax },
  });
  const bounded = (handle: (opened: Opened) => void | Promise<void>) => async (request: AccountRequest) => {
    const msLeft = networks.count(networkOf(request.client.address), requestsPerMinute);
    if (msLeft !== undefined) {
      throw new ServiceError('rateLimited', { retryAfterSeconds: Math.max(1, Math.ceil(msLeft / 1_000)) });
    }
    const token = tokenOf(request.ctx);
    const link = await openAlertLink(deps, token);
    if (link === undefined) return answerPage(request, renderNoAlertLink(request.view), 404);
    await handle({ request, token, link });
  };
  const shared = { query: Token, unguarded: 'asksForToken' } as const;
  const page = accountPage(deps, {
    path: accountPaths.alertLink,
    operationId: 'showAlertLink',
    summary: 'The alerts of a message, for whoever got it, in HTML',
    handle: bounded((opened) => show(deps, opened)),
  });
  const form = accountForm(deps, {
    path: accountPaths.alertLink,
    operationId: 'answerAlertLink',
    summary: 'Acknowledge or resolve the alerts of a message by its link',
    schema: AnswerForm,
    refuse: bounded((opened) => show(deps, opened, { error: 'otherOrigin' }, 403)),
    handle: (request, field) => bounded((opened) => answer(deps, opened, field))(request),
  });
  return [
    { ...page, ...shared, answers: { ...page.answers, 404: html } },
    { ...form, ...shared, answers: { ...form.answers, 404: html } },
  ];
}

type Opened = { request: AccountRequest; token: string; link: OpenedLink };

function tokenOf({ query: { token } }: Context): string {
  return typeof token === 'string' ? token : '';
}

async function show(
  deps: AccountDeps,
  { request, token, link }: Opened,
  refused: Pick<AlertLinkInput, 'error' | 'note'> = {},
  status = 200,
): Promise<void> {
  const { page, alerts, count, mayAnswer } = link;
  const [{ toldBatch }] = alerts;
  const notices = toldBatch === null ? [] : await listNotices(deps, { pageId: page.id, batchId: toldBatch });
  const input = { token, page, alerts, count, mayAnswer, now: deps.clock.now(), ...refused };
  const content = { ...input, notices: notices.map(noticeJson) };
  answerPage(request, renderAlertLink(request.view, content), status);
}

const noticeJson = ({ at, ...notice }: Notice) => ({ ...notice, at: at.toISOString() });

async function answer(deps: AccountDeps, opened: Opened, field: (name: string) => string): Promise<void> {
  const { request, token, link } = opened;
  const [verb, note] = [field('answer'), field('note').trim()];
  if (!link.mayAnswer) return show(deps, opened, {}, 403);
  if (verb !== 'acknowledge' && verb !== 'resolve') return show(deps, opened, {}, 400);
  if (note !== '' && !checkNote.Check({ note })) return show(deps, opened, { error: 'note', note }, 400);
  const by = { ...link.by, address: request.client.address };
  const ref = { pageId: link.page.id, id: link.alerts[0].id };
  await answerTogether({ ...deps, by }, verb, { ...ref, note: note === '' ? null : note });
  answerRedirect(request.ctx, addressIn(request.view, accountPaths.alertLink, { token }));
}

/** The address has the token. `no-referrer` would make older browsers, and all without TLS, post the form with the origin `null`. */
function answerPage(request: AccountRequest, content: string, status = 200): void {
  answerHtml(request, content, status);
  request.ctx.set({ 'referrer-policy': 'strict-origin', 'x-robots-tag': 'noindex' });
}
