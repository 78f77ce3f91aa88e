import { withHeartline } from '../../../../heartline.js';

export const POST = withHeartline('/carts/[cart]/checkout', () =>
  Response.json({ error: 'The payment gateway does not answer.' }, { status: 503 }),
);
