import { previewPath } from '../../../web/account/manage-paths.js';
import type { OpenRoute } from '../../route.js';
import { type AccountDeps, accountPage } from './account-page.js';
import { answerPreview } from './answers.js';

/** The empty document in which the dashboard shows pages and emails as readers would get them. It has no data. */
export function previewRoutes(deps: AccountDeps): OpenRoute[] {
  return [
    accountPage(deps, {
      ...{ path: previewPath, operationId: 'showPreview', handle: answerPreview },
      summary: 'An empty document that the dashboard fills with previews, in HTML',
    }),
  ];
}
