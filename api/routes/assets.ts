import { ServiceError } from '../../lib/service-error.js';
import { assetMediaTypes, type LoadedAssets } from '../public/assets.js';
import { chooseAnswer } from '../public/negotiation.js';
import { sendAnswer } from '../public/public-reads.js';
import type { OpenRoute } from '../route.js';

/** Styles and scripts of the views, on every host. */
export function assetRoutes({ assets }: { assets: LoadedAssets }): OpenRoute[] {
  return [
    {
      method: 'GET',
      path: '/assets/:file',
      operationId: 'getAsset',
      summary: 'A style sheet or script of the public pages; its address changes with it',
      sameOnEveryHost: true,
      answers: { 200: { mediaTypes: Object.values(assetMediaTypes) }, 304: { mediaTypes: [] } },
      errors: ['notFound'],
      handle(ctx) {
        const asset = assets.files.get(String(ctx['params'].file));
        if (asset === undefined) throw new ServiceError('notFound');
        sendAnswer(ctx, chooseAnswer(ctx.req.headers, asset));
      },
    },
  ];
}
