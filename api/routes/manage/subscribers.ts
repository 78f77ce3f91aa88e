import Type from 'typebox';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import {
  AddManagedSubscriber,
  addressCharsMax,
  csvAddressesMax,
  LiftedSuppression,
  ManagedSubscriber,
  QueuedConfirmation,
} from '../../../contract/manage/subscribers.js';
import { subscriberFilters } from '../../../contract/subscribers.js';
import { loadPageById } from '../../../control/pages/index.js';
import {
  addSubscriber,
  liftSuppression,
  listAddresses,
  removeSubscriber,
  sendConfirmation,
} from '../../../control/subscribers/index.js';
import { invalidValue, type Parameters } from '../../../lib/query-parameters.js';
import { answerPut, preconditionOf } from '../../manage/answers.js';
import { createPaging, listOf, listParameters } from '../../manage/lists.js';
import { idRef, manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import { parseChoice } from '../../manage/parse-choice.js';
import { deleteRoute } from '../../manage/resource-routes.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';
import { manageChatsRoutes } from './subscribers/chats.js';
import { manageEmailsRoutes } from './subscribers/emails.js';
import {
  addressAt,
  addressesAsCsv,
  addressJson,
  positionOf,
  representSubscriber,
} from './subscribers/forms.js';
import { manageImportRoutes } from './subscribers/import.js';

const path = '/api/v1/pages/:page/subscribers';
const permission = 'notifications.write';

/** The subscribers of a page and the emails to them. Addresses are data of persons: no key that only reads sees them. */
export function manageSubscribersRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    ...listRoutes(deps),
    ...changeRoutes(deps),
    ...mailRoutes(deps),
    ...manageImportRoutes(deps),
    ...manageEmailsRoutes(deps),
    ...manageChatsRoutes(deps),
  ];
}

function listRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      ...{ method: 'GET', path, permission, operationId: 'listSubscribers' },
      summary: 'The subscribers of a page, newest first',
      description: `The subscribers of a page, newest first. With \`state=suppressed\` the addresses that get no email, subscribers or not, those that were suppressed last first. With \`Accept: text/csv\` up to ${csvAddressesMax} addresses in one answer, whose \`Link\` header leads to the rest`,
      query: Type.Object({
        ...listParameters,
        q: Type.Optional(Type.String({ description: 'Part of the address, in any case.' })),
        state: Type.Optional(
          Type.Enum([...subscriberFilters], {
            description: 'Only addresses in this state; `suppressed` are the unsubscribed and the bounced.',
          }),
        ),
      }),
      answers: {
        200: { mediaTypes: ['application/json', 'text/csv'], json: listOf(ManagedSubscriber) },
      },
      async manage({ ctx, page, query }) {
        const filter = parseFilter(query);
        const name = `subscribers ${page.id} ${JSON.stringify([filter.state, filter.contains])}`;
        const paging = createPaging(deps.secretKey, name);
        ctx.vary('Accept');
        const part = paging.parse(query);
        const after = part.after && addressAt(part.after);
        if (ctx.accepts('json', 'text/csv') === 'text/csv') {
          const list = { pageId: page.id, ...filter, after };
          await addressesAsCsv(ctx, { deps, page, query, name, list });
          return;
        }
        const rows = await listAddresses(deps, { pageId: page.id, ...filter, limit: part.limit + 1, after });
        paging.answer(ctx, { rows, limit: part.limit, toItem: addressJson, positionOf });
      },
    }),
  ];
}

function changeRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      ...{ method: 'POST', path, permission, operationId: 'addSubscriber' },
      summary: 'Add an address to the subscribers of a page',
      description:
        'Add an address to the subscribers of a page: 201, or 200 when it was one already. Unless it is confirmed, an email asks it to confirm',
      body: { schema: AddManagedSubscriber, bytesMax },
      answers: { 200: ManagedSubscriber, 201: ManagedSubscriber },
      errors: ['invalidBody', 'conflict', 'preconditionFailed'],
      async manage({ ctx, by, page: { id, slug }, body: { confirmed = false, ...input } }) {
        const page = await loadPageById(deps.sql, id);
        const check = preconditionOf(ctx, representSubscriber);
        const { isNew, ...added } = await addSubscriber(
          { ...deps, by },
          { page, ...input, confirmed, check },
        );
        deps.onAnnounced();
        answerPut(ctx, isNew, `/api/v1/pages/${slug}/subscribers/${added.id}`, representSubscriber(added));
      },
    }),
    deleteRoute({
      ...{ path: `${path}/:id`, permission, operationId: 'removeSubscriber' },
      summary: 'Delete a subscriber and the emails to it',
      description:
        'Delete a subscriber and the emails to it. Heartline remembers whether the address unsubscribed or bounced',
      represent: representSubscriber,
      remove: ({ by, page, params }, check) =>
        removeSubscriber({ ...deps, by }, { page, id: params['id'] ?? '', check }),
    }),
  ];
}

function mailRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      ...{ method: 'POST', path: `${path}/:id/confirm-mail`, permission, operationId: 'sendConfirmation' },
      summary: 'Ask a subscriber by email to confirm, once more',
      answers: { 202: QueuedConfirmation },
      errors: ['notFound', 'conflict'],
      async manage(call) {
        const { emailId } = await sendConfirmation({ ...deps, by: call.by }, idRef(call));
        deps.onAnnounced();
        call.ctx.status = 202;
        call.ctx.body = { emailId };
      },
    }),
    manageRoute({
      ...{ method: 'POST', path: `${path}/:id/unsuppress`, permission, operationId: 'liftSuppression' },
      summary: 'Allow email again to an address that bounced or unsubscribed',
      description:
        'Allow email again to an address that bounced or unsubscribed. It gets email if it is also a confirmed subscriber',
      answers: { 200: LiftedSuppression },
      errors: ['notFound', 'conflict'],
      async manage({ ctx, by, page, params }) {
        ctx.body = await liftSuppression({ ...deps, by }, { page, id: params['id'] ?? '' });
      },
    }),
  ];
}

/** @throws ServiceError `invalidParameter` */
function parseFilter({ q, state }: Parameters<'q' | 'state'>) {
  if (q !== undefined && q.length > addressCharsMax) {
    throw invalidValue('q', `part of an address, at most ${addressCharsMax} characters`, q);
  }
  return {
    contains: q === undefined || q === '' ? undefined : q.toLowerCase(),
    state: parseChoice('state', state, subscriberFilters),
  };
}
