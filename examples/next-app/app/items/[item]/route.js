import { withHeartline } from '../../../heartline.js';

export const GET = withHeartline('/items/[item]', async (_request, { params }) => {
  const { item } = await params;
  return Response.json({ item, pieces: 7 });
});
