import { notFound, permanentRedirect, redirect } from 'next/navigation';
import { stage, withHeartline } from '../../../../heartline.js';

const acts = {
  gone: () => notFound(),
  moved: () => redirect('/shops/1/items/2'),
  movedForGood: () => permanentRedirect('/shops/1/items/2'),
  fail() {
    throw new Error('The till is stuck.');
  },
  nothing() {},
  hang() {
    stage.arrive();
    return new Promise(() => {});
  },
  stream: () =>
    new Response(
      new ReadableStream({
        async start(controller) {
          controller.enqueue(new TextEncoder().encode('one'));
          stage.arrive();
          await stage.held();
          controller.enqueue(new TextEncoder().encode('two'));
          controller.close();
        },
      }),
    ),
};

export const GET = withHeartline('/shops/[shop]/[what]', async (_request, { params }) =>
  acts[(await params).what](),
);
