import Type from 'typebox';
import { ManagedEmail } from '../../../../contract/manage/subscribers.js';
import { emailKinds, emailStates } from '../../../../contract/subscribers.js';
import {
  listSubscriberEmails,
  resendSubscriberEmail,
  type SubscriberEmail,
} from '../../../../control/subscribers/index.js';
import { createPaging, listOf, listParameters } from '../../../manage/lists.js';
import { manageRoute } from '../../../manage/manage-route.js';
import { parseChoice } from '../../../manage/parse-choice.js';
import type { CommandRoutesDeps, ManageRouteList } from '../deps.js';

/** The emails of a page, without their texts. */
export function manageEmailsRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      method: 'GET',
      path: '/api/v1/pages/:page/emails',
      operationId: 'listEmails',
      summary: 'The emails of a page, newest first, with the reason of each failure',
      description:
        'The emails of a page, newest first, with the reason of each failure. The parameter q and CSV are for subscribers alone',
      permission: 'notifications.write',
      query: Type.Object({
        ...listParameters,
        state: Type.Optional(Type.Enum([...emailStates], { description: 'Only emails in this state.' })),
        kind: Type.Optional(Type.Enum([...emailKinds], { description: 'Only emails of this kind.' })),
      }),
      answers: { 200: listOf(ManagedEmail) },
      async manage({ ctx, page, query }) {
        const state = parseChoice('state', query.state, emailStates);
        const kind = parseChoice('kind', query.kind, emailKinds);
        const paging = createPaging(deps.secretKey, `emails ${page.id} ${state ?? ''} ${kind ?? ''}`);
        const { limit, after } = paging.parse(query);
        const part = { limit: limit + 1, after: after?.map(String)[0] };
        const rows = await listSubscriberEmails(deps, { pageId: page.id, state, kind, ...part });
        paging.answer(ctx, { rows, limit, toItem: emailJson, positionOf: ({ id }) => [id] });
      },
    }),
    manageRoute({
      method: 'POST',
      path: '/api/v1/pages/:page/emails/:id/resend',
      operationId: 'resendEmail',
      summary: 'Send a parked email again',
      description:
        'Send a parked email again. It is due at once, and its attempts start over; one to a suppressed address is not sent',
      permission: 'notifications.write',
      answers: { 200: ManagedEmail },
      errors: ['notFound', 'conflict'],
      async manage({ ctx, by, page, params }) {
        const ref = { id: params['id'] ?? '', pageId: page.id };
        const resent = await resendSubscriberEmail({ ...deps, by }, ref);
        deps.onAnnounced();
        ctx.body = emailJson(resent);
      },
    }),
  ];
}

function emailJson({ id, kind, email, state, attempts, reason, ...times }: SubscriberEmail): object {
  return {
    ...{ id, kind, email, state, attempts },
    createdAt: times.createdAt.toISOString(),
    nextAttemptAt: times.nextAttemptAt?.toISOString() ?? null,
    finishedAt: times.finishedAt?.toISOString() ?? null,
    reason,
  };
}
