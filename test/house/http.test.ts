import t from 'tap';
import { readSources } from '../support/sources.js';

/** Folders that answer HTTP requests, or describe the answers. */
const answers = ['api', 'cli', 'contract', 'test', 'bench'];

/**
 * Clients of other HTTP servers, which name what they send and what they are answered, and the packages and scripts
 * that run in other programs.
 */
const clients = [
  /^lib\/outbound\//,
  /^control\/channels\//,
  /^control\/contact-ways\//,
  /^control\/figure-exports\//,
  /^control\/webhooks\//,
  /^control\/translations\//,
  /^control\/monitors\//,
  /^clients\//,
  /^web\/client\//,
  /^web\/dashboard\//,
];

const forms: readonly (readonly [what: string, form: RegExp])[] = [
  ['the framework', /from '(?:koa|@koa\/router|koa-body)'|\bctx\.(?:status|body|set|throw)\b/],
  ['a status', /\bstatus(?:Code)?: [1-5]\d\d\b/],
  [
    'a header',
    /'(?:retry-after|www-authenticate|allow|cache-control|etag|vary|content-type|ratelimit-\w+)'/i,
  ],
  ['a server', /\b(?:ServerResponse|RequestListener)\b/],
];

const sources = await readSources();

t.test('only api/ and the command line speak HTTP', async (t) => {
  for (const { path, text } of sources) {
    if (answers.includes(path.split('/')[0] ?? '') || clients.some((form) => form.test(path))) continue;
    const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    t.strictSame(
      forms.filter(([, form]) => form.test(code)).map(([what]) => what),
      [],
      path,
    );
  }
});
