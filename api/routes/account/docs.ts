import { readFile } from 'node:fs/promises';
import { ServiceError } from '../../../lib/service-error.js';
import { docsPath } from '../../../web/page-paths.js';
import { docsStyle, renderDocsView } from '../../../web/views/docs-view.js';
import { setHeaders } from '../../public/public-reads.js';
import { viewHeaders } from '../../public/view-headers.js';
import type { OpenRoute } from '../../route.js';
import { type AccountDeps, type AccountRequest, accountPage } from './account-page.js';

/** The build runs beside the sources that it was made of. */
const folder = new URL('../../../../docs/', import.meta.url);

/** The documentation of this version, on the host of the service. */
export function docsRoutes(deps: AccountDeps): OpenRoute[] {
  /** Drawn once each: there are as many as the folder has files. */
  const drawn = new Map<string, string>();

  async function answer({ ctx }: AccountRequest, name: string): Promise<void> {
    const html = drawn.get(name) ?? renderDocsView(await readDoc(name), deps.viewAssets);
    drawn.set(name, html);
    setHeaders(ctx, viewHeaders('en', docsStyle));
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = html;
  }

  return [
    accountPage(deps, {
      ...{ path: docsPath, operationId: 'showDocs', summary: 'The documentation, in HTML' },
      handle: (request) => answer(request, 'README'),
    }),
    accountPage(deps, {
      ...{
        path: `${docsPath}/:doc`,
        operationId: 'showDocsPage',
        summary: 'A page of the documentation, in HTML',
      },
      handle: (request) => answer(request, request.ctx['params'].doc),
    }),
  ];
}

/** @throws ServiceError `notFound` for a name that no file has */
async function readDoc(name: string): Promise<string> {
  if (!/^[\w-]{1,60}$/.test(name)) throw new ServiceError('notFound');
  try {
    return await readFile(new URL(`${name}.md`, folder), 'utf8');
  } catch (cause) {
    throw new ServiceError('notFound', { cause });
  }
}
