import { isPlainPath } from '../../lib/web-address.js';
import type { Tool, ToolArguments } from './tool.js';

/** Sends a request to the routes of this service, as the caller of the tool. */
export type Dispatch = (request: { method: string; path: string; body?: object }) => Promise<Dispatched>;

/** The answer of a route. */
export type Dispatched = {
  status: number;
  text: string;
  /** Seconds after which a retry may succeed, where the answer says so. */
  retryAfterSeconds?: number;
};

/** The answer of a tool: its text, which is JSON where the route answers JSON, and whether it failed. */
export type ToolResult = {
  content: { type: 'text'; text: string }[];
  structuredContent?: object;
  isError?: true;
};

/**
 * Calls the route of a tool with the permissions of the caller. A tool that announces something changes nothing without
 * `confirm`, not even with `notify: false`, and says who would be reached.
 */
export async function callTool(dispatch: Dispatch, tool: Tool, given: ToolArguments): Promise<ToolResult> {
  const page = tool.route.path.includes(':page') ? (given.page ?? (await findOnlyPage(dispatch))) : undefined;
  if (page === undefined && tool.route.path.includes(':page')) {
    return failed('The key reaches several pages; name one in "page". list_pages shows them.');
  }
  const parameters: Record<string, string> = { ...given.path, ...(page !== undefined && { page }) };
  const { announces } = tool.definition;
  if (announces !== undefined && !given.confirm) {
    return preview(dispatch, tool, { announces, page: page ?? '', body: given.body ?? {}, parameters });
  }
  const query = new URLSearchParams(given.query).toString();
  return toResult(
    await dispatch({
      method: tool.route.method,
      path: fillPath(tool.route.path, parameters) + (query === '' ? '' : `?${query}`),
      ...(given.body !== undefined && { body: given.body }),
    }),
  );
}

/** The page of a key that is of one page alone. */
async function findOnlyPage(dispatch: Dispatch): Promise<string | undefined> {
  const { status, text } = await dispatch({ method: 'GET', path: '/api/v1/me' });
  if (status !== 200) return undefined;
  // The route of this path answers so.
  const { pages } = JSON.parse(text) as { pages: { slug: string }[] };
  return pages.length === 1 ? pages[0]?.slug : undefined;
}

/** A change of an incident is announced unless it says otherwise. */
function isAnnounced(body: object): boolean {
  return !('notify' in body && body.notify === false);
}

type Preview = {
  announces: string;
  page: string;
  body: object;
  parameters: Record<string, string>;
};

async function preview(dispatch: Dispatch, { route }: Tool, about: Preview): Promise<ToolResult> {
  const { announces, page, body, parameters } = about;
  const found = await findType(dispatch, route.path, about);
  if (typeof found !== 'string') return found;
  const wouldSend = { method: route.method, path: fillPath(route.path, parameters), body };
  const unchanged = `Nothing has changed yet. This would show on the public page "${page}"`;
  if (!isAnnounced(body)) {
    const text = `${unchanged}, and nothing would be announced. Call the tool again with "confirm": true to do it.`;
    const silent = { changed: false, wouldAnnounce: null, subscribers: 0, webhooks: 0, page, wouldSend };
    return { content: [{ type: 'text', text }], structuredContent: silent };
  }
  const event = `${found}.${verbOf(announces, body)}`;
  const audience = await dispatch({
    method: 'GET',
    path: `${fillPath('/api/v1/pages/:page/audience', { page })}?${new URLSearchParams({ event })}`,
  });
  if (audience.status !== 200) return toResult(audience);
  // The route of this path answers so.
  const { subscribers, webhooks } = JSON.parse(audience.text) as { subscribers: number; webhooks: number };
  const structuredContent = {
    ...{ changed: false, wouldAnnounce: event, subscribers, webhooks, page },
    wouldSend,
  };
  const text = `${unchanged} and announce ${event}: an email to ${count(subscribers, 'subscriber')}, and ${count(webhooks, 'webhook')}. Call the tool again with "confirm": true to do it, with "notify": false in the body, where the tool takes it, to change the page without an announcement.`;
  return { content: [{ type: 'text', text }], structuredContent };
}

/** Whether the change is of an incident or of maintenance; the answer of the route when it cannot be read. */
async function findType(dispatch: Dispatch, path: string, about: Preview): Promise<string | ToolResult> {
  const { body, parameters } = about;
  if ('type' in body && typeof body.type === 'string') return body.type;
  if (!path.includes('/:id')) return 'incident';
  const read = await dispatch({
    method: 'GET',
    path: fillPath('/api/v1/pages/:page/incidents/:id', parameters),
  });
  if (read.status !== 200) return toResult(read);
  // The route of this path answers so.
  return (JSON.parse(read.text) as { type: string }).type;
}

function verbOf(announces: string, body: object): string {
  if (announces === 'update_posted')
    return 'status' in body && body.status === 'resolved' ? 'resolved' : announces;
  if (announces !== 'updated' || !('resolvedAt' in body)) return announces;
  return body.resolvedAt === null ? 'reopened' : 'resolved';
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

/** The schemas of the tools refuse names that a URL parser changes, and nothing else may be asked for with the key. */
function fillPath(path: string, parameters: Readonly<Record<string, string>>): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
  if (!isPlainPath(filled)) throw new Error(`The path ${filled} leads to another route.`);
  return filled;
}

function toResult({ status, text }: { status: number; text: string }): ToolResult {
  if (status >= 400) return failed(text === '' ? `The service answered ${status}.` : text);
  if (text === '') return { content: [{ type: 'text', text: 'Done.' }] };
  const value = parseObject(text);
  return { content: [{ type: 'text', text }], ...(value !== undefined && { structuredContent: value }) };
}

function failed(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
