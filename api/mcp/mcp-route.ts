import type { RequestListener } from 'node:http';
import type { Context } from 'koa';
import inject from 'light-my-request';
import Type from 'typebox';
import { parseJson } from '../../lib/parse-body.js';
import { ServiceError } from '../../lib/service-error.js';
import { hangUpSignal } from '../hang-up.js';
import { refuseOtherOrigin } from '../manage/same-origin.js';
import type { OriginParser } from '../request-origin.js';
import type { OpenBodyRoute, Route } from '../route.js';
import { callTool, type Dispatch } from './call-tool.js';
import { answerOf, failureOf, type Message, parseMessage, RpcError } from './json-rpc.js';
import { makeTools, type Tool } from './tool.js';

/** Versions of the protocol, the newest first. Each works without sessions and without streams. */
const protocolVersions = ['2025-11-25', '2025-06-18'] as const;

const bytesMax = 128 * 1024;

export type McpDeps = {
  /** The routes that tools call. */
  routes: readonly Route[];
  /** Answers a request as the service does. */
  dispatch: RequestListener;
  parseOrigin: OriginParser;
  baseUrl(): string;
  /** Version of the service. */
  version: string;
};

const instructions =
  'Heartline keeps the telemetry and the status pages of services. list_alerts says what is wrong now. Read figures with get_requests, or read get_sql_schema and then run_sql. ' +
  'Texts of incidents are public: write them for the readers of the page.';

/**
 * The Model Context Protocol over streamable HTTP (https://modelcontextprotocol.io/specification/2025-11-25), stateless:
 * each POST has one message and gets one JSON answer. Tools send requests to the routes of the management API with the
 * key of the caller, so that they have its permissions and its limits.
 */
export function mcpRoute(deps: McpDeps): OpenBodyRoute {
  const tools = makeTools(deps.routes);
  return {
    method: 'POST',
    path: '/mcp',
    operationId: 'postMcp',
    summary: 'Tools for language models, over the Model Context Protocol',
    description:
      'Tools for language models, over the Model Context Protocol (streamable HTTP without sessions). Needs a key with the scope manage or admin',
    sameOnEveryHost: true,
    boundsItself: true,
    body: {
      schema: Type.Object({}, { additionalProperties: true, description: 'A message of JSON-RPC 2.0.' }),
      bytesMax,
    },
    answers: {
      200: Type.Object({}, { additionalProperties: true, description: 'The response of JSON-RPC 2.0.' }),
      202: Type.Null(),
    },
    errors: [
      'bodyNotJson',
      'invalidParameter',
      'otherOrigin',
      'signInRequired',
      'wrongScope',
      'rateLimited',
      'storeUnavailable',
    ],
    async handle(ctx, body) {
      if (ctx.req.headers.origin !== undefined) refuseOtherOrigin(ctx.req, deps.baseUrl());
      const message = parseMessage(parseJson(body));
      if (message === undefined) {
        ctx.status = 400;
        ctx.body = failureOf(
          null,
          new RpcError('invalidRequest', 'Send one message of JSON-RPC 2.0; batches are not taken.'),
        );
        return;
      }
      refuseOtherVersion(ctx);
      const dispatch = dispatchFor(ctx, deps);
      if (message.method === undefined || message.id === undefined) {
        await checkCredentials(dispatch);
        ctx.body = null;
        ctx.status = 202;
        return;
      }
      ctx.body = await answer({ dispatch, tools, version: deps.version }, { ...message, id: message.id });
    },
  };
}

/** @throws ServiceError `invalidParameter` for a version that initialize() does not offer. */
function refuseOtherVersion(ctx: Context): void {
  const sent = ctx.get('mcp-protocol-version');
  if (sent === '' || protocolVersions.some((known) => known === sent)) return;
  throw new ServiceError('invalidParameter', {
    message: `MCP-Protocol-Version must be ${protocolVersions.join(' or ')}.`,
  });
}

type Answering = { dispatch: Dispatch; tools: readonly Tool[]; version: string };

async function answer(
  { dispatch, tools, version }: Answering,
  { id, method, params = {} }: Message & { id: string | number },
): Promise<object> {
  try {
    switch (method) {
      case 'initialize':
        await checkCredentials(dispatch);
        return answerOf(id, initialize(params, version));
      case 'ping':
        return answerOf(id, {});
      case 'tools/list':
        await checkCredentials(dispatch);
        return answerOf(id, { tools: tools.map(({ listed }) => listed) });
      case 'tools/call': {
        const { name, arguments: given } = params as { name?: unknown; arguments?: unknown };
        const tool = tools.find(({ definition }) => definition.name === name);
        if (tool === undefined)
          throw new RpcError('invalidParams', 'There is no such tool; tools/list has all.');
        return answerOf(id, await callTool(dispatch, tool, tool.parse(given)));
      }
      default:
        throw new RpcError('methodNotFound', 'The methods are initialize, ping, tools/list and tools/call.');
    }
  } catch (error) {
    if (error instanceof RpcError) return failureOf(id, error);
    throw error;
  }
}

/** A client that asks for a version that is not known gets the newest one, and decides whether to go on. */
function initialize(params: object, version: string): object {
  const asked = 'protocolVersion' in params ? params.protocolVersion : undefined;
  return {
    protocolVersion: protocolVersions.find((known) => known === asked) ?? protocolVersions[0],
    capabilities: { tools: {} },
    serverInfo: { name: 'heartline', title: 'Heartline', version },
    instructions,
  };
}

/** @throws ServiceError as a request to the management API does without valid credentials */
async function checkCredentials(dispatch: Dispatch): Promise<void> {
  const { status, text, retryAfterSeconds } = await dispatch({ method: 'GET', path: '/api/v1/me' });
  if (status === 200) return;
  const kind = ({ 401: 'signInRequired', 403: 'wrongScope', 429: 'rateLimited' } as const)[status];
  // An error of the service is such an object.
  const { error } = JSON.parse(text) as { error: string };
  throw new ServiceError(kind ?? 'storeUnavailable', { message: error, retryAfterSeconds });
}

/** Only the key is passed on: a cookie would let a page of another site use the tools. */
function dispatchFor(ctx: Context, { dispatch, parseOrigin }: McpDeps): Dispatch {
  const { authorization, host = 'localhost' } = ctx.req.headers;
  const { clientAddress: remoteAddress } = parseOrigin(ctx);
  return async ({ method, path, body }) => {
    if (authorization === undefined)
      throw new ServiceError('signInRequired', { message: 'Send a key with the scope manage.' });
    const response = await inject(dispatch, {
      ...{ method: method as 'GET', url: path, remoteAddress, signal: hangUpSignal(ctx.res) },
      headers: { host, authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    const retryAfter = response.headers['retry-after'];
    return {
      ...{ status: response.statusCode, text: response.payload },
      ...(retryAfter !== undefined && { retryAfterSeconds: Number(retryAfter) }),
    };
  };
}
