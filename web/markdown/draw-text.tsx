import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { renderToString } from 'preact-render-to-string';
import { clipBlocks } from './clip-blocks.js';
import { Markdown } from './markdown.js';
import { parseMarkdown } from './parse-markdown.js';

/** `charsMax`: beyond, the text is cut. */
export type DrawnText = { text: string; charsMax?: number | undefined };

/** Characters of all kept texts and their HTML. */
const keptCharsMax = 4_000_000;
const kept = new LRUCache<string, string>({
  maxSize: keptCharsMax,
  sizeCalculation: (html, key) => html.length + key.length,
});

/**
 * Draws the Markdown of an incident as HTML. A text of 20,000 characters takes a millisecond, and 60 ms when it is made
 * of marks, so that the HTML is kept: views show the same texts again in each language, and every half minute.
 */
export function drawText({ text, charsMax }: DrawnText): string {
  const key = `${charsMax ?? ''} ${text}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const blocks = parseMarkdown(text);
  const html = renderToString(
    <Markdown nodes={charsMax === undefined ? blocks : clipBlocks(blocks, charsMax)} />,
  );
  kept.set(key, html);
  return html;
}

/** Drawing continues after other requests when it has taken this long. */
const sliceMs = 5;

/** Draws texts ahead of a view, which then finds them ready, and lets other requests go on in between. */
export async function drawTextsAhead(texts: Iterable<DrawnText>): Promise<void> {
  let startedAt = performance.now();
  for (const text of texts) {
    drawText(text);
    if (performance.now() - startedAt < sliceMs) continue;
    await nextTurn();
    startedAt = performance.now();
  }
}
