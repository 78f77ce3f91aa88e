import Type from 'typebox';
import { type AnnouncementKind, announcementKinds } from '../../../contract/incidents.js';
import { Audience } from '../../../contract/manage/audience.js';
import { countRecipients } from '../../../control/subscribers/index.js';
import { countReceivers } from '../../../control/webhooks/index.js';
import { invalidValue } from '../../../lib/query-parameters.js';
import { manageRoute } from '../../manage/manage-route.js';
import type { ManageRouteList, ManageRoutesDeps } from './deps.js';

const usualKind: AnnouncementKind = 'incident.created';

/** Who an announcement would reach, so that people and programs can say so before they make it. */
export function manageAudienceRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      method: 'GET',
      path: '/api/v1/pages/:page/audience',
      operationId: 'getAudience',
      summary: 'How many subscribers and webhooks an announcement would reach now',
      permission: 'telemetry.read',
      query: Type.Object({
        event: Type.Optional(
          Type.Enum([...announcementKinds], {
            description: `Kind of the announcement; ${usualKind} when absent.`,
          }),
        ),
      }),
      answers: { 200: Audience },
      errors: ['invalidParameter'],
      async manage({ ctx, page, query: { event = usualKind } }) {
        const kind = announcementKinds.find((known) => known === event);
        if (kind === undefined) throw invalidValue('event', `one of ${announcementKinds.join(', ')}`, event);
        const [languages, webhooks] = await Promise.all([
          countRecipients(deps, page.id),
          countReceivers(deps, page.id, kind),
        ]);
        const subscribers = Object.values(languages).reduce((all, count) => all + count, 0);
        ctx.body = { subscribers, languages, webhooks };
      },
    }),
  ];
}
