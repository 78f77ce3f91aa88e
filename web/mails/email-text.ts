import { toPlainText } from '../markdown/plain-text.js';
import type { EmailLayout } from './email-layout.js';

export { toPlainText } from '../markdown/plain-text.js';

/** Renders an email as plain text, for readers and programs that show no HTML. */
export function renderEmailText({
  label,
  title,
  text,
  facts,
  tables = [],
  button,
  note,
  manage,
  unsubscribe,
}: EmailLayout): string {
  const parts = [
    label === undefined ? title : `${label}: ${title}`,
    'plain' in text ? text.plain : toPlainText(text.markdown),
    facts.map(([name, value]) => `${name}: ${value}`).join('\n'),
    ...tables.map(({ title: name, head, rows }) =>
      [name, ...rows.map((row) => lineOf(head, row))].join('\n'),
    ),
    button === undefined ? '' : `${button.text}:\n${button.url}`,
    [
      '-- ',
      note,
      ...[manage, unsubscribe].flatMap((link) => (link ? [`${link.text}: ${link.url}`] : [])),
    ].join('\n'),
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

/** Returns `name: column value, column value`. */
function lineOf([, ...head]: readonly string[], [name = '', ...values]: readonly string[]): string {
  if (values.length === 0) return name;
  return `${name}: ${values.map((value, at) => `${head[at]} ${value}`).join(', ')}`;
}
