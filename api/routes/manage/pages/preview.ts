import { PagePreview, PreviewPage } from '../../../../contract/manage/pages/preview.js';
import { manageBodyBytesMax as bytesMax } from '../../../../contract/manage/shared.js';
import { brandOf, loadPageById, withLooks } from '../../../../control/pages/index.js';
import { ServiceError } from '../../../../lib/service-error.js';
import { accentContrast } from '../../../../web/views/accent.js';
import { hangUpSignal } from '../../../hang-up.js';
import { inlinedLogo } from '../../../manage/inlined-logo.js';
import { manageBodyRoute } from '../../../manage/manage-route.js';
import { createPreviewTurns } from '../../../manage/preview-turns.js';
import { drawStatusOf } from '../../../public/variants/views.js';
import type { ManageRouteList, ManageRoutesDeps } from '../deps.js';

/** The public page with changes that nobody has saved. */
export function pagePreviewRoutes(deps: ManageRoutesDeps): ManageRouteList {
  const inTurn = createPreviewTurns();
  return [
    manageBodyRoute({
      method: 'POST',
      path: '/api/v1/pages/:page/preview',
      operationId: 'previewPage',
      summary: 'The page that readers would get with these settings; nothing is stored',
      permission: 'page.write',
      body: { schema: PreviewPage, bytesMax },
      answers: { 200: PagePreview },
      errors: ['invalidBody', 'notFound', 'rateLimited'],
      async manage({ ctx, page: { id }, body: { language: asked, ...looks } }) {
        const page = withLooks(await loadPageById(deps.sql, id), looks);
        const language = asked ?? page.defaultLanguage;
        if (!page.languages.includes(language)) {
          const known = page.languages.join(', ');
          throw new ServiceError('invalidBody', {
            message: `/language must be one of the languages of the page: ${known}.`,
          });
        }
        const logo = await inlinedLogo(deps, page);
        const brand = { ...brandOf(page, deps.originOf(page.hostname)), ...(logo && { logoPath: logo.url }) };
        const { sendsMail } = deps;
        const view = { brand, language, now: deps.clock.now(), sendsMail };
        const html = await inTurn(id, hangUpSignal(ctx.res), () => drawStatusOf(deps, page, view));
        if (html === undefined) throw new ServiceError('notFound');
        const contrast = (page.accent && accentContrast(page.accent)) ?? null;
        ctx.body = { language, html, contrast };
      },
    }),
  ];
}
