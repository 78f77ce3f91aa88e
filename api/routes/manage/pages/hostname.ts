import { isIP } from 'node:net';
import { CheckHostname, HostnameCheck } from '../../../../contract/manage/pages/hostname.js';
import { manageBodyBytesMax as bytesMax } from '../../../../contract/manage/shared.js';
import { checkHostname, loadPageById, parseHostname } from '../../../../control/pages/index.js';
import type { PageId } from '../../../../lib/ids.js';
import { createLimiter } from '../../../../lib/limiter.js';
import { createEgress, type Egress } from '../../../../lib/outbound/egress.js';
import { recordsOf } from '../../../../lib/outbound/host-records.js';
import { ServiceError } from '../../../../lib/service-error.js';
import { manageBodyRoute } from '../../../manage/manage-route.js';
import type { ManageRouteList, ManageRoutesDeps } from '../deps.js';

const checksMax = { max: 8, maxPerKey: 2 };

/** Looks where a host name leads, beside what is saved. */
export function hostnameRoutes(deps: ManageRoutesDeps): ManageRouteList {
  const running = createLimiter<PageId>(checksMax);
  let egress: Egress | undefined;
  return [
    manageBodyRoute({
      method: 'POST',
      path: '/api/v1/pages/:page/hostname/check',
      operationId: 'checkHostname',
      summary: 'Where a host name leads, and what answers there',
      description:
        'Where a host name leads, and what answers there: the records of DNS, and a request to the page. Without a host name, that of the page',
      permission: 'page.write',
      body: { schema: CheckHostname, bytesMax },
      answers: { 200: HostnameCheck },
      errors: ['invalidBody', 'rateLimited'],
      async manage({ ctx, page: { id }, body: { hostname } }) {
        const page = await loadPageById(deps.sql, id);
        const asked = hostname === undefined ? page.hostname : parseHostname(hostname);
        if (isIP(asked) !== 0) {
          const message = `${asked} is an IP address; give the name of a host, such as status.example.com.`;
          throw new ServiceError('invalidBody', { message });
        }
        const release = running.tryTake(id);
        if (release === undefined) {
          const message = 'Another check runs now; wait for its answer.';
          throw new ServiceError('rateLimited', { message, retryAfterSeconds: 1 });
        }
        try {
          egress ??= createEgress(deps);
          const serviceHostname = new URL(deps.baseUrl()).hostname;
          const network = { recordsOf: deps.recordsOf ?? recordsOf, egress, serviceHostname };
          ctx.body = await checkHostname({ ...network, originOf: deps.originOf }, { hostname: asked, page });
        } finally {
          release();
        }
      },
    }),
  ];
}
