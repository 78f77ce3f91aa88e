import { withHeartline } from '../../../../../heartline.js';

const template = '/shops/[shop]/items/[item]';

export const GET = withHeartline(template, async (_request, { params }) => Response.json(await params));
export const POST = withHeartline(template, () => new Response(null, { status: 201 }));
