import fc from 'fast-check';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import t from 'tap';
import { incidentLimits } from '../../contract/incidents.js';
import { clipBlocks } from '../../web/markdown/clip-blocks.js';
import { Markdown } from '../../web/markdown/markdown.js';
import { parseMarkdown } from '../../web/markdown/parse-markdown.js';
import { toOneLine, toPlainText } from '../../web/markdown/plain-text.js';
import type { Block, Inline } from '../../web/markdown/tree.js';
import { cpuMsOf } from '../support/cpu-time.js';
import { propertyOf } from '../support/property.js';

const draw = (nodes: readonly Block[]): string => renderToString(h(Markdown, { nodes }));
/** The HTML without what every block has. */
const html = (text: string): string => draw(parseMarkdown(text)).replaceAll(' dir="ltr"', '');
const link = (url: string, text = url): string => `<a href="${url}" rel="nofollow noopener ugc">${text}</a>`;

const table = (head: string, ...rows: string[]): string =>
  `<div class="table-box" tabindex="0"><table><thead><tr>${head}</tr></thead>${
    rows.length === 0 ? '' : `<tbody>${rows.map((row) => `<tr>${row}</tr>`).join('')}</tbody>`
  }</table></div>`;

t.test('the Markdown of incidents', async (t) => {
  for (const [text, expected] of [
    ['One.\nTwo.\n\nThree.', '<p>One.<br/>Two.</p><p>Three.</p>'],
    ['One.\r\nTwo.', '<p>One.<br/>Two.</p>'],
    [
      '**bold** and *italic* and __both__ _words_',
      '<p><strong>bold</strong> and <em>italic</em> and <strong>both</strong> <em>words</em></p>',
    ],
    ['`a*b*`', '<p><code>a*b*</code></p>'],
    ['```sh\ncurl <x>\n\n  y\n```', '<pre><code>curl &lt;x>\n\n  y</code></pre>'],
    ['- one\n- two\n  - three', '<ul><li>one</li><li>two<ul><li>three</li></ul></li></ul>'],
    ['1. one\n2. two', '<ol><li>one</li><li>two</li></ol>'],
    [
      '7. seven\n\n   and more\n8. eight',
      '<ol start="7"><li><p>seven</p><p>and more</p></li><li>eight</li></ol>',
    ],
    ['# Heading\nText', '<p><strong>Heading</strong></p><p>Text</p>'],
    ['# **Heading** *x*', '<p><strong>Heading <em>x</em></strong></p>'],
    ['Heading\n---', '<p><strong>Heading</strong></p>'],
    [
      '[label](https://example.com/a?b=1&c=2)',
      `<p>${link('https://example.com/a?b=1&amp;c=2', 'label')}</p>`,
    ],
    [
      '[**label**](http://example.com "title")',
      `<p>${link('http://example.com', '<strong>label</strong>')}</p>`,
    ],
    ['[mail](mailto:help@example.com)', `<p>${link('mailto:help@example.com', 'mail')}</p>`],
    ['<https://example.com>', `<p>${link('https://example.com')}</p>`],
    ['[](https://example.com)', `<p>${link('https://example.com')}</p>`],
    ['![alt](https://example.com/a.png)', `<p>${link('https://example.com/a.png', 'alt')}</p>`],
    ['![](https://example.com/a.png)', `<p>${link('https://example.com/a.png')}</p>`],
    ['See https://example.com/a_(b)_c.', `<p>See ${link('https://example.com/a_(b)_c')}.</p>`],
    ['(https://example.com/x?*y*=z)', `<p>(${link('https://example.com/x?*y*=z')})</p>`],
    ['「https://example.com/」です', `<p>「${link('https://example.com/')}」です</p>`],
    ['https://例え.jp/', `<p>${link('https://xn--r8jz45g.jp/', 'https://例え.jp/')}</p>`],
    ['https://xn--r8jz45g.jp/', `<p>${link('https://xn--r8jz45g.jp/')}</p>`],
    ['\\*stars\\*', '<p>*stars*</p>'],
    ['[label]() ![image]() []()', '<p>label image </p>'],
    ['a | b', '<p>a | b</p>'],
    [
      '| When | <b>What</b> |\n| :--- | ---: |\n| 10:05 | **down** `x|y` |\n| 10:20 |',
      table(
        '<th align="left" scope="col">When</th><th align="right" scope="col">&lt;b>What&lt;/b></th>',
        '<td align="left">10:05</td><td align="right"><strong>down</strong> `x</td>',
        '<td align="left">10:20</td>',
      ),
    ],
    ['a | b\n--- | ---', table('<th scope="col">a</th><th scope="col">b</th>')],
    ['A\n\na | b\n--|--\n\nB', `<p>A</p>${table('<th scope="col">a</th><th scope="col">b</th>')}<p>B</p>`],
  ] as const) {
    t.equal(html(text), expected, text);
  }
});

t.test('everything else is text', async (t) => {
  for (const text of [
    'example.com, www.example.com and help@example.com',
    '5 * 3 * 2, snake_case_name, 2 ** 3',
    'ftp://example.com //example.com tel:123',
    '[x](javascript:alert) [x](/path) [x](data:text/html,x) [x](vbscript:x) [x](https://)',
    '![x](javascript:alert) ![x](data:image/svg+xml,x)',
    '[label][reference]\n[reference]: https',
    '| a | b |\n|---|',
    '~~deleted~~ &amp; ---',
    '<b>bold</b> <!-- comment --> <https:x>',
    '> quoted',
  ]) {
    const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br/>');
    t.equal(html(text), `<p>${escaped}</p>`, text);
  }
  t.equal(html('    indented'), '<p>indented</p>');
  t.equal(html(' \n\n '), '');
});

t.test('nothing of a text becomes an element or an attribute of its own', async (t) => {
  for (const text of [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '[x](https://example.com/"onmouseover="alert(1))',
    '[x](https://example.com/ "a\\" onclick=\\"b")',
    '<https://example.com/"onclick="alert(1)>',
    'https://example.com/"><script>alert(1)</script>',
    '[x](java\nscript:alert(1))',
    '[x](JaVaScRiPt:alert(1)) [x]( javascript:alert(1)) [x](<javascript:alert(1)>)',
    '[x](java&#x73;cript:alert(1)) [x](javascript&colon;alert(1)) [x](\\javascript:alert(1))',
    '[x](\u0001javascript:alert(1)) [x](https:javascript:alert(1)//) [x](mailto:x@y.z?"onclick="x)',
    '![" onerror="alert(1)](https://example.com/x)',
    '```"><script>\n</code></pre><script>alert(1)</script>\n```',
    '`</code><script>alert(1)</script>`',
    '[<img src=x>](https://example.com)',
    '[https://a.example](https://b.example)',
    '| <script> | " onclick="x |\n| :- | -: |\n| [x](javascript:alert(1)) | <img src=x> |',
  ]) {
    t.strictSame(findUnknownMarkup(text), [], text);
  }
});

t.test('any text becomes a bounded tree that draws only what is known', async () => {
  const marks = fc.constantFrom(
    ...[
      '| ',
      '|\n',
      '- | -:\n',
      '*',
      '**',
      '_',
      '`',
      '```',
      '[',
      ']',
      '](',
      ')',
      '!',
      '<',
      '>',
      '\n',
      '\n\n',
      '- ',
      '1. ',
      '    ',
    ],
    ...[
      '# ',
      '\\',
      '&',
      '&lt;',
      '"',
      "'",
      'https://a.example/',
      'mailto:',
      'javascript:',
      '(',
      '<b onclick=x>',
    ],
  );
  const texts = fc.array(fc.oneof(marks, fc.string({ unit: 'grapheme', maxLength: 8 })), { maxLength: 60 });
  fc.assert(
    fc.property(texts, (parts) => {
      const text = parts.join('');
      const tree = parseMarkdown(text);
      return (
        findUnknownMarkup(text).length === 0 &&
        depthOf(tree) <= 20 &&
        !/[\r\n]/.test(toOneLine(text)) &&
        textOf(clipBlocks(tree, 50)).length <= 72
      );
    }),
    propertyOf(t, { few: 250, many: 5_000 }),
  );
});

t.test('no text of the longest length is much work', async (t) => {
  const { textChars } = incidentLimits;
  const patterns = [
    ...[
      '[',
      '*',
      '_',
      '`',
      '>',
      '> ',
      '![',
      '](',
      '[a](',
      '<',
      '#',
      '\\',
      '- ',
      '1. ',
      '- 1. ',
      '-\t',
      '```\n',
    ],
    ...[
      '**a ',
      '*a **b ',
      'a**b_',
      'a\n=\n',
      '[a](<b',
      '[a](https://b) ',
      '<https://',
      'https://',
      'mailto:a@',
    ],
    ...['https://a.example/(', '&amp;', '\n', 'a\n', '- a\n', '[a]: b\n', '(**x [', '\u0000', '" "', '~~~\n'],
    ...['|', 'a|', '|\n', 'a|b\n--|--\n', '|a|\n|-|\n\n', '-|', ':-|\n'],
  ];
  for (const pattern of patterns) {
    const fill = (chars: number) => pattern.repeat(Math.ceil(chars / pattern.length)).slice(0, chars);
    const [text, half] = [fill(textChars), fill(textChars / 2)];
    const nodes = countNodes(parseMarkdown(text));
    t.ok(nodes <= textChars + 2, `${JSON.stringify(pattern)} has ${nodes} nodes`);
    t.ok(nodes <= 2.2 * countNodes(parseMarkdown(half)) + 60, `${JSON.stringify(pattern)} grows evenly`);
    t.ok(depthOf(parseMarkdown(text)) <= 20);
    // Processor time for all the rest of the test: a text that is read in quadratic steps takes minutes.
    const ms = cpuMsOf(() => draw(parseMarkdown(`${text.slice(0, -1)}x`)));
    t.ok(ms < 3_000, `${JSON.stringify(pattern)} takes ${ms.toFixed()} ms`);
  }
  const nested = '['.repeat(textChars / 2) + ']'.repeat(textChars / 2);
  t.equal(toOneLine(nested), nested);
  const strong = `${'**a '.repeat(2_500)}${'b** '.repeat(2_500)}`;
  t.ok(depthOf(parseMarkdown(strong)) <= 4, 'bold in bold is bold');
});

t.test('a list that is nested too deep loses nothing', async (t) => {
  t.equal(toOneLine(`${'- '.repeat(9)}x`), `${'- '.repeat(9)}x`);
  const deep = `${'- '.repeat(50)}end https://example.com`;
  t.match(html(deep), 'end <a href="https://example.com"');
  const lines = Array.from({ length: 30 }, (_, level) => `${'  '.repeat(level)}- level ${level}`).join('\n');
  t.match(html(lines), /level 0.*level 29/s);
});

t.test('a text is cut with its marks', async (t) => {
  const cut = (text: string, chars: number) =>
    draw(clipBlocks(parseMarkdown(text), chars)).replaceAll(' dir="ltr"', '');
  t.equal(cut('A short **text**.', 20), '<p>A short <strong>text</strong>.</p>');
  t.equal(cut('A **longer text with marks** and more.', 12), '<p>A <strong>longer…</strong></p>');
  t.equal(cut('First.\n\nSecond.', 6), '<p>First.</p><p>…</p>');
  t.equal(cut('- one\n- two\n- three\n- four', 50), '<ul><li>one</li><li>two</li><li>thr…</li></ul>');
  t.equal(
    cut(`[link with a long name](https://example.com) more`, 8),
    `<p>${link('https://example.com', 'link…')}</p>`,
  );
  t.equal(cut('```\none two three\n```', 7), '<pre><code>one…</code></pre>');
  t.equal(
    cut('a | b\n--|--\nc | d\ne | f\ng | h', 25),
    table('<th scope="col">a</th><th scope="col">b</th>', '<td>c</td><td>d</td>', '<td>…</td><td></td>'),
  );
});

t.test('the same text without marks', async (t) => {
  const text = [
    'We **restored** [the API](https://example.com/api), see https://example.com or [help@example.com](mailto:help@example.com).',
    '- EU\n- US\n  1. east\n  2. west',
    '```\nretry\nlater\n```',
    '| When | What |\n| --- | --- |\n| 10:05 | [down](https://example.com/x) |',
  ].join('\n\n');
  t.equal(
    toPlainText(text),
    `We restored the API (https://example.com/api), see https://example.com or help@example.com.

- EU
- US
  1. east
  2. west

    retry
    later

When | What
10:05 | down (https://example.com/x)`,
  );
  t.equal(
    toOneLine(text),
    'We restored the API, see https://example.com or help@example.com. - EU - US 1. east 2. west retry later When | What 10:05 | down',
  );
});

/** Whatever is not among the elements and attributes that the tree may become. */
function findUnknownMarkup(text: string): string[] {
  const known =
    /^<(?:\/?(?:p|ul|ol|li|pre|code|strong|em|table|thead|tbody|tr|t[hd]|div)|br\/|ol start="\d+"|div class="table-box" tabindex="0"|t[hd](?: align="(?:left|center|right)")?(?: scope="col")?|\/a|a href="(?:https?:\/\/|mailto:)[^"<>\s]*" rel="nofollow noopener ugc")>$/i;
  return [...html(text).matchAll(/<[^>]*>?/g)].flatMap(([tag]) => (known.test(tag) ? [] : [tag]));
}

type Node = Block | Inline | readonly (Block | Inline)[];

function depthOf(nodes: readonly Node[]): number {
  return Math.max(0, ...nodes.map((node) => 1 + depthOf(childrenOf(node))));
}

function countNodes(nodes: readonly Node[]): number {
  return nodes.reduce((sum, node) => sum + 1 + countNodes(childrenOf(node)), 0);
}

function childrenOf(node: Node): readonly Node[] {
  if (!('kind' in node)) return node;
  if ('items' in node) return node.items;
  if ('rows' in node) return node.rows.flat();
  return 'children' in node ? node.children : [];
}

function textOf(nodes: readonly Node[]): string {
  return nodes.map((node) => ('text' in node ? node.text : textOf(childrenOf(node)))).join('');
}
