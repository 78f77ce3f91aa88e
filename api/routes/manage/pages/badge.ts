import Type from 'typebox';
import { closed } from '../../../../contract/manage/shared.js';
import { BadgeParameters } from '../../../../contract/public/badges.js';
import { ServiceError } from '../../../../lib/service-error.js';
import { pageBadge, renderBadge, serviceBadge } from '../../../../web/badges/badge.js';
import { manageRoute } from '../../../manage/manage-route.js';
import { parseBadgeParameters } from '../../badges.js';
import type { ManageRouteList, ManageRoutesDeps } from '../deps.js';

const query = Type.Object({
  service: Type.Optional(Type.String({ description: 'Slug of a service; the page as a whole when absent.' })),
  ...BadgeParameters.properties,
});

/** The pictures that other sites show, for a dashboard that loads nothing from the host of the page. */
export function badgePictureRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      method: 'GET',
      path: '/api/v1/pages/:page/badge',
      operationId: 'drawBadge',
      summary: 'A badge of the page or of a service, as it is now',
      permission: 'telemetry.read',
      query,
      answers: { 200: closed({ svg: Type.String() }) },
      errors: ['invalidParameter', 'notFound'],
      async manage({ ctx, page, query: { service: slug, ...given } }) {
        const parameters = parseBadgeParameters(given);
        const figures = await deps.findBadgeFigures(page.id);
        const service = slug === undefined ? undefined : figures?.services.get(slug);
        if (figures === undefined || (slug !== undefined && service === undefined)) {
          throw new ServiceError('notFound');
        }
        const badge = service ? serviceBadge(service, parameters) : pageBadge(figures, parameters);
        ctx.body = { svg: renderBadge(badge) };
      },
    }),
  ];
}
