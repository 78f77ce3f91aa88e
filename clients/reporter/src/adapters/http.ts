import type { Reporter } from '../create-reporter.js';
import { type NodeRequest, type NodeResponse, watchExchange } from './exchange.js';

type Server<Request, Response> = {
  prependListener(event: 'request', listener: (req: Request, res: Response) => void): unknown;
  off(event: 'request', listener: (req: Request, res: Response) => void): unknown;
};

/**
 * Reports what a `node:http` server answers. `templateOf` returns the template of a request, such as `/carts/:id`, and
 * `undefined` for one that no route matches; it is asked when the answer has ended. Returns a function that ends it.
 *
 *     const server = createServer(listener);
 *     heartline(reporter, server, (req) => (req.url === '/' ? '/' : undefined));
 */
export function heartline<Request extends NodeRequest, Response extends NodeResponse>(
  reporter: Reporter,
  server: Server<Request, Response>,
  templateOf: (req: Request, res: Response) => string | undefined,
): () => void {
  const watch = (req: Request, res: Response): void =>
    watchExchange(reporter, req, res, { template: () => templateOf(req, res) });
  server.prependListener('request', watch);
  return () => server.off('request', watch);
}
