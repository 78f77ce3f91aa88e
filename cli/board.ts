import Type from 'typebox';
import {
  AddedBoards,
  BoardShare,
  CreatedBoardShare,
  ListedBoard,
  ManagedBoard,
  starterSlugs,
  type Tile,
} from '../contract/manage/boards.js';
import { parseTimestamp } from '../lib/timestamp.js';
import { deleteCommand, type Kind, pathOfSlug, readBySlug } from './by-slug.js';
import { type Client, Nothing } from './client/client.js';
import { defineCommand } from './core/define-command.js';
import { formatFields, formatTable } from './core/output.js';
import { oneOf, parseTimeOption } from './core/parse-arguments.js';
import { pageOption } from './page.js';

const boards = {
  noun: 'board',
  list: '/boards',
  answer: ManagedBoard,
} as const satisfies Kind<typeof ManagedBoard>;

const ownCommands = [
  defineCommand({
    runsRemotely: true,
    name: 'board list',
    summary: 'list the boards of a page',
    help: 'Lists the boards of a page by slug.',
    options: { page: pageOption },
    json: '{"boards": [...]}',
    async run(context, { page }) {
      const found = await listBoards(context.client, await context.client.pathOf(page));
      const rows = found.map(({ slug, tileCount, name }) => [slug, String(tileCount), name]);
      const empty = `${page} has no board yet; add some with: ${context.commandPrefix} board add`;
      return { json: { boards: found }, text: formatTable(['SLUG', 'TILES', 'NAME'], rows, empty) };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'board show',
    summary: 'show a board and its tiles',
    help: 'Shows a board and what its tiles show. heartline export writes it with every setting.',
    arguments: { slug: 'SLUG' },
    options: { page: pageOption },
    json: '',
    async run({ client }, ref) {
      const board = await readBySlug(client, boards, ref);
      return { json: board, text: boardText(board) };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'board add',
    summary: 'add boards that are ready to use',
    help: 'Adds ready-made boards. A board whose slug is taken stays as it is; heartline apply makes other boards.',
    options: {
      page: pageOption,
      only: {
        value: 'SLUG',
        help: `${starterSlugs.join(', ')}; may be repeated; all by default`,
        multiple: true,
        parse: (text: string, option: string) => oneOf(text, starterSlugs, option),
      },
    },
    json: '{"added": [...], "kept": [...]}',
    async run({ client }, { page, only }) {
      const path = `${await client.pathOf(page)}${boards.list}/starters`;
      const body = only === undefined ? {} : { slugs: only };
      const { added, kept } = await client.send('POST', path, { answer: AddedBoards, body });
      const lines = [
        ...added.map(({ slug }) => `The board ${slug} is added.\n`),
        ...kept.map((slug) => `The board ${slug} is there already and stays as it is.\n`),
      ];
      return { json: { added, kept }, text: lines.join('') };
    },
  }),

  deleteCommand(boards, 'Deletes a board, and the links to it.'),
];

const linkCommands = [
  defineCommand({
    runsRemotely: true,
    name: 'board share',
    summary: 'make a link by which anybody who has it reads a board',
    help: `Makes a link and prints its address, which shows the board as a page without a sign-in. It is shown only this once.
Whoever has it reads the board with its figures, also for other values of its variables.`,
    arguments: { slug: 'SLUG' },
    options: {
      page: pageOption,
      name: { value: 'NAME', help: 'who reads it, such as "screen in the kitchen"', required: true },
      expires: {
        value: 'TIME',
        help: 'when the link ends, such as 2027-01-31T00:00:00Z; without it the link does not end',
        parse: parseTimeOption,
      },
    },
    json: '{"id", "name", "url", "token", …}',
    async run({ client }, { name, expires, ...ref }) {
      const path = `${await pathOfSlug(client, boards, ref)}/shares`;
      const body = {
        name,
        ...(expires !== undefined && { expiresAt: new Date(parseTimestamp(expires)).toISOString() }),
      };
      const share = await client.send('POST', path, { answer: CreatedBoardShare, body });
      const until = share.expiresAt === null ? 'It does not end.' : `It ends at ${share.expiresAt}.`;
      const text = `${share.url}\n\nThis is the link ${share.id} to ${ref.slug}. ${until} It is not shown again.\n`;
      return { json: share, text };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'board shares',
    summary: 'list the links to a board',
    help: 'Lists the links to a board, the oldest first, without their addresses.',
    arguments: { slug: 'SLUG' },
    options: { page: pageOption },
    json: '{"shares": [...]}',
    async run({ client }, ref) {
      const path = `${await pathOfSlug(client, boards, ref)}/shares`;
      const answer = Type.Object({ items: Type.Array(BoardShare) });
      const { items } = await client.send('GET', path, { answer });
      const rows = items.map(({ id, expiresAt, name }) => [id, expiresAt ?? 'never', name]);
      const empty = `The board ${ref.slug} has no link.`;
      return { json: { shares: items }, text: formatTable(['ID', 'ENDS', 'NAME'], rows, empty) };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'board unshare',
    summary: 'delete a link to a board',
    help: 'Deletes a link, which opens nothing any more. ID is as in: heartline board shares',
    arguments: { slug: 'SLUG', id: 'ID' },
    options: { page: pageOption },
    json: '{"id"}',
    async run({ client }, { id, ...ref }) {
      const path = `${await pathOfSlug(client, boards, ref)}/shares/${encodeURIComponent(id)}`;
      await client.send('DELETE', path, { answer: Nothing });
      return { json: { id }, text: `The link ${id} is deleted.\n` };
    },
  }),
];

export const boardCommands = [...ownCommands, ...linkCommands];

/** The boards of the page with the path without their tiles, by slug. */
export function listBoards(client: Client, path: string): Promise<ListedBoard[]> {
  return client.list(`${path}${boards.list}`, ListedBoard);
}

/** The boards of the page with the path, by slug. */
export async function loadBoards(client: Client, path: string): Promise<ManagedBoard[]> {
  const loaded: ManagedBoard[] = [];
  for (const { slug } of await listBoards(client, path)) {
    loaded.push(await client.send('GET', `${path}${boards.list}/${slug}`, { answer: ManagedBoard }));
  }
  return loaded;
}

function boardText({ slug, name, description, range, variables, tiles }: ManagedBoard): string {
  const facts: [string, string][] = [
    ['board', slug],
    ['name', name],
    ['description', description || 'none'],
    ['range', range],
    ['variables', Object.keys(variables).join(', ') || 'none'],
  ];
  const rows = tiles.map((tile) => {
    const { id, x, y, width, height, display, title } = tile;
    return [id, `${x},${y}`, `${width} × ${height}`, display, sourceOf(tile), title];
  });
  const headings = ['TILE', 'AT', 'SIZE', 'AS', 'OF', 'TITLE'];
  return `${formatFields(facts)}\n${formatTable(headings, rows, 'It has no tile.')}`;
}

function sourceOf({ source }: Tile): string {
  if ('figure' in source) return source.figure.path;
  if ('query' in source) return `query ${source.query}`;
  return 'sql' in source ? 'SQL' : 'text';
}
